"""Keyed values that changed or ended, from sets that say which value came later, with pairs that agree as controls."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from upheld.bench import facts, records
from upheld.bench.pairs import AGREES, CONTRADICTS, KEYED, LOOKALIKE, NEUTRAL, PROSE, Labelled, chance
from upheld.bench.records import NOW, THEN, Answer

ENDINGS = "endings"
_BESIDE = 4


def from_facts(folder: Path) -> Iterator[Labelled]:
    """An older fact and the one that holds, alone and among other facts; the same fact again agrees.

    Which facts contradict each other is told by the questions and their accepted answers alone, as in `facts`.
    """
    seen: set[tuple[str, str]] = set()
    for file in facts.read_all(folder):
        chances = chance(f"facts/{file.label}")
        texts = list(file.facts.values())
        for question, answers in file.questions:
            about = facts.subject(question, answers, file.facts)
            if about is None:
                continue
            new = file.facts[about.latest]
            for number in about.older:
                old = file.facts[number]
                if (old, new) in seen:
                    continue
                seen.add((old, new))
                others = [text for text in chances.sample(texts, _BESIDE) if text not in (old, new)]
                among = " ".join([*others[:2], new, *others[2:]])
                for note, label in ((old, CONTRADICTS), (new, AGREES)):
                    yield Labelled(part=KEYED, source=facts.FOLDER, label=label, tag="alone", note=note, doc=new)
                    yield Labelled(
                        part=KEYED, source=facts.FOLDER, label=label, tag="among others", note=note, doc=among
                    )


def from_states(folder: Path) -> Iterator[Labelled]:
    """A value and what superseded it, behind the name of their key; as prose where the values name it themselves.

    Two texts that are equal up to a semicolon say the same for another reason, and are left out.
    """
    seen: set[tuple[str, str]] = set()
    for state in records.states(folder):
        forms = [(KEYED, "labelled", state.labelled)]
        forms += [(PROSE, "as written", state.values)] if state.names_itself else []
        for part, tag, said in forms:
            for old, new in pairwise(said):
                if old.partition(";")[0] == new.partition(";")[0] or (old, new) in seen:
                    continue
                seen.add((old, new))
                for note, label in ((old, CONTRADICTS), (new, AGREES)):
                    yield Labelled(part=part, source=records.STATEBENCH, label=label, tag=tag, note=note, doc=new)


def from_answers(folder: Path) -> Iterator[Labelled]:
    """The answer of December 2021 beside that of December 2023, which contradicts it where it is another."""
    listed = records.answers(folder)
    current = _by_question(listed, NOW, former=False)
    for asked, old in _by_question(listed, THEN, former=False).items():
        if (new := current.get(asked)) is not None:
            label = AGREES if new.value == old.value else CONTRADICTS
            yield Labelled(
                part=KEYED, source=records.PAT, label=label, note=old.said, doc=new.said, seen=THEN, dated=NOW
            )


def endings(folder: Path) -> Iterator[Labelled]:
    """The answer of December 2021 that held no more in 2023, and a document that says so, or what took its place."""
    listed = records.answers(folder)
    current = _by_question(listed, NOW, former=False)
    for number, (asked, old) in enumerate(_by_question(listed, THEN, former=False).items()):
        new = current.get(asked)
        if new is not None and new.value != old.value:
            for tag, forms in (("ended", old.endings()), ("replaced", old.replacements(new.value))):
                yield _ended(KEYED, old.said, forms[number % len(forms)], tag)


def former_and_present(folder: Path) -> Iterator[Labelled]:
    """Who holds a place beside who held it before: two values of one subject that do not contradict each other."""
    listed = records.answers(folder)
    former = _by_question(listed, NOW, former=True)
    for asked, new in _by_question(listed, NOW, former=False).items():
        before = former.get(asked)
        if before is not None and before.value != new.value:
            for note, doc in ((new.said, before.said), (before.said, new.said)):
                yield Labelled(
                    part=LOOKALIKE, source=records.PAT, label=NEUTRAL, tag="former and present", note=note, doc=doc
                )


def ending_of_another(folder: Path) -> Iterator[Labelled]:
    """A value beside the ending of another subject's value of the same question: it ends nothing there."""
    by_place: dict[str, list[Answer]] = {}
    for each in _by_question(records.answers(folder), THEN, former=False).values():
        by_place.setdefault(each.place, []).append(each)
    for listed in by_place.values():
        for number, (one, other) in enumerate(pairwise(listed)):
            if {one.subject, one.value}.isdisjoint((other.subject, other.value)):
                forms = other.endings()
                doc = forms[number % len(forms)]
                yield _ended(LOOKALIKE, one.said, doc, "ending of another subject")


def _by_question(listed: list[Answer], at: datetime, *, former: bool) -> dict[tuple[str, str], Answer]:
    return {(each.subject, each.place): each for each in listed if each.at == at and each.former == former}


def _ended(part: str, note: str, doc: str, tag: str) -> Labelled:
    label = CONTRADICTS if part == KEYED else NEUTRAL
    return Labelled(part=part, source=ENDINGS, label=label, tag=tag, note=note, doc=doc, seen=THEN, dated=NOW)
