"""A world for the sweep: notes, documents of a few paragraphs, and which document contradicts which note.

Everything comes from sets that say themselves which statement is older, replaced or wrong; nothing is made up but the
plain sentences around names, numbers and titles. By seed: the same data gives the same world.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from upheld.bench import sources
from upheld.bench.pairs import chance
from upheld.bench.sources import Case, Topic
from upheld.errors import Misconfigured

CONTRADICTING, CONSISTENT = "contradicts a note", "agrees with a note"
SAME_SUBJECT, OTHER_SUBJECT = "same subjects, silent", "other subjects, silent"
_CONSISTENT_SHARE, _SAME_SUBJECT_SHARE = 0.25, 0.5
_UNNOTED = 0.08
"""The share of subjects that no note is about."""
_PARAGRAPHS = 3
_SENTENCES = 4
_LONGEST, _SHORTEST = 500, 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How many notes, documents, documents that contradict one note each, and documents that change later."""

    notes: int
    documents: int
    contradicting: int
    changes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A note to be written. `case` is what a document says against it, now or after its change.

    `is_named` is False for a sentence that does not name what it is about.
    """

    id: str
    statement: str
    source: str
    is_named: bool = True
    case: Case | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A document. `against` is the note that it contradicts, if any; `said` the words that do."""

    name: str
    text: str
    kind: str
    source: str
    against: str | None = None
    said: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What is written first, and the files that are written anew afterwards, each against one note."""

    notes: Sequence[Held]
    files: Sequence[File]
    changes: Sequence[File]


@dataclass(slots=True)
class _Stock:
    """What documents are made of, all of it said by no note but for what `noted` topics have as notes.

    `noted` topics have a note to agree with, `spoken` ones a note and something silent, `others` no note. `sentences`
    are the silent ones of the sources whose texts are single sentences.
    """

    chances: Random
    noted: list[Topic] = field(default_factory=list)
    spoken: list[Topic] = field(default_factory=list)
    others: list[Topic] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)

    def document(self, first: str, topic: Topic, number: int) -> str:
        """A text of three paragraphs, the others on other subjects; every second one is Markdown with headings."""
        paragraphs = [(topic.name, first)]
        if topic.is_prose:
            listed = self.others if topic in self.others else self.spoken
            near = [each for each in listed if each.is_prose and each.name != topic.name]
            drawn = self.chances.sample(near, min(_PARAGRAPHS - 1, len(near)))
            paragraphs += [(each.name, self.paragraph(each)) for each in drawn]
        else:
            paragraphs += [("", self._filled([])) for _ in range(_PARAGRAPHS - 1)]
        self.chances.shuffle(paragraphs)
        if number % 2 == 0:
            return "\n\n".join(text for _, text in paragraphs) + "\n"
        if topic.is_prose:
            return "\n\n".join(f"## {name}\n\n{text}" for name, text in paragraphs) + "\n"
        return "\n\n".join([f"# Bulletin {number}", *(text for _, text in paragraphs)]) + "\n"

    def paragraph(self, topic: Topic, among: Sequence[str] = ()) -> str:
        """A paragraph on a topic, silent but for `among`, which stands somewhere in it."""
        if not topic.is_prose:
            return self._filled([*among, *topic.silent[: _SENTENCES - 1 - len(among)]])
        room = _LONGEST - sum(map(len, among))
        kept: list[str] = []
        for text in self.chances.sample(topic.silent, min(_SENTENCES, len(topic.silent))):
            if room > _SHORTEST:
                kept.append(sources.cut(text, room))
                room -= len(kept[-1])
        at = self.chances.randint(0, len(kept))
        return " ".join([*kept[:at], *among, *kept[at:]])

    def _filled(self, said: Sequence[str]) -> str:
        others = [text for text in self.chances.sample(self.sentences, min(_SENTENCES, len(self.sentences)))
                  if text not in said]  # fmt: skip
        whole = [*said, *others[: _SENTENCES - len(said)]]
        self.chances.shuffle(whole)
        return " ".join(whole)


def build(data: Path, sizes: Sizes, name: str) -> World:
    """The world of these sizes; `name` varies the seed. Fewer notes where the data does not hold so many.

    Raises `Misconfigured` where no set is there, or they hold too few contradictions.
    """
    chances = chance(f"sweep/{name}")
    cases, topics = sources.read(data)
    wanted = sizes.contradicting + sizes.changes
    if len(cases) < wanted:
        raise Misconfigured(f"the data sets in {data} hold {len(cases)} contradictions; this needs {wanted}")
    drawn = _in_turn(cases, chances)[:wanted]
    chances.shuffle(topics)
    held, stock = _notes(drawn, topics, sizes.notes, chances)
    of_case = {each.case.note: each.id for each in held if each.case is not None}
    files = [*_files(sizes, drawn[: sizes.contradicting], of_case, stock)]
    free = [each for each in files if each.kind in (SAME_SUBJECT, OTHER_SUBJECT)]
    changes: list[File] = []
    for case in drawn[sizes.contradicting :]:
        alike = [each for each in free if each.source == case.source] or free
        chosen = chances.choice(alike)
        free.remove(chosen)
        changes.append(_changed(chosen, case, of_case[case.note], stock))
    return World(notes=held, files=files, changes=changes)


def _in_turn(cases: Sequence[Case], chances: Random) -> list[Case]:
    """One case of each source in turn, so that a few hold all of them; each source shuffled."""
    of_source: dict[str, list[Case]] = {}
    for case in chances.sample(cases, len(cases)):
        of_source.setdefault(case.source, []).append(case)
    longest = max(map(len, of_source.values()), default=0)
    return [case for turn in range(longest) for listed in of_source.values() for case in listed[turn : turn + 1]]


def _notes(cases: Sequence[Case], topics: Sequence[Topic], most: int, chances: Random) -> tuple[list[Held], _Stock]:
    """The notes, in chance order, and what documents are made of: what no note says."""
    split = int(_UNNOTED * len(topics))
    others = [_all_silent(topic) for topic in topics[:split]]
    pool = [(topic, text) for topic in topics[split:] for text in topic.notes]
    taken = chances.sample(pool, min(len(pool), most - len(cases)))
    chosen = {text for _, text in taken}
    listed = [Held(id="", statement=case.note, source=case.source, case=case) for case in cases]
    listed += [Held(id="", statement=text, source=topic.source, is_named=topic.is_named) for topic, text in taken]
    chances.shuffle(listed)
    held = [replace(each, id=f"n{at:05}") for at, each in enumerate(listed)]
    stock = _Stock(chances, others=[topic for topic in others if topic.silent])
    for topic in topics[split:]:
        here = tuple(text for text in topic.notes if text in chosen)
        left = tuple(text for text in topic.notes if text not in chosen)
        rest = replace(topic, notes=here, silent=(*topic.silent, *left))
        stock.noted += [rest] if here else []
        stock.spoken += [rest] if here and rest.silent else []
        stock.sentences += [] if rest.is_prose else rest.silent
    stock.sentences += [text for topic in stock.others if not topic.is_prose for text in topic.silent]
    return held, stock


def _all_silent(topic: Topic) -> Topic:
    return replace(topic, notes=(), silent=(*topic.silent, *topic.notes))


def _files(sizes: Sizes, cases: Sequence[Case], of_case: dict[str, str], stock: _Stock) -> Iterator[File]:
    consistent = int(_CONSISTENT_SHARE * sizes.documents)
    same = int(_SAME_SUBJECT_SHARE * sizes.documents)
    kinds = [CONSISTENT] * consistent + [SAME_SUBJECT] * same
    kinds += [OTHER_SUBJECT] * (sizes.documents - len(kinds) - len(cases))
    made: list[str | Case] = [*cases, *kinds]
    stock.chances.shuffle(made)
    listed = {CONSISTENT: stock.noted, SAME_SUBJECT: stock.spoken, OTHER_SUBJECT: stock.others}
    counts: Counter[str] = Counter()
    for number, each in enumerate(made):
        name = f"{number // 100:02}/d{number:04}.{'md' if number % 2 else 'txt'}"
        if isinstance(each, Case):
            text = stock.document(stock.paragraph(each.topic, [each.said]), each.topic, number)
            yield File(name=name, text=text, kind=CONTRADICTING, source=each.source, against=of_case[each.note],
                       said=each.said)  # fmt: skip
            continue
        if not listed[each]:
            raise Misconfigured(f"the data sets hold nothing for documents with {each}")
        topic = listed[each][counts[each] % len(listed[each])]
        counts[each] += 1
        among = [stock.chances.choice(topic.notes)] if each == CONSISTENT else []
        text = stock.document(stock.paragraph(topic, among), topic, number)
        yield File(name=name, text=text, kind=each, source=topic.source)


def _changed(file: File, case: Case, note: str, stock: _Stock) -> File:
    """The file with one of its paragraphs written anew, so that it contradicts a note."""
    paragraphs = file.text.rstrip("\n").split("\n\n")
    at = stock.chances.choice([at for at, text in enumerate(paragraphs) if not text.startswith("#")])
    paragraphs[at] = stock.paragraph(case.topic, [case.said])
    if paragraphs[at - 1].startswith("## "):
        paragraphs[at - 1] = f"## {case.topic.name}"
    text = "\n\n".join(paragraphs) + "\n"
    return replace(file, text=text, kind=CONTRADICTING, against=note, said=case.said)
