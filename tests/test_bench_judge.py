"""The judge bench: its figures are right to the digit, its labels hold, and the same pairs come of the same data."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from upheld.bench import judge, keyed, lookalikes, nli, pairs, records, silent
from upheld.bench.__main__ import run as command
from upheld.bench.evidence import RowsFile, read
from upheld.bench.pairs import AGREES, CONTRADICTS, NEUTRAL, Labelled, chunks_of, claim_of, read_pairs, strongest
from upheld.bench.progress import Steps
from upheld.cli import app
from upheld.document import MAX_CHUNK_CHARS, Finding, Pair, Verdict
from upheld.errors import Invalid, Misconfigured

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Rows = list[dict[str, Any]]
DATA = Path(__file__).parents[2] / "shared" / "data"


class Marked:
    """A test judge that does what the document says: acts, proposes, agrees, abstains, fails; else it is silent."""

    def __init__(self, name: str = "marked/1") -> None:
        self.name = name
        self.chunks: list[str] = []

    def judge(self, pairs: Sequence[Pair]) -> list[object]:
        self.chunks += [pair.chunk.text for pair in pairs]
        return [self._one(pair) for pair in pairs]

    def _one(self, pair: Pair) -> object:
        said = pair.chunk.text
        if "FAILS" in said:
            return "contradicted"
        if "ACTS" in said:
            return quoting(pair, Finding.CONTRADICTED, acts=True)
        if "PROPOSES" in said:
            return quoting(pair, Finding.CONTRADICTED)
        if "AGREES" in said:
            return quoting(pair, Finding.CONSISTENT)
        return Verdict(finding=Finding.ABSTAIN if "ABSTAINS" in said else Finding.UNRELATED)


class Bold(Marked):
    """A test judge that acts on everything."""

    def _one(self, pair: Pair) -> object:
        return quoting(pair, Finding.CONTRADICTED, acts=True)


def quoting(pair: Pair, finding: Finding, *, acts: bool = False) -> Verdict:
    """A verdict with both texts as its quotes."""
    return Verdict(finding=finding, claim_quote=pair.claim.statement, chunk_quote=pair.chunk.text, acts=acts)


# --- the figures ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "of", "interval"),
    [(81, 263, [25.53, 36.62]), (15, 148, [6.24, 16.05]), (0, 20, [0.0, 16.11]), (1, 29, [0.61, 17.18])],
)
def test_the_interval_is_the_one_in_newcombe_1998(found: int, of: int, interval: list[float]) -> None:
    assert judge.wilson(found, of) == interval


def test_the_interval_mirrors_itself_and_nothing_has_none() -> None:
    low, high = judge.wilson(19, 20) or []
    assert judge.wilson(1, 20) == [round(100 - high, 2), round(100 - low, 2)]
    assert judge.wilson(20, 20) == [83.89, 100.0]
    assert judge.wilson(0, 0) is None


def test_precision_at_the_base_rate_is_bayes_rule() -> None:
    # 0.8 * 0.014 = 0.0112 right, 0.01 * 0.986 = 0.00986 wrong
    assert judge.precision(0.8, 0.01) == round(100 * 0.0112 / 0.02106, 2) == 53.18
    assert judge.precision(0.8, 0.01, base_rate=0.5) == 98.77
    assert judge.precision(0.8, 0.0) == 100.0
    assert judge.precision(0.0, 0.01) == 0.0
    assert judge.precision(0.0, 0.0) is None


def hand_made() -> Rows:
    """10 silent pairs of which 1 is acted on and 1 proposed, 5 keyed changes of which 3 are acted on and 1 proposed."""
    kinds: list[tuple[str, str, str, str, str | None, bool, list[str]]] = [
        *[("silent", "a", "random", "N", "unrelated", False, [])] * 6,
        ("silent", "a", "random", "N", "abstain", False, []),
        ("silent", "b", "same topic", "N", "contradicted", True, []),
        ("silent", "b", "same topic", "N", "contradicted", False, []),
        ("silent", "b", "same topic", "N", None, False, ["raised"]),
        *[("keyed", "k", "", "C", "contradicted", True, [])] * 3,
        ("keyed", "k", "", "C", "contradicted", False, []),
        ("keyed", "k", "", "C", "unrelated", False, []),
        ("keyed", "k", "", "E", "consistent", False, []),
        ("prose", "p", "", "C", "unrelated", False, []),
        ("prose", "p", "", "E", "contradicted", True, []),
        ("lookalike", "m", "other year", "N", "contradicted", True, []),
        ("lookalike", "m", "other year", "C", "contradicted", True, []),
    ]
    rows: Rows = [{"row": "run", "suite": "judge"}]
    for number, (part, source, tag, label, finding, acts, faults) in enumerate(kinds):
        rows.append({
            "row": "pair", "id": number, "part": part, "source": source, "tag": tag, "label": label,
            "note": f"note {number}", "doc": f"doc {number}",
        })  # fmt: skip
        rows.append({
            "row": "verdict", "judge": "j/1", "pair": number, "finding": finding, "acts": acts, "faults": faults,
        })  # fmt: skip
    return [*rows, {"row": "judge", "name": "j/1", "seconds": 0.05, "cpu_seconds": 0.03}]


def test_every_figure_of_hand_made_rows() -> None:
    found = judge.figures(hand_made())
    assert found["n"] == 20
    assert (found["silent_n"], found["silent_false_contradicted_pct"], found["silent_proposed_pct"]) == (10, 10.0, 10.0)
    assert found["silent_false_contradicted_interval"] == [1.79, 40.42]
    assert found["silent_acted"] == {"random": 0, "same topic": 1}
    assert (found["recall_pct"], found["acting_recall_pct"]) == (66.67, 50.0)  # 4 and 3 of the 6 that are no control
    assert found["recall_by_source_pct"] == {"k": 80.0, "p": 0.0}
    assert (found["keyed_n"], found["keyed_recall_pct"], found["keyed_acting_recall_pct"]) == (5, 80.0, 60.0)
    assert found["precision_at_1_4_pct_base_rate"] == round(100 * 0.6 * 0.014 / (0.6 * 0.014 + 0.1 * 0.986), 2) == 7.85
    # 0.2307 and 0.8824 are Wilson's ends for 3 of 5; 0.0179 and 0.4042 those for 1 of 10
    assert found["precision_at_1_4_pct_interval"] == [0.8, 41.21]
    assert (found["abstain_pct"], found["faults"]) == (5.0, 1)
    assert (found["ms_per_pair"], found["cpu_ms_per_pair"]) == (2.5, 1.5)
    assert (found["acted_true"], found["acted_false"]) == (4, 3)
    assert (found["lookalike_n"], found["lookalike_acted"], found["lookalike_proposed"]) == (1, 1, 0)
    assert found["lookalike_control_acting_recall_pct"] == 100.0
    by_set = {row.pop("set"): row for row in found["by_set"]}
    assert by_set["silent/b/same topic"] == {
        "n": 3, "contradicting": 0, "recall_pct": None, "acting_recall_pct": None, "acted_false": 1,
        "proposed_false": 1,
    }  # fmt: skip
    assert by_set["keyed/k"]["acting_recall_pct"] == 60.0
    assert [shown[2] for shown in found["acted_false_pairs"]] == ["note 18", "note 17", "note 7"]
    assert [shown[2] for shown in found["missed_pairs"]] == ["note 13", "note 14"]


def test_a_changed_verdict_changes_the_figures() -> None:
    rows = hand_made()
    next(row for row in rows if row["row"] == "verdict" and row["pair"] == 7)["acts"] = False
    found = judge.figures(rows)
    assert (found["silent_false_contradicted_pct"], found["silent_proposed_pct"]) == (0.0, 20.0)
    assert found["precision_at_1_4_pct_base_rate"] == 100.0
    assert found["precision_at_1_4_pct_interval"] == [1.17, 100.0]


# --- what is asked, and what counts --------------------------------------------------------------


def test_a_claim_is_read_as_a_note_is() -> None:
    claim = claim_of("The session timeout of orders is 2 hours.", applies_when={"environment": "production"})
    assert (claim.subject_key, claim.attribute_key, claim.value_key) == ("orders", "session timeout", "7200 s")
    assert claim.single
    assert claim.applies_when == {"environment": ("production",)}
    assert claim_of("Two women are embracing.").value_key is None
    with pytest.raises(Invalid):
        claim_of("   ")


def test_a_long_document_is_cut_between_words_and_nothing_is_lost() -> None:
    text = "lorem ipsum " * 500
    cuts = list(chunks_of(text))
    assert "".join(cut.text for cut in cuts) == text
    assert all(cut.text == text[cut.start : cut.end] and len(cut.text) <= MAX_CHUNK_CHARS for cut in cuts)
    assert all(before.text[-1].isalpha() and after.text[0] == " " for before, after in pairwise(cuts))
    assert [len(cut.text) for cut in chunks_of("x" * 4500)] == [2000, 2000, 500]


def test_the_strongest_verdict_of_the_cuts_counts(tmp_path: Path) -> None:
    kinds = [
        Verdict(finding=Finding.UNRELATED),
        Verdict(finding=Finding.ABSTAIN),
        Verdict(finding=Finding.CONSISTENT),
        Verdict(finding=Finding.CONTRADICTED, confidence=0.5),
        Verdict(finding=Finding.CONTRADICTED, confidence=0.9),
        Verdict(finding=Finding.CONTRADICTED, confidence=0.2, acts=True),
    ]
    for weaker, stronger in pairwise(kinds):
        assert strongest([weaker, stronger]) == strongest([stronger, weaker]) == stronger
    long = [
        {"note": "A is 1.", "doc": "filler " * 400 + "ACTS", "label": "C"},
        {"note": "A is 1.", "doc": "x", "label": "N"},
    ]
    marked = Marked()
    found = judged(tmp_path, long, marked)
    assert len(marked.chunks) == 3
    assert (found["n"], found["acted_true"], found["acted_false"]) == (2, 1, 0)


def judged(folder: Path, lines: Iterable[object], *judges: Marked) -> dict[str, Any]:
    path = write(folder / "pairs.jsonl", lines)
    with RowsFile.create(folder / "rows.jsonl", judge.SUITE) as rows, Steps() as steps:
        judge.run_pairs(rows, steps, path, judges=judges)
    return judge.figures(read(folder / "rows.jsonl"))


def write(path: Path, lines: Iterable[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in lines), "utf-8")
    return path


def test_a_cascade_is_measured_beside_its_judges(tmp_path: Path) -> None:
    lines = [{"note": "A is 1.", "doc": doc, "label": "N"} for doc in ("ACTS", "PROPOSES", "ABSTAINS", "FAILS", "x")]
    found = judged(tmp_path, lines, Marked(), Bold("bold/1"))
    assert [each["judge"] for each in found["judges"]] == ["marked/1", "bold/1", "marked/1+bold/1"]
    assert [each["acted_false"] for each in found["judges"]] == [1, 5, 4]  # the last pair is not put to the second
    assert [each["faults"] for each in found["judges"]] == [1, 0, 1]
    assert (found["judge"], found["acted_false"]) == ("marked/1+bold/1", 4)


def test_an_invented_quote_acts_on_nothing(tmp_path: Path) -> None:
    class Inventing(Marked):
        def _one(self, pair: Pair) -> object:
            return Verdict(finding=Finding.CONTRADICTED, acts=True, claim_quote="A is", chunk_quote="not there")

    found = judged(tmp_path, [{"note": "A is 1.", "doc": "A is 2.", "label": "C"}], Inventing())
    assert (found["acted_true"], found["faults"], found["recall_pct"]) == (0, 1, 0.0)
    found = judged(tmp_path, [{"note": "A is 1.", "doc": "A is 2. ACTS", "label": "C"}], Marked())
    assert (found["acted_true"], found["faults"], found["recall_pct"]) == (1, 0, 100.0)


# --- pairs of one's own --------------------------------------------------------------------------

GIVEN = [
    {"note": "The port of orders is 1.", "doc": "ACTS", "label": "C", "id": 7, "why": "left aside"},
    {"note": "The port of orders is 1.", "doc": "PROPOSES", "label": "C"},
    {"note": "The port of orders is 1.", "doc": "AGREES", "label": "E"},
    {"note": "The port of orders is 1.", "doc": "ACTS, wrongly", "label": "E"},
    "",
    {"note": "The port of orders is 1.", "doc": "ABSTAINS", "label": "N"},
    {"note": "The port of orders is 1.", "doc": "PROPOSES", "label": "N"},
]


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(judge, "default_judges", lambda: (Marked(),))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_pairs_of_ones_own_are_judged_by_the_command(marked: Path) -> None:
    path = write(marked / "own.jsonl", GIVEN)
    done = CliRunner().invoke(app, ["--json", "bench", "judge", "--pairs", str(path)])
    assert done.exit_code == 0, done.output
    [line] = done.stdout.splitlines()
    found = json.loads(line)
    assert found["suite"] == "judge"
    assert (found["n"], found["silent_n"], found["acted_true"], found["acted_false"]) == (6, 2, 1, 1)
    assert (found["recall_pct"], found["acting_recall_pct"], found["abstain_pct"]) == (100.0, 50.0, 16.67)
    assert (found["silent_false_contradicted_pct"], found["silent_proposed_pct"]) == (0.0, 50.0)
    assert found["precision_at_1_4_pct_base_rate"] == 100.0
    assert [shown[3] for shown in found["acted_false_pairs"]] == ["ACTS, wrongly"]
    assert command(["--recompute", found["rows_file"], "--json"]) == 0


def test_the_default_judges_are_asked(tmp_path: Path) -> None:
    lines = [
        {"note": "The port of orders is 5432.", "doc": "The port of orders is 6432.", "label": "C"},
        {"note": "The port of orders is 5432.", "doc": "The port of billing is 6432.", "label": "N"},
    ]
    with RowsFile.create(tmp_path / "rows.jsonl", judge.SUITE) as rows, Steps() as steps:
        judge.run_pairs(rows, steps, write(tmp_path / "own.jsonl", lines))
    found = judge.figures(read(tmp_path / "rows.jsonl"))
    assert (found["acted_true"], found["acted_false"], found["faults"]) == (1, 0, 0)
    assert found["judge"] == "+".join(each.name for each in judge.default_judges())


def test_bad_lines_are_named_and_nothing_is_judged(marked: Path) -> None:
    bad = [
        GIVEN[0],
        "{not json",
        '["a", "list"]',
        {"note": "A is 1.", "doc": "A is 2."},
        {"note": "A is 1.", "doc": "A is 2.", "label": "contradiction"},
        {"note": 1, "doc": "A is 2.", "label": "C"},
        {"note": "A is 1.", "doc": "  ", "label": "C"},
        {"note": "A is 1." * 5000, "doc": "A is 2.", "label": "C"},
    ]
    path = write(marked / "own.jsonl", bad)
    with pytest.raises(Invalid) as caught:
        read_pairs(path)
    said = str(caught.value)
    assert "7 lines are no pair, nothing was judged" in said
    assert all(f"line {number}: " in said for number in range(2, 9))
    assert "line 1: " not in said
    done = CliRunner().invoke(app, ["--json", "bench", "judge", "--pairs", str(path)])
    assert done.exit_code == 2
    assert "line 2: not JSON" in done.stderr
    assert "judge" not in done.stdout


def test_of_many_bad_lines_the_first_ten_are_named(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match=r"line 10: .*; and 3 more"):
        read_pairs(write(tmp_path / "own.jsonl", ["nothing"] * 13))


def test_a_file_without_pairs_or_not_there_is_refused(marked: Path) -> None:
    with pytest.raises(Invalid, match="holds no pairs"):
        read_pairs(write(marked / "empty.jsonl", [""]))
    with pytest.raises(Misconfigured, match="cannot read the pairs"):
        read_pairs(marked / "absent.jsonl")
    (marked / "latin.jsonl").write_bytes(b'{"note": "caf\xe9"}')
    with pytest.raises(Invalid, match="not UTF-8"):
        read_pairs(marked / "latin.jsonl")


def test_a_suite_without_pairs_says_so(marked: Path) -> None:
    done = CliRunner().invoke(app, ["bench", "writes", "--pairs", "own.jsonl"])
    assert done.exit_code == 2
    assert "takes no --pairs" in done.stderr


# --- the builders --------------------------------------------------------------------------------

FACTS = [
    "0. The capital of Peru is Lima.", "1. The capital of Chile is Santiago.", "2. The capital of Peru is Cusco.",
    "3. Ann Lee was born in the city of Lima.", "4. Bob Ray was born in the city of Quito.",
    "5. Ann Lee plays the position of goalkeeper.",
]  # fmt: skip


def answer(subject: str, template: str, *values: str) -> dict[str, Any]:
    return {"subject": {"subLabel": subject}, "text answers": list(values), "template": template}


HEAD, FORMER = "Who is the head of {subject} currently?", "Who was the previous head of {subject}?"
TEAM = "Which team does {subject} play for currently?"
BEFORE = "Which team did {subject} play for before the current team?"
ANSWERS = {
    "Dec2021": [
        answer("Arc", HEAD, "Ann"), answer("Bay", HEAD, "Ben"), answer("Cod", HEAD, "Cy", "Di"),
        answer("Eve", TEAM, "Foxes"),
    ],
    "Dec2023": [
        answer("Arc", HEAD, "Zoe"), answer("Bay", HEAD, "Ben"), answer("Cod", HEAD, "Cy"), answer("Eve", TEAM, "Geese"),
        answer("Arc", FORMER, "Ann"), answer("Bay", FORMER, "Ben"), answer("Eve", BEFORE, "Foxes"),
    ],
}  # fmt: skip


def state(key: str, value: str, id: str = "W", supersedes: str | None = None) -> dict[str, Any]:
    return {"id": id, "key": key, "value": value, "supersedes": supersedes, "layer": "persistent_facts"}


TIMELINE = {
    "id": "T1",
    "initial_state": {"persistent_facts": [state("room", "Room 1", "R1")]},
    "events": [
        {"type": "conversation_turn", "text": "Hello."},
        {"type": "state_write", "writes": [state("renew_acme", "approved renewal for Acme; cheap")]},
        {"type": "supersession", "writes": [state("room_v2", "Room 2", "R2", "R1")]},
        {"type": "supersession", "writes": [state("room_v3", "Room 2; still", "R3", "room_v2")]},
        {"type": "supersession", "writes": [state("renew_acme_v2", "do not renew Acme; dear", "W", "renew_acme")]},
        {"type": "state_write", "writes": [state("fact_1", "We heard of it."), state("fact_2", "No.", "W", "fact_1")]},
    ],
}
PASSAGES = {
    "question": "What is Alma?",
    "documents": [
        {"type": "correct", "answer": "a town", "text": ", cut. Alma is a small town in the north of Quebec. More."},
        {"type": "correct", "answer": "a river", "text": "The Alma is a river that flows into the Black Sea. More."},
        {
            "type": "correct",
            "answer": "a river",
            "text": "The river Alma gave its name to a battle of the Crimean War.",
        },
        {"type": "misinfo", "answer": "a car", "text": "Alma is a car that was built by hand in the Black Forest."},
    ],
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    questions = ["What is the capital of Peru?", "Where was Ann Lee born?"]
    facts = {"context": "\n".join(FACTS), "questions": questions, "answers": [["Cusco"], ["Lima"]]}
    write(folder / "factconsolidation" / "factconsolidation_sh_tiny.json", [facts])
    for date, answers in ANSWERS.items():
        whole = {f"{number}": each for number, each in enumerate(answers)}
        write(folder / "pat_questions" / date / "PAT-singlehop.json", [whole])
    write(folder / "statebench" / "dev.jsonl", [TIMELINE])
    write(folder / "ramdocs" / "test.jsonl", [PASSAGES])
    documents = [
        {"corpus": "x", "id": number, "title": title, "created": "", "text": text}
        for number, title, text in (
            ("1", "Zebra codec", "The zebra codec packs stripes of pixels into words."),
            ("2", "Zebra codec again", "The zebra codec packs stripes of pixels into longer words."),
            ("3", "Zebra transport", "This is how stripes of pixels travel over a zebra link."),
            *((f"9{n}", f"Other{n}", f"Text about thing{n}, which nobody else ever wrote of.") for n in range(400)),
        )
    ]
    write(folder / "authored_supersession" / "documents.jsonl", documents)
    write(folder / "authored_supersession" / "supersedes_edges.jsonl", [{"corpus": "x", "old": "1", "new": "2"}])
    scenes = [f"Scene{n} shows walrus{n % 90} and otter{n % 90} at place{n}." for n in range(300)]
    lines = [f'"{scene}","It has walrus{n % 90} and otter{n % 90}.",entailment' for n, scene in enumerate(scenes)]
    write(
        folder / "nli" / "snli" / "dev.csv",
        ["premise,hypothesis,label", *lines, '"A, b.",No b.,contradiction', lines[0]],
    )
    write(folder / "nli" / "snli" / "train.csv", ["premise,hypothesis,label", "Learned.,From.,entailment"])
    write(folder / "nli" / "rte" / "dev.csv", ["premise,hypothesis,label", "A.,B.,not_entailment", "A.,C.,entailment"])
    write(folder / "nli" / "odd" / "x.tsv", ["sentence1\tsentence2\tgold_label", 'A "b.\tC.\tneutral'])
    write(folder / "nli" / "f.jsonl", [{"claim": "A.", "evidence_sentence": "B.", "label": "REFUTES"}])
    return folder


def texts(found: Iterable[Labelled], label: str | None = None) -> list[tuple[str, str]]:
    return [(pair.note, pair.doc) for pair in found if label in (None, pair.label)]


def test_an_older_fact_is_contradicted_by_the_later_one_alone_and_among_others(data: Path) -> None:
    found = list(keyed.from_facts(data / "factconsolidation"))
    old, new = "The capital of Peru is Lima.", "The capital of Peru is Cusco."
    assert texts((each for each in found if each.tag == "alone"), CONTRADICTS) == [(old, new)]
    assert texts((each for each in found if each.tag == "alone"), AGREES) == [(new, new)]
    for each in found:
        assert new in each.doc
        assert each.note != old or old not in each.doc
    assert {each.tag: len(each.doc) > len(new) for each in found} == {"alone": False, "among others": True}


def test_a_state_is_contradicted_by_what_superseded_it(data: Path) -> None:
    found = list(keyed.from_states(data / "statebench"))
    assert texts((each for each in found if each.part == pairs.KEYED), CONTRADICTS) == [
        ("Room: Room 1", "Room: Room 2"),  # and not "Room 2" by "Room 2; still"
        ("Renew acme: approved renewal for Acme; cheap", "Renew acme: do not renew Acme; dear"),
    ]
    assert ("approved renewal for Acme; cheap", "do not renew Acme; dear") in texts(
        (each for each in found if each.part == pairs.PROSE), CONTRADICTS
    )
    assert not any("heard" in each.note for each in found)


def test_an_answer_is_contradicted_by_a_later_one_only_if_it_is_another(data: Path) -> None:
    found = list(keyed.from_answers(data / "pat_questions"))
    assert texts(found, CONTRADICTS) == [
        ("The head of Arc is Ann.", "The head of Arc is Zoe."),
        ("Eve plays for Foxes.", "Eve plays for Geese."),
    ]
    assert texts(found, AGREES) == [("The head of Bay is Ben.", "The head of Bay is Ben.")]
    assert all(each.seen == records.THEN and each.dated == records.NOW for each in found)


def test_endings_are_only_of_what_ended(data: Path) -> None:
    found = list(keyed.endings(data / "pat_questions"))
    assert {each.note for each in found} == {"The head of Arc is Ann.", "Eve plays for Foxes."}
    assert Counter(each.tag for each in found) == {"ended": 2, "replaced": 2}
    assert "Eve moved from Foxes to Geese." in {each.doc for each in found}
    assert all(("Ann" in each.doc and "Arc" in each.doc) or "Eve" in each.doc for each in found)


def test_a_former_value_and_the_ending_of_another_subject_contradict_nothing(data: Path) -> None:
    former = list(keyed.former_and_present(data / "pat_questions"))
    assert ("The head of Arc is Zoe.", "The previous head of Arc was Ann.") in texts(former)
    assert not any("Bay" in each.note for each in former)  # there the former value is the present one
    others = list(keyed.ending_of_another(data / "pat_questions"))
    assert [(each.note, "Bay" in each.doc) for each in others] == [("The head of Arc is Ann.", True)]
    assert {each.label for each in (*former, *others)} == {NEUTRAL}


def test_facts_of_one_name_share_no_word_of_their_relation(data: Path) -> None:
    found: dict[str, set[frozenset[str]]] = {}
    for each in silent.of_facts(data / "factconsolidation"):
        found.setdefault(each.source, set()).add(frozenset((each.note, each.doc)))
    born, plays = "Ann Lee was born in the city of Lima.", "Ann Lee plays the position of goalkeeper."
    lima = "The capital of Peru is Lima."
    assert found["factconsolidation, one name"] == {frozenset((born, plays)), frozenset((lima, born))}
    assert frozenset((born, "Bob Ray was born in the city of Quito.")) in found["factconsolidation, one relation"]
    assert not any({lima, "The capital of Peru is Cusco."} <= pair for pairs in found.values() for pair in pairs)


def test_same_topic_pairs_are_of_other_subjects_keys_answers_and_families(data: Path) -> None:
    assert texts(silent.of_answers(data / "pat_questions")) == [
        ("The head of Arc is Zoe.", "The head of Bay is Ben."),
        ("The head of Bay is Ben.", "The head of Cod is Cy."),
    ]
    assert texts(silent.of_states(data / "statebench")) == [
        ("Room: Room 2; still", "Renew acme: do not renew Acme; dear")
    ]
    town = "Alma is a small town in the north of Quebec."
    namesakes = texts(silent.of_namesakes(data / "ramdocs"))
    assert [note for note, _ in namesakes] == [town, town]  # the two passages on the river are no pair
    assert not any("car" in doc for _, doc in namesakes)
    joined = [(note[:11], doc[:15]) for note, doc in texts(silent.of_documents(data / "authored_supersession"))]
    assert ("Zebra codec", "Zebra transport") in joined
    assert not any(doc.startswith("Zebra codec") for note, doc in joined if note == "Zebra codec")


def test_an_entailed_hypothesis_stands_beside_another_scene(data: Path) -> None:
    scenes = nli.read_all(data / "nli", Counter())["snli"]
    own = {pair.note: {each.doc for each in scenes if each.note == pair.note} for pair in scenes}
    found = list(silent.of_scenes(scenes, "snli"))
    assert found
    for each in found:
        assert each.note != "No b."
        assert len(set(each.note.strip(".").split()) & set(each.doc.split())) >= 2
    assert any(each.doc in own[each.note] for each in found)  # other premises that entail it as well


def test_random_pairs_share_no_uncommon_word_and_are_of_different_items() -> None:
    items = {
        "a": [(f"Note about walrus{n} and sun.", f"Doc about walrus{n} and sun.") for n in range(200)],
        "b": [(f"Note of otter{n % 50}.", f"Doc of otter{n % 50}, number{n}.") for n in range(200)],
    }
    found = list(silent.at_random(items, 300))
    assert len(found) == len(set(texts(found))) == 300
    for each in found:
        note, doc = (set(text.strip(".").replace(",", "").split()) for text in (each.note, each.doc))
        assert note & doc <= {"about", "of", "and", "sun"}
    assert 50 < sum(each.source == "of two sets" for each in found) < 100
    assert list(silent.at_random({"a": items["a"][:1]}, 5)) == []


def test_sets_of_prose_keep_their_labels_and_count_what_is_left_out(data: Path) -> None:
    counts: Counter[str] = Counter()
    found = nli.read_all(data / "nli", counts)
    assert sorted(found) == ["f", "odd", "rte", "snli"]
    assert texts(found["snli"], CONTRADICTS) == [("No b.", "A, b.")]
    assert len(found["snli"]) == 301  # one line is there twice
    assert texts(found["odd"], NEUTRAL) == [("C.", 'A "b.')]
    assert texts(found["f"], CONTRADICTS) == [("A.", "B.")]
    assert texts(found["rte"]) == [("C.", "A.")]
    assert counts == {"rte: not_entailment": 1}
    with pytest.raises(Invalid, match="no premise, hypothesis or label"):
        nli.read_all(write(data / "bad" / "x" / "dev.csv", ["a,b", "1,2"]).parents[1], counts)


def test_a_look_alike_has_a_control_that_differs() -> None:
    found = list(lookalikes.all_of_them(20))
    kinds = Counter((each.tag, each.label == CONTRADICTS) for each in found)
    assert set(kinds.values()) == {20}
    assert len(kinds) == 2 * 15
    for alike, control in zip(found[::2], found[1::2], strict=True):
        assert alike.note == control.note
        assert (alike.doc, alike.headings) != (control.doc, control.headings)
        if alike.label == AGREES:
            assert alike.note != alike.doc
            assert claim_of(alike.note).value_key == claim_of(alike.doc).value_key != claim_of(control.doc).value_key
        if alike.tag == "other heading":
            assert control.headings == (control.applies_when["environment"].capitalize(),) != alike.headings


def built(data: Path, path: Path, *, long: bool = False) -> list[Labelled]:
    with RowsFile.create(path, judge.SUITE) as rows:
        return list(judge.build(data, rows, long=long))


def test_the_same_data_gives_the_same_pairs(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "MOST_OF_A_SET", 40)
    first = built(data, tmp_path / "rows.jsonl")
    assert first == built(data, tmp_path / "rows.jsonl")
    assert len([each for each in first if each.source == "snli" and each.part == pairs.PROSE]) == 40
    monkeypatch.setattr(pairs, "SEED", 1)
    assert first != built(data, tmp_path / "rows.jsonl")


def test_a_sample_keeps_the_order_and_long_takes_all(data: Path, tmp_path: Path) -> None:
    listed = built(data, tmp_path / "rows.jsonl", long=True)
    drawn = pairs.sampled(listed, 50, "x")
    places = [listed.index(each) for each in drawn]
    assert len(drawn) == 50
    assert places == sorted(places)
    assert pairs.sampled(listed, None, "x") == pairs.sampled(listed, len(listed), "x") == listed


def test_the_suite_takes_the_sets_that_are_there(data: Path, tmp_path: Path) -> None:
    for each in sorted((data / "statebench").iterdir()):
        each.unlink()
    (data / "statebench").rmdir()
    with RowsFile.create(tmp_path / "rows.jsonl", judge.SUITE) as rows, Steps() as steps:
        judge.run(rows, steps, data, judges=[Marked()])
    found = judge.figures(read(tmp_path / "rows.jsonl"))
    assert found["absent_sets"] == ["statebench"]
    assert found["left_out"] == {"rte: not_entailment": 1}
    assert found["silent_n"] > 0
    assert found["lookalike_n"] > 0
    with pytest.raises(Misconfigured, match="none of the data sets"):
        built(tmp_path / "nothing", tmp_path / "rows.jsonl")


@pytest.mark.skipif(not DATA.is_dir(), reason="the shared data sets are not beside this checkout")
def test_the_public_sets_give_enough_of_every_part(tmp_path: Path) -> None:
    listed = built(DATA, tmp_path / "rows.jsonl")
    quiet = Counter(each.tag for each in listed if each.part == pairs.SILENT)
    assert quiet[silent.RANDOM] >= 1500
    assert quiet[silent.SAME_TOPIC] >= 1500
    assert {each.label for each in listed if each.part == pairs.SILENT} == {NEUTRAL}
    changed = Counter(each.source for each in listed if each.part == pairs.KEYED and each.label == CONTRADICTS)
    assert min(changed[name] for name in ("factconsolidation", "statebench", "pat_questions", "endings")) >= 100
    assert {"mnli", "snli", "fever_symmetric_v0.1"} <= {each.source for each in listed if each.part == pairs.PROSE}
    for each in listed[::50]:
        assert each.pairs()
