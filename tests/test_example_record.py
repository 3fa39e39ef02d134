"""The record behind the demo holds the cases it is there to show."""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

RECORD = Path(__file__).parent.parent / "examples" / "pierhead"
PREFIXES = {"product": "product", "operations": "ops"}
FIELDS = {
    "id", "date", "observed", "by", "kind", "certainty", "supersedes", "retracts", "reason", "depends_on",
    "derived_from", "applies_when", "expires",
}  # fmt: skip
REFERENCES = ("supersedes", "retracts", "depends_on", "derived_from")
KIND = re.compile("decision|constraint|attribute|preference|episode|hypothesis|entitlement|summary")
ASKABLE = {
    "ask", "applies", "expect", "plain_trap", "absent", "open", "open_about", "known_at", "valid_at",
    "expect_then",
}  # fmt: skip
MARCH = datetime(2026, 3, 31, 23, 59, 59, tzinfo=UTC)
NOVEMBER = datetime(2026, 11, 27, tzinfo=UTC)
POINTS_BACK = re.compile(
    r"(?i)\b((replac|supersed|deprecat|retire|former|previous|old)\w*|instead|no longer|used to)\b"
)
KEYED = re.compile(r"The (?P<key>.+?) (?:is owned by|is) (?P<value>[^.,]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    path: Path
    fields: Mapping[str, Any]
    text: str

    @property
    def id(self) -> str:
        return str(self.fields["id"])

    @property
    def stream(self) -> str:
        return self.path.parent.name

    @property
    def date(self) -> datetime | None:
        date: datetime | None = self.fields.get("date")
        return date

    def ids(self, name: str) -> list[str]:
        return list(self.fields.get(name, ()))


def read(path: Path) -> Entry:
    before, front, text = path.read_text(encoding="utf-8").split("+++\n")
    assert before == ""
    return Entry(path=path, fields=tomllib.loads(front), text=text.strip())


FILED = [read(path) for path in sorted(RECORD.glob("*/*.md"), key=lambda path: path.name)]
ENTRIES = {entry.id: entry for entry in FILED}
BOOK = tomllib.loads((RECORD / "questions.toml").read_text(encoding="utf-8"))
QUESTIONS: list[dict[str, Any]] = BOOK["question"]
RETRACTED = {old for entry in FILED for old in entry.ids("retracts")}
PAIRS = [(ENTRIES[old], entry) for entry in FILED for old in entry.ids("supersedes")]


def successors(old: str) -> list[Entry]:
    return [newer for older, newer in PAIRS if older.id == old]


def chain(first: str) -> list[str]:
    """An entry and all that came after it; the record never forks."""
    line = [first]
    while after := successors(line[-1]):
        assert len(after) == 1, f"{line[-1]} has two successors"
        assert after[0].id not in line, f"{first} leads into a cycle"
        line.append(after[0].id)
    return line


def chains() -> list[list[str]]:
    """Every line of two or more, from its first entry."""
    return [line for e in FILED if not e.ids("supersedes") and len(line := chain(e.id)) > 1]


def stands(entry: Entry, at: datetime) -> bool:
    """Whether an entry is in force by what its authors wrote, leaving premises and restatements aside."""
    begun = entry.date is not None and entry.date <= at
    ended = "expires" in entry.fields and entry.fields["expires"] <= at
    after = [newer for newer in successors(entry.id) if newer.id not in RETRACTED]
    followed = any(newer.date is not None and newer.date <= at for newer in after)
    guess = entry.fields.get("certainty") == "hypothesis"
    return begun and not ended and not followed and not guess and entry.id not in RETRACTED


def words(text: str) -> list[str]:
    return [re.sub(r"(?:ies|es|s|ed|ing)$", "", word) for word in re.findall(r"[a-z0-9]+", text.lower())]


def by_wording(query: str) -> list[str]:
    """All ids, best match first: BM25 with k1 = 1.2 and b = 0.75, which knows words and nothing else."""
    bags = {entry.id: Counter(words(entry.text)) for entry in FILED}
    mean = sum(bag.total() for bag in bags.values()) / len(bags)
    scores = dict.fromkeys(bags, 0.0)
    for word in set(words(query)):
        held = sum(word in bag for bag in bags.values())
        rarity = math.log(1 + (len(bags) - held + 0.5) / (held + 0.5))
        for id_, bag in bags.items():
            scores[id_] += rarity * bag[word] * 2.2 / (bag[word] + 1.2 * (0.25 + 0.75 * bag.total() / mean))
    return sorted(scores, key=lambda id_: -scores[id_])


def keyed(entry: Entry) -> tuple[str, str] | None:
    found = KEYED.match(entry.text) if entry.fields["kind"] == "attribute" else None
    return (found["key"], found["value"]) if found else None


def restated() -> list[tuple[Entry, Entry]]:
    """Pairs that state the same attribute, in the order they are filed."""
    return [
        (first, second)
        for at, first in enumerate(FILED)
        for second in FILED[at + 1 :]
        if (mine := keyed(first)) and (theirs := keyed(second)) and mine[0] == theirs[0]
    ]


@pytest.mark.parametrize("entry", FILED, ids=lambda entry: entry.path.stem)
def test_an_entry_is_well_formed_and_named_for_its_day(entry: Entry) -> None:
    fields = entry.fields
    assert set(fields) <= FIELDS
    assert KIND.fullmatch(fields["kind"])
    assert re.fullmatch(r"(person|agent|document|tool|system):\S+", fields["by"])
    assert fields.get("certainty", "reported") in {"hypothesis", "reported", "confirmed"}
    assert all(fields[name].tzinfo is not None for name in ("date", "observed", "expires") if name in fields)
    assert 1 <= len(re.findall(r"[.](?:\s|$)", entry.text)) <= 4
    stem = entry.path.stem.removeprefix("zz-")
    assert entry.id == f"{PREFIXES[entry.stream]}-{stem}"
    if entry.date is not None:
        assert stem.startswith(entry.date.strftime("%Y-%m-%d-"))
    if "supersedes" in fields or "retracts" in fields:
        assert fields["reason"]


def test_ids_are_unique_and_there_are_enough_entries_in_both_streams() -> None:
    assert len(ENTRIES) == len(FILED) >= 60
    assert min(Counter(entry.stream for entry in FILED).values()) >= 25
    dates = [entry.date for entry in FILED if entry.date is not None]
    assert (min(dates).month, max(dates).month) == (1, 11)


def test_an_entry_refers_only_to_entries_filed_before_it() -> None:
    place = {entry.id: at for at, entry in enumerate(FILED)}
    late = [
        (entry.id, id_)
        for entry in FILED
        for name in REFERENCES
        for id_ in entry.ids(name)
        if place.get(id_, len(place)) >= place[entry.id]
    ]
    assert late == []


def test_a_successor_is_newer_than_what_it_supersedes() -> None:
    dates = [(older.date, newer.date) for older, newer in PAIRS]
    assert dates
    assert all(older and newer and older < newer for older, newer in dates)


def test_the_files_are_in_order_of_date_but_for_the_two_that_came_late() -> None:
    *punctual, report, undated = FILED
    dates = [entry.date for entry in punctual]
    assert None not in dates
    assert dates == sorted(date for date in dates if date is not None)
    assert report.date == report.fields["observed"] == datetime(2026, 6, 9, 19, 30, tzinfo=UTC)
    assert not {"date", "observed"} & set(undated.fields)


def test_chains_have_two_to_four_steps_and_do_not_fork() -> None:
    lengths = Counter(len(line) for line in chains())
    assert set(lengths) == {2, 3, 4}
    assert lengths.total() >= 10
    assert sum(count for length, count in lengths.items() if length >= 3) >= 4


def test_many_supersessions_cross_streams_in_both_directions() -> None:
    crossing = Counter((older.stream, newer.stream) for older, newer in PAIRS if older.stream != newer.stream)
    assert crossing.total() >= 8
    assert crossing["product", "operations"] >= 5
    assert crossing["operations", "product"] >= 3


@pytest.mark.parametrize(("older", "newer"), PAIRS, ids=lambda entry: entry.path.stem)
def test_a_successor_does_not_mention_what_it_supersedes(older: Entry, newer: Entry) -> None:
    assert POINTS_BACK.search("It replaces the old one.")
    assert not POINTS_BACK.search(newer.text)
    assert older.id not in newer.text
    first, second = set(words(older.text)), set(words(newer.text))
    assert len(first & second) / len(first | second) < 0.25


def test_attributes_are_restated_without_a_link_and_once_in_other_units() -> None:
    linked = {(older.id, newer.id) for older, newer in PAIRS}
    plain = [
        (keyed(first), keyed(second))
        for first, second in restated()
        if first.date and second.date and first.date < second.date
        if "applies_when" not in first.fields and (first.id, second.id) not in linked
    ]
    values = {mine[0]: (mine[1], theirs[1]) for mine, theirs in plain if mine and theirs}
    assert values == {
        "on-call rota of the boarding service": ("Team Gannet", "Team Tern"),
        "price of a handheld rental": ("18 euros a month", "23 euros a month"),
        "hold time of an unpaid booking": ("15 minutes", "900 seconds"),
    }


def test_production_and_staging_differ_in_value_and_in_condition() -> None:
    ((first, second),) = [pair for pair in restated() if "applies_when" in pair[0].fields]
    assert keyed(first) != keyed(second)
    assert first.fields["applies_when"] == {"environment": "production"}
    assert second.fields["applies_when"] == {"environment": "staging"}


def test_the_late_report_and_the_undated_page_contradict_what_is_dated() -> None:
    rivals = {second.id: first for first, second in restated() if second in FILED[-2:]}
    report, undated = FILED[-2:]
    fixed = rivals[report.id].date
    assert report.date
    assert fixed
    assert report.date < fixed
    assert rivals[undated.id].date
    assert keyed(report) != keyed(rivals[report.id])
    assert keyed(undated) != keyed(rivals[undated.id])


def test_a_guess_is_settled_by_a_log_and_another_stays_a_guess() -> None:
    guesses = [entry for entry in FILED if entry.fields["kind"] == "hypothesis"]
    assert all(entry.fields["certainty"] == "hypothesis" for entry in guesses)
    settled, unsettled = guesses
    (confirmation,) = successors(settled.id)
    assert confirmation.fields["certainty"] == "confirmed"
    assert successors(unsettled.id) == []


def test_one_restriction_lost_its_premise_and_its_twin_did_not() -> None:
    restrictions = [e for e in FILED if e.fields["kind"] == "constraint" and e.ids("depends_on")]
    premises = {e.id: ENTRIES[e.ids("depends_on")[0]] for e in restrictions}
    assert {id_: stands(premise, NOVEMBER) for id_, premise in premises.items()} == {
        "product-2026-02-11-ticket-barcode": False,
        "ops-2026-03-11-skerry-check-in": True,
    }
    assert all(stands(entry, NOVEMBER) for entry in restrictions)


def test_one_summary_rests_on_superseded_entries_and_the_other_on_none() -> None:
    old, new = [entry for entry in FILED if entry.fields["kind"] == "summary"]
    assert not any(stands(ENTRIES[id_], NOVEMBER) for id_ in old.ids("derived_from"))
    assert all(stands(ENTRIES[id_], MARCH) for id_ in old.ids("derived_from"))
    assert all(stands(ENTRIES[id_], NOVEMBER) for id_ in new.ids("derived_from"))


def test_the_freeze_held_at_the_end_of_march_and_is_over() -> None:
    freeze = ENTRIES["ops-2026-03-19-easter-freeze"]
    assert successors(freeze.id) == []
    assert (stands(freeze, MARCH), stands(freeze, NOVEMBER)) == (True, False)


def test_two_chains_end_in_nothing_one_by_running_out_and_one_by_retraction() -> None:
    ends = {line[-1] for line in chains() if not any(stands(ENTRIES[id_], NOVEMBER) for id_ in line)}
    assert ends == {"ops-2026-06-04-marinord", "product-2026-06-25-lough-families"}
    assert {"product-2026-06-25-lough-families"} == RETRACTED
    (retraction,) = [entry for entry in FILED if entry.ids("retracts")]
    assert retraction.fields["kind"] == "episode"


def test_many_entries_are_never_touched() -> None:
    touched = {entry.id for entry in FILED if any(entry.ids(name) for name in REFERENCES)}
    touched |= {id_ for entry in FILED for name in REFERENCES for id_ in entry.ids(name)}
    touched |= {entry.id for pair in restated() for entry in pair}
    assert sum(entry.id not in touched and stands(entry, NOVEMBER) for entry in FILED) >= 10


def test_the_direction_is_made_of_moves_in_both_streams() -> None:
    moves = BOOK["direction"]["moves"]
    assert len(moves) >= 5
    for old, new in moves:
        assert new in chain(old)
    assert len({ENTRIES[new].stream for _, new in moves}) == 2
    dates = [ENTRIES[new].date for _, new in moves]
    assert dates == sorted(date for date in dates if date is not None)
    assert ENTRIES[BOOK["direction"]["proposal"]].fields["certainty"] == "hypothesis"


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q["ask"])
def test_a_question_names_entries_of_the_record_and_expects_what_stands(question: dict[str, Any]) -> None:
    assert set(question) <= ASKABLE
    assert all(stands(ENTRIES[id_], NOVEMBER) for id_ in question["expect"])
    assert all(id_ in ENTRIES for id_ in question["absent"])
    assert not set(question["absent"]) & set(question["expect"])
    assert question["open"] == bool(question.get("open_about"))
    assert set(question.get("open_about", ())) <= set(question["absent"])
    assert question["expect"] or question["open"]
    if "expect_then" in question:
        assert question["known_at"] == question["valid_at"] == MARCH
        assert all(stands(ENTRIES[id_], MARCH) for id_ in question["expect_then"])


@pytest.mark.parametrize("question", [q for q in QUESTIONS if "plain_trap" in q], ids=lambda q: q["ask"])
def test_the_trap_is_first_by_wording_and_what_stands_is_behind_it(question: dict[str, Any]) -> None:
    trap = question["plain_trap"]
    found = by_wording(question["ask"])
    assert found[0] == trap
    assert trap in question["absent"]
    if len(chain(trap)) > 1 and question["expect"]:
        assert question["expect"][0] == chain(trap)[-1]


@pytest.mark.parametrize("newer", [newer for _, newer in PAIRS], ids=lambda entry: entry.path.stem)
def test_a_successor_is_first_when_asked_for_in_its_own_words(newer: Entry) -> None:
    assert by_wording(newer.text)[0] == newer.id


def test_enough_questions_are_traps_and_enough_are_asked_of_march() -> None:
    assert len(QUESTIONS) >= 12
    assert sum("plain_trap" in question for question in QUESTIONS) >= 9
    assert sum(question.get("expect_then", question["expect"]) != question["expect"] for question in QUESTIONS) >= 5


def test_the_late_report_tells_the_two_clocks_apart() -> None:
    known_now, known_then = BOOK["two_times"]
    report = FILED[-2].id
    assert known_now["ask"] == known_then["ask"]
    assert known_now["valid_at"] == known_then["valid_at"] == known_then["known_at"]
    assert (known_now["expect"], known_then["expect"]) == ([report], [])
    assert report in known_then["absent"]


# --- its documents -------------------------------------------------------------------------------

DOCUMENTS = sorted(path for path in (RECORD / "documents").rglob("*") if path.is_file())


def test_there_are_documents_of_several_kinds_and_none_is_an_entry() -> None:
    assert 3 <= len(DOCUMENTS) <= 8
    assert {path.suffix for path in DOCUMENTS} >= {".md", ".html", ".toml"}
    assert not [path for path in DOCUMENTS if path.read_text(encoding="utf-8").startswith("+++")]


def test_the_line_that_is_edited_is_there_once_and_says_what_its_note_says() -> None:
    edit = BOOK["document"]
    texts = [path.read_text(encoding="utf-8") for path in DOCUMENTS]
    assert sum(text.count(edit["was"]) for text in texts) == 1
    assert edit["was"] in (RECORD / "documents" / edit["name"]).read_text(encoding="utf-8")
    assert ENTRIES[edit["falls"]].text.startswith(edit["was"])
    assert stands(ENTRIES[edit["falls"]], NOVEMBER)
    assert edit["now"] != edit["was"]


def test_what_rests_on_the_note_that_falls_is_all_that_depends_on_it() -> None:
    edit = BOOK["document"]
    resting = [e.id for e in FILED if edit["falls"] in (*e.ids("depends_on"), *e.ids("derived_from"))]
    assert resting == edit["rests"]
    assert all(any(q["expect"][:1] == [id_] for q in QUESTIONS) for id_ in resting)
