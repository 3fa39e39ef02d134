"""What the world of the sweep is made of: contradictions that the data sets vouch for, and statements that hold.

That a document contradicts a note is never told by the library's own reading. Keys are used only to leave out: of
statements that hold, one is kept for each key, and none with the key of a case, so that little contradicts by accident.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

from upheld.bench import documents, facts, records
from upheld.bench.pairs import claim_of
from upheld.bench.records import NOW, THEN, Answer
from upheld.errors import Misconfigured, UpheldError

_SENTENCE = re.compile(r"(?:^|(?<=[.!?] ))[A-Z][^.!?\n\[\]]{30,300}(?<=\w{4})[.!?](?=\s|$)")  # "St." ends none
_BROKEN = re.compile(r" [,.)']|``|\( ")  # what a tokenizer left
_NAME = re.compile(r"[A-Z0-9][\w'\u2019-]*")
_TITLE = re.compile(r"[A-Z0-9][\w'\u2019.-]*(?:,?(?: (?:of|the|and|de|von|van))* [A-Z0-9][\w'\u2019.-]*)*")
_UNNAMED = re.compile(r"Q\d+")
_PASSAGE = 400
_LONG = 350  # characters above which a text is a passage, not a statement with a key
_EACH_PASSAGE = 3
_PLAIN = re.compile(r"[A-Za-z]+")
_PROSE = (documents.FOLDER, records.RAMDOCS)
_OUT = ("obsolete", "superseded", "replaced", "deprecated", "retracted", "moved")


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A subject: statements of it that hold and may be notes, and texts on it that say nothing of those.

    `is_named` says that each statement names what it is about; a sentence out of a passage may not.
    """

    name: str
    source: str
    notes: Sequence[str] = ()
    silent: Sequence[str] = ()
    is_named: bool = True

    @property
    def is_prose(self) -> bool:
        """Whether its texts are passages; those of the other sources are single sentences."""
        return self.source in _PROSE


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A note, and words of a document that contradict it. The topic holds what else the document may say."""

    source: str
    tag: str
    topic: Topic
    note: str
    said: str


_Found = tuple[list[Case], list[Topic]]


def read(data: Path) -> _Found:
    """All cases and topics of the sets in a folder. Raises `Misconfigured` where none of them is there.

    Answers about what a fact names are left out: many facts are made up, and would contradict them in other words.
    """
    readers = {facts.FOLDER: _facts, documents.FOLDER: _documents, records.RAMDOCS: _passages, records.PAT: _answers}
    there = {name: make for name, make in readers.items() if (data / name).is_dir()}
    if not there:
        raise Misconfigured(f"none of the data sets of this suite is in {data}; --data names the folder they lie in")
    cases: list[Case] = []
    topics: list[Topic] = []
    for name, make in there.items():
        some, about = make(data / name)
        cases += some
        topics += about
    named = "\n".join(text for each in topics if each.source == facts.FOLDER for text in (*each.notes, *each.silent))
    named += "\n".join(case.note for case in cases if case.source == facts.FOLDER)
    cases = [case for case in cases if case.source != records.PAT or case.topic.name not in named]
    return _apart(cases, [each for each in topics if each.source != records.PAT or each.name not in named])


def cut(text: str, room: int) -> str:
    """As many whole sentences as fit into so many characters; where not even one does, its words and three dots.

    >>> cut("One. Two. Three.", 12), cut("One two three.", 9)
    ('One. Two.', 'One two...')
    """
    if len(text) <= room:
        return text
    ends = [match.end() for match in re.finditer(r"[.!?](?=\s)", text) if match.end() <= room]
    return text[: ends[-1]] if ends else f"{text[: room + 1].rpartition(' ')[0]}..."


def _apart(cases: Sequence[Case], topics: Sequence[Topic]) -> _Found:
    """Each statement once, one for each key, and no key of a case; a case whose note another one has is left out."""
    single: dict[object, Case] = {}
    for case in cases:
        single.setdefault(_key(case.note), case)
    taken = {*single, *(case.said for case in cases)}
    kept: list[Topic] = []
    for topic in topics:
        holding: dict[str, list[str]] = {"notes": [], "silent": []}
        for part, texts in (("notes", topic.notes), ("silent", topic.silent)):
            for text in texts:
                key = _key(text) if len(text) < _LONG else text
                if key is not None and key not in taken:
                    taken.add(key)
                    holding[part].append(text)
        kept.append(replace(topic, notes=tuple(holding["notes"]), silent=tuple(holding["silent"])))
    cases = [replace(case, topic=_silenced(case)) for key, case in single.items() if key is not None]
    return cases, [topic for topic in kept if topic.notes or topic.silent]


def _silenced(case: Case) -> Topic:
    mine = {case.note, case.said, _key(case.note)}
    silent = tuple(text for text in case.topic.silent if text not in mine and _key(text) not in mine)
    return replace(case.topic, notes=(), silent=silent)


def _key(text: str) -> object:
    """What a statement is about, or the statement itself; None where no store would take it."""
    try:
        claim = claim_of(text)
    except UpheldError:
        return None
    return text if claim.attribute_key is None else (claim.subject_key, claim.attribute_key)


def _facts(folder: Path) -> _Found:
    """Older facts and the one that holds; of all other facts the last of each that differ in their end alone."""
    files = facts.read_all(folder)
    cases: list[tuple[str, str]] = []
    stems: set[str] = set()
    for file in files:
        for question, accepted in file.questions:
            about = facts.subject(question, accepted, file.facts)
            if about is not None and about.older:
                old, new = file.facts[about.older[-1]], file.facts[about.latest]
                stem = _start(old, new)
                if stem not in stems:
                    cases.append((old, new))
                    stems.add(stem)
    held = [text for text in _last(files[-1].facts) if not text.startswith(tuple(f"{stem} " for stem in stems))]
    named: dict[str, list[str]] = {}
    for text in held:
        named.setdefault(_subject(text), []).append(text)
    topics = [
        Topic(name=name, source=facts.FOLDER, notes=texts[::2], silent=texts[1::2]) for name, texts in named.items()
    ]
    found = []
    for old, new in cases:
        name = _subject(old)
        topic = Topic(name=name, source=facts.FOLDER, silent=named.get(name, ())[1::2])
        found.append(Case(source=facts.FOLDER, tag="changed", topic=topic, note=old, said=new))
    return found, topics


def _last(numbered: Mapping[int, str]) -> list[str]:
    """Of facts that are equal up to their last name or word, the last; a fact without a key may hide behind another."""
    kept: dict[object, str] = {}
    for _, text in sorted(numbered.items()):
        kept[_key(text)] = text
    ordered = sorted(kept.values())
    alike = {
        text
        for one, text in pairwise(ordered)
        if (start := _start(one, text))
        and not text[len(start) + 1 :].split(" ")[0].islower()
        and start.split(" ")[-1].islower()
        and any(word[0].isupper() for word in start.split(" ")[1:])
    }
    return [text for text in kept.values() if text not in alike]


def _start(one: str, other: str) -> str:
    """The words that both begin with."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one.split(" "), other.split(" "), strict=False))
    return " ".join(word for word, _ in alike)


def _subject(fact: str) -> str:
    found = _TITLE.search(fact.removeprefix("The "))
    return fact if found is None else found[0]


def _documents(folder: Path) -> _Found:
    """Proposals of which another took the place; of all others title, status and day, and their own summaries."""
    library = documents.read(folder)
    status = {
        (str(line.get("corpus")), str(line.get("id"))): str(line.get("status") or "")
        for line in _lines(folder / documents.DOCUMENTS)
    }
    names = {id: _numbered(each) for id, each in library.documents.items()}
    replaced = {old for old, _ in library.edges}
    cases: list[Case] = []
    for number, (old, new) in enumerate(library.edges):
        one, other = library.documents[old], library.documents[new]
        if not (names[old] and names[new] and one.title and other.title) or one.title == other.title:
            continue
        topic = Topic(name=f"{names[old]}: {one.title}", source=documents.FOLDER, silent=_summary(one.text))
        was = status[one.corpus, one.number]
        if number % 2 and _PLAIN.fullmatch(was) and was.lower() not in _OUT:
            note, said = f"The status of {names[old]} is {was}.", f"The status of {names[old]} is Superseded."
            tag = "status"
        else:
            note = f"{names[old]} ({one.title}) is in use."
            said = f"{names[old]} ({one.title}) is no longer in use; {names[new]} ({other.title}) replaced it."
            tag = "replaced"
        cases.append(Case(source=documents.FOLDER, tag=tag, topic=topic, note=note, said=said))
    topics: dict[str, Topic] = {}
    for id, each in library.documents.items():
        if id not in replaced and names[id] and names[id] not in topics:
            topics[names[id]] = Topic(
                name=f"{names[id]}: {each.title}".strip(": "),
                source=documents.FOLDER,
                notes=tuple(_sayings(names[id], each, status[each.corpus, each.number])),
                silent=_summary(each.text),
            )
    return cases, [*topics.values()]


def _numbered(each: documents.Document) -> str:
    digits = re.match(r"\d+", each.number)
    return f"{each.corpus.upper()}-{digits[0]}" if digits is not None else ""


def _sayings(name: str, each: documents.Document, status: str) -> Iterator[str]:
    if each.title and "\n" not in each.title:
        yield f"The title of {name} is {each.title}."
    if _PLAIN.fullmatch(status):
        yield f"The status of {name} is {status}."
    if each.created is not None:
        yield f"{name} was created on {each.created.day} {each.created:%B %Y}."


def _summary(text: str) -> tuple[str, ...]:
    return tuple(filter(None, [cut(_flat(text), _PASSAGE)]))


def _flat(text: str) -> str:
    """A text as one paragraph; the marks of headings in it would make headings of paragraphs."""
    return " ".join(text.replace("#", " ").split())


def _passages(folder: Path) -> _Found:
    """A sentence with an answer, and a passage that has it with a wrong one; passages on all bearers of other names.

    The sentence holds every name of the question, so that it says of what it speaks.
    """
    cases: list[Case] = []
    topics: list[Topic] = []
    for path in sorted(folder.glob("*.jsonl")):
        for asked in _lines(path):
            found = next(_wrong(asked), None)
            right = [
                (str(each["answer"]), str(each["text"])) for each in asked["documents"] if each["type"] == "correct"
            ]
            name = " ".join(_names(str(asked["question"])))
            if found is not None:
                cases.append(found)
            elif name:
                topics += _bearers(name, right)
    return cases, topics


def _wrong(asked: Mapping[str, Any]) -> Iterator[Case]:
    names = _names(str(asked["question"]))
    topic = Topic(name=" ".join(names), source=records.RAMDOCS)
    of_type = {
        kind: [(str(each["answer"]), str(each["text"])) for each in asked["documents"] if each["type"] == kind]
        for kind in ("correct", "misinfo")
    }
    for (answer, right), (another, wrong) in ((r, w) for r in of_type["correct"] for w in of_type["misinfo"]):
        for match in _SENTENCE.finditer(right):
            said = match[0].replace(answer, another)
            named = all(name in said for name in names) and not re.search(rf"\([^)]*{re.escape(answer)}", match[0])
            if names and said != match[0] and said in wrong and named:
                at = max(0, wrong.find(said) - _PASSAGE // 2)
                at = wrong.find(" ", at) + 1 if at else 0
                passage = cut(_flat(wrong[at:]), _PASSAGE)
                if said in passage:
                    yield Case(source=records.RAMDOCS, tag="wrong passage", topic=topic, note=match[0], said=passage)


def _names(question: str) -> list[str]:
    return _NAME.findall(question.partition(" ")[2])


def _bearers(name: str, right: Sequence[tuple[str, str]]) -> Iterator[Topic]:
    """A topic for each answer: its sentences may be notes, and passages on other bearers of the name say nothing."""
    for answer in dict.fromkeys(answer for answer, _ in right):
        own = [text for each, text in right if each == answer and not _BROKEN.search(text)]
        others = [text for each, text in right if each != answer]
        sentences = [match[0] for text in own for match in [*_SENTENCE.finditer(text)][:_EACH_PASSAGE]]
        naming = {said: all(each in said for each in name.split(" ")) for said in sentences}
        silent = tuple(cut(_flat(text), _PASSAGE) for text in others)
        for is_named in (True, False):
            notes = tuple(said for said, names in naming.items() if names == is_named)
            yield Topic(name=name, source=records.RAMDOCS, notes=notes, silent=silent, is_named=is_named)


def _answers(folder: Path) -> _Found:
    """Answers of 2021 that were others in 2023, said as they are, as ended or as replaced; all answers that stayed."""
    listed = records.answers(folder)
    then, now = (_present(listed, at) for at in (THEN, NOW))
    changed = {asked for asked, new in now.items() if asked in then and then[asked].value != new.value}
    former = {(each.subject, each.place): each for each in listed if each.at == NOW and each.former}
    of_subject: dict[str, list[Answer]] = {}
    for asked, each in now.items():
        if asked not in changed:
            of_subject.setdefault(each.subject, []).append(each)
    topics = []
    for subject, held in of_subject.items():
        before = [former[each.subject, each.place] for each in held if (each.subject, each.place) in former]
        silent = tuple(each.said for each in before)
        topics.append(Topic(name=subject, source=records.PAT, notes=tuple(each.said for each in held), silent=silent))
    cases = []
    for number, (old, new) in enumerate((then[asked], now[asked]) for asked in sorted(changed)):
        forms = (("changed", new.said), ("ended", _one(old.endings(), number)),
                 ("replaced", _one(old.replacements(new.value), number)))  # fmt: skip
        tag, said = forms[number % len(forms)]
        topic = Topic(name=old.subject, source=records.PAT)
        cases.append(Case(source=records.PAT, tag=tag, topic=topic, note=old.said, said=said))
    return cases, topics


def _present(listed: Iterable[Answer], at: object) -> dict[tuple[str, str], Answer]:
    named = (each for each in listed if each.at == at and not each.former and not _UNNAMED.fullmatch(each.value))
    return {(each.subject, each.place): each for each in named}


def _one(forms: Sequence[str], number: int) -> str:
    return forms[number // 3 % len(forms)]


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            read = json.loads(line)
            if isinstance(read, dict):
                yield read
