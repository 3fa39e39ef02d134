"""Record and replay: a run is repeated without the judge, and every answer is checked as if it had just been given."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from upheld.document import Chunk, Claim, Finding, Pair, Verdict
from upheld.errors import Conflict, Corrupt, Misconfigured
from upheld.judgement import Fault, FaultKind, asked
from upheld.judges.recorded import Recorded, digest

TEXT = "The limit is 300 a minute."
DAY = datetime(2026, 5, 1, tzinfo=UTC)


def pair(place: int = 0, **claim: Any) -> Pair:
    fields = {"statement": f"The limit is {200 + place}."} | claim
    return Pair(claim=Claim(**fields), chunk=Chunk(start=0, end=len(TEXT), text=TEXT))


RIGHT = Verdict(
    finding=Finding.CONTRADICTED,
    confidence=0.75,
    claim_quote="limit is 200",
    chunk_quote="limit is 300",
    effective_from=DAY,
    acts=True,
    why="raised — “again”",
)


class Counting:
    """A judge that gives the answers it was told to, in order, and counts what it was asked."""

    def __init__(self, *answers: object, name: str = "counting/1") -> None:
        self.answers, self.name, self.pairs = list(answers), name, 0

    def judge(self, pairs: Sequence[Pair]) -> Any:
        self.pairs += len(pairs)
        return [self.answers.pop(0) for _ in pairs]


RAWS: dict[str, object] = {
    "right": RIGHT,
    "an hour off": replace(RIGHT, effective_from=datetime(2026, 5, 1, tzinfo=timezone(timedelta(hours=1)))),
    "abstain": Verdict(finding=Finding.ABSTAIN),
    "invented": replace(RIGHT, chunk_quote="limit is 900"),
    "NaN": replace(RIGHT, confidence=math.nan),
    "infinite": replace(RIGHT, confidence=math.inf),
    "confidence true": replace(RIGHT, confidence=True),
    "confidence as text": replace(RIGHT, confidence="high"),  # type: ignore[arg-type]
    "finding in capitals": replace(RIGHT, finding="CONTRADICTED"),  # type: ignore[arg-type]
    "naive": replace(RIGHT, effective_from=datetime(2026, 5, 1)),  # noqa: DTZ001
    "bytes": replace(RIGHT, why=b"raised"),  # type: ignore[arg-type]
    "half a character": replace(RIGHT, why="\ud83d"),
    "acts 1": replace(RIGHT, acts=1),  # type: ignore[arg-type]
    "prose": "The note is contradicted.",
    "None": None,
    "a dict": {"finding": "contradicted"},
    "an object": object(),
    "a fault": Fault(kind=FaultKind.REFUSED, detail="the model declined to answer"),
}


@pytest.mark.parametrize("shape", RAWS)
def test_a_replay_is_judged_as_the_answer_itself_was(tmp_path: Path, shape: str) -> None:
    path = tmp_path / "judge.jsonl"
    [live] = asked(Counting(RAWS[shape]), [pair()])
    assert asked(Recorded(path, Counting(RAWS[shape])), [pair()]) == [live]
    [replayed] = asked(Recorded(path, name="counting/1"), [pair()])
    assert replayed == live or (isinstance(replayed, Fault) and isinstance(live, Fault) and replayed.kind is live.kind)


def test_a_replay_needs_no_judge_and_gives_the_same_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "judge.jsonl"
    pairs = [pair(place) for place in range(3)]
    answers = [replace(RIGHT, claim_quote=f"{200 + place}") for place in range(3)]
    recording = Recorded(path, Counting(*answers))
    assert asked(recording, pairs) == answers
    replay = Recorded(path, name="counting/1")
    assert replay.name == recording.name == "counting/1"
    assert asked(replay, pairs[::-1]) == answers[::-1]
    assert asked(replay, pairs) == answers


def test_only_what_is_not_there_is_asked_for_and_each_pair_once(tmp_path: Path) -> None:
    path = tmp_path / "judge.jsonl"
    first = Counting(RIGHT)
    asked(Recorded(path, first), [pair()])
    second = Counting(replace(RIGHT, claim_quote="201"))
    recording = Recorded(path, second)
    assert asked(recording, [pair(), pair(1), pair(1), pair()])[0] == RIGHT
    assert asked(recording, [pair(1)]) == [replace(RIGHT, claim_quote="201")]
    assert (first.pairs, second.pairs) == (1, 1)
    assert len(path.read_text().splitlines()) == 2


def test_a_pair_that_is_not_there_is_a_fault_of_its_own_kind(tmp_path: Path) -> None:
    path = tmp_path / "judge.jsonl"
    asked(Recorded(path, Counting(RIGHT)), [pair()])
    known, missing = asked(Recorded(path, name="counting/1"), [pair(), pair(1)])
    assert known == RIGHT
    assert isinstance(missing, Fault)
    assert (missing.kind, missing.passes) == (FaultKind.NOT_RECORDED, True)


def test_answers_of_several_judges_stand_apart_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "judge.jsonl"
    asked(Recorded(path, Counting(RIGHT)), [pair()])
    asked(Recorded(path, Counting(Verdict(finding=Finding.ABSTAIN), name="other/2")), [pair()])
    assert asked(Recorded(path, name="counting/1"), [pair()]) == [RIGHT]
    assert asked(Recorded(path, name="other/2"), [pair()]) == [Verdict(finding=Finding.ABSTAIN)]
    [fault] = asked(Recorded(path, name="other/3"), [pair()])
    assert isinstance(fault, Fault)


@pytest.mark.parametrize("kind", FaultKind)
def test_a_fault_that_passes_is_not_kept(tmp_path: Path, kind: FaultKind) -> None:
    path = tmp_path / "judge.jsonl"
    fault = Fault(kind=kind, detail="x")
    assert asked(Recorded(path, Counting(fault)), [pair()]) == [fault]
    again = Counting(RIGHT)
    expected = RIGHT if fault.passes else fault
    assert asked(Recorded(path, again), [pair()]) == [expected]
    assert again.pairs == fault.passes


@pytest.mark.parametrize("answers", [[], [RIGHT]])
def test_a_call_that_fails_keeps_nothing(tmp_path: Path, answers: list[object]) -> None:
    path = tmp_path / "judge.jsonl"
    outcomes = asked(Recorded(path, Counting(*answers)), [pair(), pair(1)])
    assert all(isinstance(outcome, Fault) for outcome in outcomes)
    assert not path.exists()
    asked(Recorded(path, Counting(RIGHT, RIGHT)), [pair(), pair(1)])
    assert path.exists()


def test_too_few_answers_are_kept_for_none(tmp_path: Path) -> None:
    class Short(Counting):
        def judge(self, pairs: Sequence[Pair]) -> Any:
            return super().judge(pairs)[:1]

    path = tmp_path / "judge.jsonl"
    outcomes = asked(Recorded(path, Short(RIGHT, RIGHT)), [pair(), pair(1)])
    assert [outcome.kind for outcome in outcomes if isinstance(outcome, Fault)] == [FaultKind.UNAVAILABLE] * 2
    assert not path.exists()


def test_a_line_cut_short_is_dropped_and_its_pair_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "judge.jsonl"
    answers = [RIGHT, replace(RIGHT, claim_quote="201")]
    asked(Recorded(path, Counting(*answers)), [pair(), pair(1)])
    whole = path.read_bytes()
    for cut in (len(whole) - 1, len(whole) - 40, whole.index(b"\n") + 2):
        path.write_bytes(whole[:cut])
        judge = Counting(answers[1])
        assert asked(Recorded(path, judge), [pair(), pair(1)]) == answers
        assert judge.pairs == 1
        assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "line",
    [
        *("no json", "[]", "{}", '{"pair": "x", "judge": "counting/1"}'),
        '{"pair": "x", "judge": "counting/1", "verdict": 1}',
        '{"pair": "x", "judge": "counting/1", "verdict": {"finding": "contradicted"}}',
        '{"pair": "x", "judge": "counting/1", "fault": ["nonesuch", ""]}',
    ],
)
def test_a_line_that_no_recording_wrote_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "judge.jsonl"
    asked(Recorded(path, Counting(RIGHT)), [pair()])
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(Corrupt, match="line 2"):
        Recorded(path, name="counting/1")


def test_a_file_that_another_process_wrote_to_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "judge.jsonl"
    slow = Recorded(path, Counting(RIGHT))
    asked(Recorded(path, Counting(RIGHT)), [pair()])
    before = path.read_bytes()
    with pytest.raises(Conflict, match="another process"):
        slow.judge([pair()])
    assert path.read_bytes() == before


@pytest.mark.parametrize("arguments", [{}, {"judge": Counting(), "name": "counting/1"}])
def test_a_recording_has_a_judge_or_the_name_of_one(tmp_path: Path, arguments: dict[str, Any]) -> None:
    with pytest.raises(Misconfigured, match="needs a judge"):
        Recorded(tmp_path / "judge.jsonl", **arguments)


def test_a_replay_of_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="no recording"):
        Recorded(tmp_path / "none.jsonl", name="counting/1")


def test_a_pair_is_the_same_only_if_all_that_a_judge_sees_is() -> None:
    same = Pair(claim=pair().claim, chunk=replace(pair().chunk, start=100, end=100 + len(TEXT)))
    assert digest(same) == digest(pair())
    others = [
        *(pair(1), pair(subject_key="limit"), pair(attribute_key="limit"), pair(value_key="200"), pair(single=True)),
        *(pair(applies_when={"env": ("a",)}), pair(applies_when={"env": ("a", "b")})),
        *(pair(valid_from=DAY), pair(valid_to=DAY), pair(observed_at=DAY)),
        replace(pair(), chunk=replace(pair().chunk, headings=("Limits",))),
        replace(pair(), chunk=replace(pair().chunk, dated=DAY)),
        replace(pair(), chunk=replace(pair().chunk, text="Another text.")),
    ]
    assert len({digest(pair()), *map(digest, others)}) == len(others) + 1
    turned = ({"a": ("1",), "b": ("2",)}, {"b": ("2",), "a": ("1",)})
    assert len({digest(pair(applies_when=conditions)) for conditions in turned}) == 1


def test_a_recording_is_lines_of_plain_json(tmp_path: Path) -> None:
    path = tmp_path / "judge.jsonl"
    asked(Recorded(path, Counting(RIGHT)), [pair()])
    [entry] = [json.loads(line) for line in path.read_text().splitlines()]
    assert (entry["pair"], entry["judge"]) == (digest(pair()), "counting/1")
    assert entry["verdict"]["chunk_quote"] == "limit is 300"
