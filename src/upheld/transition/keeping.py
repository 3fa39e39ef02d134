"""Preservation: what falls was spoken of, and what nobody spoke of stays as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from upheld.keys.words import LEMMAS
from upheld.note import Draft, Note
from upheld.transition import claims
from upheld.transition.change import Keyed, Kind, Problem, Transition, keyed, overlaps, spans
from upheld.transition.words import content, plain, quoted, same_word, sentences, spoken, stems, values_of

__all__ = ["lost", "speaks_of"]

_SPOKEN, _QUOTED = 0.5, 0.8
"""Which part of a note's things and values a text must have to speak of it; or a note of a quote's."""


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
        if not named and not any(_ends(text, note) for text in texts):
            yield Problem(kind=Kind.PRESERVATION, subject=id, why="it falls, and nothing in the evidence speaks of it")


def _ends(text: str, note: Note) -> bool:
    """Whether a text changes what a note says; where it names all of it, how it says that need not be known."""
    return speaks_of(text, note, most=_SPOKEN if claims.changes(text) else _QUOTED)


def _windows(texts: Sequence[str]) -> list[str]:
    """Each sentence, and each with the one behind it: what is said in two steps is said."""
    return [*texts, *(f"{first} {second}" for first, second in pairwise(texts))]


def _same_key(key: Keyed, note: Note) -> bool:
    return key.has_key and (key.subject, key.attribute) == (note.subject_key, note.attribute_key)


def _replaces(draft: Draft, key: Keyed, note: Note, own: list[str]) -> bool:
    """Whether a draft may take the place of a note: it has its key, or the two speak of one thing that changed."""
    if _same_key(key, note) or _is_again(draft, note):
        return True
    changing = [text for text in own if claims.changes(text)]
    said = plain(draft.statement)
    return any(speaks_of(text, note) for text in changing) or (bool(changing) and speaks_of(said, note))


def _is_again(draft: Draft, note: Note) -> bool:
    """Whether a draft says word for word what a note says: nothing is lost where one takes the other's place."""
    return spoken(plain(draft.statement).lower()) == spoken(plain(note.statement).lower())


def speaks_of(text: str, note: Note, *, most: float = _SPOKEN) -> bool:
    """Whether a text has most of what tells a note from others: its things and values, not what is done with them.

    A quote speaks of the note that has its words, and of no other that shares some.
    """
    statement = plain(note.statement)
    quotes = [content(quote) for quote in quoted(text) if content(quote)]
    if quotes:
        there = stems(statement)
        if any(sum(same_word(word, there) for word in quote) >= _QUOTED * len(quote) for quote in quotes):
            return True
    about = text
    for quote in quoted(text):
        about = about.replace(quote, " ")
    words = set(content(statement))
    things = {word for word in words if word not in LEMMAS} or words
    values = {value.form for value in values_of(statement) if value.sort != "day"}
    there = stems(about)
    found = sum(same_word(word, there) for word in things) + len(values & {v.form for v in values_of(about)})
    return found >= (_QUOTED if quotes else most) * len(things | values) and found > 0
