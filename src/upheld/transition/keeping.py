"""Preservation: what falls was spoken of, and what nobody spoke of stays as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from upheld.note import Draft, Note
from upheld.transition import claims
from upheld.transition.change import Keyed, Kind, Problem, Transition, keyed, overlaps, spans
from upheld.transition.words import content, plain, same_word, sentences, stems, values_of

__all__ = ["lost", "speaks_of"]

_SPOKEN = 0.34
"""Which part of a note's words a text must have to speak of it."""


def lost(transition: Transition) -> Iterator[Problem]:
    """Standing notes that would fall although nothing speaks of them."""
    notes = {note.id: note for note in transition.before}
    asking = [ground for ground in transition.evidence if ground.asks is not False]
    texts = [text for ground in asking for text in _windows(sentences(plain(ground.text)))]
    done: set[str] = set()
    for place, draft in enumerate(transition.drafts):
        key = keyed(draft)
        own = [text for span in spans(transition, draft) for text in _windows(span.whole)]
        for id in draft.supersedes:
            note = notes.get(id)
            if note is None or id in done:
                continue
            done.add(id)
            if not _replaces(draft, key, note, own):
                why = f"it falls to draft {place}, which speaks of something else"
                yield Problem(kind=Kind.PRESERVATION, subject=id, why=why)
            elif not overlaps(key, note):
                why = f"it falls to draft {place}, which holds under other conditions"
                yield Problem(kind=Kind.PRESERVATION, subject=id, why=why)
    for id in dict.fromkeys(transition.retires):
        note = notes.get(id)
        if note is None or id in done:
            continue
        named = any(_same_key(keyed(draft), note) and overlaps(keyed(draft), note) for draft in transition.drafts)
        if not named and not any(claims.changes(text) and speaks_of(text, note) for text in texts):
            yield Problem(kind=Kind.PRESERVATION, subject=id, why="it falls, and nothing in the evidence speaks of it")


def _windows(texts: Sequence[str]) -> list[str]:
    """Each sentence, and each with the one behind it: what is said in two steps is said."""
    return [*texts, *(f"{first} {second}" for first, second in pairwise(texts))]


def _same_key(key: Keyed, note: Note) -> bool:
    return key.has_key and (key.subject, key.attribute) == (note.subject_key, note.attribute_key)


def _replaces(draft: Draft, key: Keyed, note: Note, own: list[str]) -> bool:
    """Whether a draft may take the place of a note: it has its key or speaks of it, or its evidence ends it."""
    if _same_key(key, note):
        return True
    return speaks_of(plain(draft.statement), note) or any(
        claims.changes(text) and speaks_of(text, note) for text in own
    )


def speaks_of(text: str, note: Note) -> bool:
    """Whether a text has enough of a note's words, or a value of it beside one of them."""
    wanted = set(content(note.statement))
    if not wanted:
        return bool({v.form for v in values_of(text)} & {v.form for v in values_of(note.statement)})
    there = stems(text)
    found = sum(same_word(word, there) for word in wanted)
    values = {v.form for v in values_of(text) if v.sort != "day"} & {v.form for v in values_of(note.statement)}
    return found >= _SPOKEN * len(wanted) or (found > 0 and bool(values))
