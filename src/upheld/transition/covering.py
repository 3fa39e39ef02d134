"""Coverage: what the evidence asks to be added, changed or ended is in what is written, or stands already."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from upheld import keys
from upheld.note import Channel, Citation, Draft, Note
from upheld.transition import claims
from upheld.transition.change import Ground, Kind, Problem, Transition
from upheld.transition.keeping import speaks_of
from upheld.transition.words import content, plain, quoted, same_word, sentences, stems, values_of

__all__ = ["Ask", "asks", "uncovered"]

_SAID, _CITED = 0.7, 0.5
"""Which part of an asking sentence's words a statement must have to cover it; and one that cites its ground."""
_REQUEST: Final = re.compile(
    r"^(?:(?:please|also|actually|and|yes|ok(?:ay)?|then|so|now|sure|instead|could you|can you|let's|i(?:'d| would) "
    r"(?:like|love) (?:you )?to|for [\w ]{1,30}),?\s*)*"
    r"(?:update|add|remove|change|set|delete|revert|include|replace|cancel|reschedule|move|rename|correct|drop|use|"
    r"remember|note|increase|decrease|raise|lower|switch|mark|schedule|make)\b",
    re.IGNORECASE,
)
_POINTING: Final = re.compile(
    r"^\W*(?:(?:please|also|yes|and|so|well)\W+)*(?:that|this|it|they|these|those)\b|\b(?:it|that|this|them)\W*$|"
    r"\b(?:remove|delete|drop|cancel|mark|update|change|move|keep) (?:it|that|this|them)\b",
    re.IGNORECASE,
)
_TURNS: Final = (re.compile(r"\b(?:but|instead|now)\b", re.IGNORECASE), re.compile(r"\bto\b", re.IGNORECASE))
_PARTS: Final = re.compile(r",\s+(?:and\s+)?|;\s+|\s+and\s+(?=(?:the|an?|our|to|[A-Z#])\b)|:\s+|[.!?]\s+")


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing that a text asks for: a sentence, or a whole text that was declared to ask.

    `ends` asks for an end. What only states something, and no value, is not `firm`: who cites it has heard it.
    `about` also has what was said before, where the text speaks of *it*: alone it does not say of what.
    """

    ref: str
    text: str
    ends: bool = False
    firm: bool = True
    about: str = ""


def asks(ground: Ground) -> list[Ask]:
    """What a text asks to be written, by code: what states a key, corrects, requests a change or ends something.

    >>> [each.text for each in asks(Ground(ref="m", text="Hi there! The port of orders is 6432. How are you?"))]
    ['The port of orders is 6432.']
    """
    if ground.asks is False or (ground.asks is None and ground.channel is Channel.AGENT):
        return []
    found = []
    before = ""
    for sentence in sentences(plain(ground.text)):
        before = f"{before} {sentence}".lstrip()
        about = before if claims.points_back(sentence) else sentence
        if sentence.endswith("?"):
            continue
        ends = claims.ends(sentence)
        key = keys.extract(sentence)
        stated = key is not None and key.subject not in ("this", "that", "it")
        requested = _REQUEST.match(sentence) is not None and _POINTING.search(sentence) is None
        firm = ends or requested or claims.corrects(sentence)
        if (firm or stated) and (content(sentence) or values_of(sentence)):
            found.append(Ask(ground.ref, sentence, ends and not _has_new(sentence), firm, about))
    if len(found) > 1:
        found = [ask for ask in found if _POINTING.search(ask.text) is None] or found[:1]
    if ground.asks:
        found = [ask for ask in found if ask.firm]
        found.append(Ask(ground.ref, plain(ground.text), firm=False))
    return found


def _has_new(sentence: str) -> bool:
    """Whether a sentence that ends something also says what comes instead."""
    _, _, rest = sentence.partition("used to")
    turn = next((found for each in _TURNS if (found := each.search(rest)) is not None), None)
    return turn is not None and not all(map(_only_ends, claims.clauses(rest[turn.start() :])))


def _only_ends(clause: str) -> bool:
    """Whether a clause says that something named before is over, or is not liked, and nothing else."""
    return claims.points_back(clause) and (
        claims.negated(clause) or claims.is_over(clause) or claims.leaning(clause) < 0
    )


def uncovered(transition: Transition) -> Iterator[Problem]:
    """What is asked for and neither written nor standing already."""
    written = [_said(draft) for draft in transition.drafts]
    falling = {*transition.retires, *(id for draft in transition.drafts for id in draft.supersedes)}
    fallen = [note for note in transition.before if note.id in falling]
    standing = [note for note in transition.before if note.id not in falling]
    cited = _cited(transition)
    for ground in transition.evidence:
        for ask in asks(ground):
            if ground.asks and not ask.firm and (writers := cited.get(ground.ref)):
                if missing := _missing(ask.text, writers):
                    yield Problem(
                        kind=Kind.COVERAGE, subject=ground.ref, why=f"{ground.ref}: {missing!r} is not written"
                    )
                continue
            if _is_covered(
                ask, written, [note for note in fallen if speaks_of(ask.about or ask.text, note)], standing, cited
            ):
                continue
            kept = ask.text if len(ask.text) <= 160 else ask.text[:157] + "..."
            end = "ends, and nothing of it falls" if ask.ends else "says, and nothing that is written says it"
            yield Problem(kind=Kind.COVERAGE, subject=ground.ref, why=f"{ground.ref} {end}: {kept!r}")


def _said(draft: Draft) -> str:
    """A draft with the words of its key, under which its value says what it says."""
    key = "" if draft.key is None else f"{draft.key.subject} {draft.key.attribute}: {draft.value or ''} "
    return plain(f"{key}{draft.statement}")


def _cited(transition: Transition) -> dict[str, list[tuple[str, str]]]:
    """What drafts cite of each ground: the statement of the draft, and the words it cites."""
    found: dict[str, list[tuple[str, str]]] = {}
    for draft in transition.drafts:
        for source in draft.sources:
            quote = source.quote if isinstance(source, Citation) else source.excerpt
            found.setdefault(source.ref, []).append((_said(draft), quote or ""))
        for id in draft.derived_from:
            found.setdefault(id, []).append((_said(draft), ""))
    return found


def _missing(text: str, writers: Sequence[tuple[str, str]]) -> str | None:
    """The part of a list that none of several statements says, where they split a text among them."""
    if len(writers) < 2:
        return None
    known = stems(" ".join(statement for statement, _ in writers))
    for part in _PARTS.split(text):
        words = content(part)
        if len(words) > 1 and sum(same_word(word, known) for word in words) < _CITED * len(words):
            return part.strip()
    return None


def _is_covered(
    ask: Ask,
    written: Sequence[str],
    fallen: Sequence[Note],
    standing: Sequence[Note],
    cited: dict[str, list[tuple[str, str]]],
) -> bool:
    if ask.ends and fallen:
        return True
    if ask.ends and any(speaks_of(ask.text, note) for note in standing):  # what it ends still stands
        return any(claims.ends(text) and _says(text, ask.text) for text in written)
    if fallen and not (ask.firm and values_of(ask.text)):
        return True
    if ask.ends and cited.get(ask.ref):
        return True
    by_citation = [statement for statement, _ in cited.get(ask.ref, ())]
    return any(_says(text, ask.text, among=text in by_citation) for text in written) or any(
        _says(plain(note.statement), ask.text) for note in standing
    )


def _says(text: str, asked: str, *, among: bool = False) -> bool:
    """Whether a statement says what a sentence asks: one of its last values if it has any, and enough of its words."""
    values = [value for value in values_of(asked) if value.sort != "day"]
    there = {value.form for value in values_of(text)} | {v.amount for v in values_of(text) if v.amount}
    told = [value.form in there or value.amount in there for value in values]
    names = [word for quote in quoted(asked) for word in content(quote)]
    wanted = set(names) or set(content(asked))
    known = stems(text)
    found = sum(same_word(word, known) for word in wanted)
    if among:
        return any(told) if values else found > 0
    return all(told) and found >= _SAID * len(wanted) and bool(wanted or values)
