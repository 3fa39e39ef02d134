"""Pairs in which the document says nothing of the note: drawn at random, and on one topic but of different items.

The rule for random pairs: the two come from different items and share no word that fewer than one text in a hundred
holds. Each same-topic kind has a rule of its own that keeps its pairs silent; its docstring says which.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, pairwise
from pathlib import Path

from upheld.bench import documents, facts, records
from upheld.bench.pairs import AGREES, NEUTRAL, SILENT, Labelled, chance
from upheld.bench.records import NOW, Answer
from upheld.db.words import tokens

RANDOM, SAME_TOPIC = "random", "same topic"
_TRIES = 50
_UNCOMMON = 0.01
_SHARED = 2
_EACH_NOTE = 2
_EACH_NAME = 5  # pairs; else one country would be half of them
_SENTENCE = re.compile(r"(?:^|(?<=\s))[A-Z][^.!?\n]{30,300}[.!?](?=\s|$)")
_NAME = re.compile(r"[A-Z][\w'\u2019-]*(?:(?: (?:of|the|and|de|von|van))? [A-Z0-9][\w'\u2019-]*)*")
_CONTENT = 4  # letters of the shortest word that can name a relation


def at_random(items: Mapping[str, Sequence[tuple[str, str]]], most: int) -> Iterator[Labelled]:
    """Notes and documents of different items, (note, document) each; half of the pairs within one source."""
    chances = chance("random")
    names = [name for name, listed in items.items() if len(listed) > 1]
    common = _common(text for name in names for pair in items[name] for text in pair)
    made: set[tuple[str, str]] = set()
    for number in range(most * _TRIES if names else 0):
        if len(made) == most:
            return
        one = chances.choice(names)
        other = one if number % 2 else chances.choice(names)
        note, its_own = chances.choice(items[one])
        its_note, doc = chances.choice(items[other])
        if (note, doc) not in made and doc != its_own and its_note != note and not _shared(note, doc, common):
            made.add((note, doc))
            yield _silent(RANDOM, one if one == other else "of two sets", note, doc)


def of_scenes(pairs: Sequence[Labelled], source: str) -> Iterator[Labelled]:
    """What one premise entails, beside another premise that shares at least two uncommon words with it.

    Only entailed hypotheses are taken: where two premises tell of the same scene, they agree at worst.
    """
    notes = [pair for pair in pairs if pair.label == AGREES]
    common = _common(pair.doc for pair in pairs)
    holding: dict[str, list[str]] = {}
    for doc in dict.fromkeys(pair.doc for pair in pairs):
        for word in _words(doc) - common:
            holding.setdefault(word, []).append(doc)
    for pair in notes:
        times = Counter(doc for word in _words(pair.note) - common for doc in holding.get(word, ()) if doc != pair.doc)
        for doc, shared in times.most_common(_EACH_NOTE):
            if shared >= _SHARED:
                yield _silent(SAME_TOPIC, source, pair.note, doc)


def of_facts(folder: Path) -> Iterator[Labelled]:
    """Two facts that share a name and no word of their relation, or their whole relation and no name.

    Of the latter each holds two names or more, so that what it is about is one of them.
    """
    file = facts.read_all(folder)[-1]
    relations = {fact: _relation(fact) for fact in file.facts.values()}
    names = {fact: _names(fact) for fact in relations}
    named: dict[str, list[str]] = {}
    related: dict[frozenset[str], list[str]] = {}
    for fact, relation in relations.items():
        if relation:
            related.setdefault(relation, []).append(fact)
            for name in names[fact]:
                named.setdefault(name, []).append(fact)
    for name in sorted(named):
        apart = (pair for pair in combinations(named[name], 2) if relations[pair[0]].isdisjoint(relations[pair[1]]))
        for one, other in islice(apart, _EACH_NAME):
            yield _silent(SAME_TOPIC, f"{facts.FOLDER}, one name", one, other)
    for sharing in related.values():
        for one, other in pairwise(sharing):
            if min(len(names[one]), len(names[other])) > 1 and names[one].isdisjoint(names[other]):
                yield _silent(SAME_TOPIC, f"{facts.FOLDER}, one relation", one, other)


def of_answers(folder: Path) -> Iterator[Labelled]:
    """Present answers to the same question about different subjects, or to different questions about the same one."""
    current = [each for each in records.answers(folder) if each.at == NOW and not each.former]
    for attribute in ("place", "subject"):
        groups: dict[str, list[Answer]] = {}
        for each in current:
            groups.setdefault(getattr(each, attribute), []).append(each)
        for group in groups.values():
            for one, other in pairwise(group):
                if (one.subject == other.subject) != (one.place == other.place) and one.value != other.value:
                    yield _silent(SAME_TOPIC, f"{records.PAT}, one {attribute}", one.said, other.said)


def of_states(folder: Path) -> Iterator[Labelled]:
    """The last values of two keys of one timeline, of which no word of a key is shared."""
    timelines: dict[str, list[records.State]] = {}
    for state in records.states(folder):
        timelines.setdefault(state.timeline, []).append(state)
    seen: set[tuple[str, str]] = set()
    for group in timelines.values():
        for one, other in combinations(group, 2):
            pair = (one.labelled[-1], other.labelled[-1])
            if pair not in seen and set(one.key.split("_")).isdisjoint(other.key.split("_")):
                seen.add(pair)
                yield _silent(SAME_TOPIC, records.STATEBENCH, *pair)


def of_namesakes(folder: Path) -> Iterator[Labelled]:
    """A sentence of a passage on one bearer of a name, beside a passage on another bearer of the same name."""
    for asked in records.passages(folder):
        for (answer, text), (another, doc) in combinations(asked.right, 2):
            said = _SENTENCE.search(text)
            if said is not None and answer != another and said[0].strip() not in doc:
                yield _silent(SAME_TOPIC, records.RAMDOCS, said[0].strip(), doc)


def of_documents(folder: Path) -> Iterator[Labelled]:
    """A document's title and first sentence, beside one of its corpus that shares two uncommon words with it.

    No chain of authored replacements joins the two.
    """
    library = documents.read(folder)
    family = _families(library.documents, library.edges)
    common = _common(each.words for each in library.documents.values())
    holding: dict[tuple[str, str], list[str]] = {}
    for id, each in library.documents.items():
        for word in _words(each.words) - common:
            holding.setdefault((each.corpus, word), []).append(id)
    for id, each in library.documents.items():
        first = _SENTENCE.search(each.text)
        note = f"{each.title}: {first[0].strip()}" if first is not None and each.title else each.query
        times = Counter(
            other
            for word in _words(note) - common
            for other in holding.get((each.corpus, word), ())
            if family[other] != family[id]
        )
        for other, shared in times.most_common(_EACH_NOTE):
            if shared >= _SHARED:
                yield _silent(SAME_TOPIC, documents.FOLDER, note, library.documents[other].words)


def _families(ids: Iterable[str], edges: Iterable[tuple[str, str]]) -> dict[str, str]:
    """For each document the name of its family: all that authored replacements join, in any direction."""
    family = {id: id for id in ids}
    for old, new in edges:
        gone, kept = family[old], family[new]
        family = {id: kept if name == gone else name for id, name in family.items()}
    return family


def _silent(tag: str, source: str, note: str, doc: str) -> Labelled:
    return Labelled(part=SILENT, source=source, label=NEUTRAL, tag=tag, note=note, doc=doc)


def _words(text: str) -> set[str]:
    return set(tokens(text))


def _common(texts: Iterable[str]) -> set[str]:
    """The words that more than one text in a hundred holds."""
    listed = list(texts)
    held = Counter(word for text in listed for word in _words(text))
    return {word for word, times in held.items() if times > _UNCOMMON * len(listed)}


def _shared(one: str, other: str, common: set[str]) -> bool:
    return not (_words(one) & _words(other)) <= common


def _names(fact: str) -> set[str]:
    return set(_NAME.findall(_bare(fact)))


def _relation(fact: str) -> frozenset[str]:
    """The words of a fact that are part of no name and long enough to mean something."""
    return frozenset(word for word in tokens(_NAME.sub(" ", _bare(fact))) if len(word) >= _CONTENT)


def _bare(fact: str) -> str:
    return re.sub(r"^The (?=[a-z])", "", fact).rstrip(".")
