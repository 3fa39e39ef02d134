"""Coverage: what the evidence asks to be added, changed or ended is in what is written, or stands already."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from upheld import keys
from upheld.note import Channel, Citation
from upheld.transition.change import Ground, Kind, Problem, Transition
from upheld.transition.keeping import speaks_of
from upheld.transition.words import content, plain, quoted, same_word, sentences, stems, values_of

__all__ = ["Ask", "asks", "uncovered"]

_SAID = 0.5
"""Which part of an asking sentence's words a statement must have to cover it."""
_REQUEST: Final = re.compile(
    r"^(?:(?:please|also|actually|and|yes|ok(?:ay)?|then|so|now|sure|instead|could you|can you|let's|i(?:'d| would) "
    r"(?:like|love) (?:you )?to|for [\w ]{1,30}),?\s*)*"
    r"(?:update|add|remove|change|set|delete|revert|include|replace|cancel|reschedule|move|rename|correct|drop|use|"
    r"remember|note|increase|decrease|raise|lower|switch|mark|schedule|make)\b",
    re.IGNORECASE,
)
_ENDING: Final = re.compile(
    r"\bno longer\b|\bn't\b[^.]*\bany ?more\b|\bnot\b[^.]*\bany ?more\b|\bused to\b|"
    r"\b(?:remove|delete|cancel|drop|forget|stop tracking|retire)\b|"
    r"\b(?:was|were|is|are|been|got|be) (?:\w+ )?(?:retired|removed|cancell?ed|decommissioned|deleted|"
    r"shut down|dropped|discontinued|completed|finished)\b|\b(?:i|we)(?:'ve| have| just| actually| already| finally)* "
    r"(?:finished|completed|cancell?ed|wrapped up|took care of|taken care of|done with)\b",
    re.IGNORECASE,
)
_CORRECTION: Final = re.compile(
    r"\b(?:correction|actual(?:ly)? (?:value )?is|instead of|rather than|changed? (?:from|to)|moved? (?:from|to)|"
    r"(?:from|to) [^.]{1,40} (?:from|to) )\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing that a text asks for: a sentence, or a whole text that was declared to ask. `ends` asks for an end."""

    ref: str
    text: str
    ends: bool = False
    declared: bool = False


def asks(ground: Ground) -> list[Ask]:
    """What a text asks to be written, by code: what states a key, corrects, requests a change or ends something.

    >>> [each.text for each in asks(Ground(ref="m", text="Hi there! The port of orders is 6432. How are you?"))]
    ['The port of orders is 6432.']
    """
    if ground.asks is False or (ground.asks is None and ground.channel is Channel.AGENT):
        return []
    found = []
    for sentence in sentences(plain(ground.text)):
        if sentence.endswith("?"):
            continue
        ends = _ENDING.search(sentence) is not None
        key = keys.extract(sentence)
        stated = key is not None and key.subject not in ("this", "that", "it")
        asked = ends or stated or _REQUEST.match(sentence) is not None or _CORRECTION.search(sentence) is not None
        if asked and (content(sentence) or values_of(sentence)):
            found.append(Ask(ground.ref, sentence, ends and not _has_new(sentence)))
    if ground.asks and not found:
        found.append(Ask(ground.ref, ground.text, declared=True))
    return found


def _has_new(sentence: str) -> bool:
    """Whether a sentence that ends something also says what comes instead."""
    return (
        bool(re.search(r"\b(?:but|instead|now|to)\b", sentence.partition("used to")[2]))
        if "used to" in sentence
        else False
    )


def uncovered(transition: Transition) -> Iterator[Problem]:
    """What is asked for and neither written nor standing already."""
    written = [plain(draft.statement + (f" {draft.value}" if draft.value else "")) for draft in transition.drafts]
    falling = {*transition.retires, *(id for draft in transition.drafts for id in draft.supersedes)}
    fallen = [note for note in transition.before if note.id in falling]
    standing = [note.statement for note in transition.before if note.id not in falling]
    cited = _cited(transition)
    for ground in transition.evidence:
        for ask in asks(ground):
            if ask.declared and cited.get(ground.ref):
                continue
            if _is_covered(ask, written, [note for note in fallen if speaks_of(ask.text, note)], standing, cited):
                continue
            kept = ask.text if len(ask.text) <= 160 else ask.text[:157] + "..."
            end = "ends, and nothing of it falls" if ask.ends else "says, and nothing that is written says it"
            yield Problem(kind=Kind.COVERAGE, subject=ground.ref, why=f"{ground.ref} {end}: {kept!r}")


def _cited(transition: Transition) -> dict[str, list[tuple[str, str]]]:
    """What drafts cite of each ground: the statement of the draft, and the words it cites."""
    found: dict[str, list[tuple[str, str]]] = {}
    for draft in transition.drafts:
        for source in draft.sources:
            quote = source.quote if isinstance(source, Citation) else source.excerpt
            found.setdefault(source.ref, []).append((draft.statement, quote or ""))
        for id in draft.derived_from:
            found.setdefault(id, []).append((draft.statement, ""))
    return found


def _is_covered(
    ask: Ask,
    written: Sequence[str],
    fallen: Sequence[object],
    standing: Sequence[str],
    cited: dict[str, list[tuple[str, str]]],
) -> bool:
    if ask.ends:
        return bool(fallen) or any(_ENDING.search(text) is not None and _says(text, ask.text) for text in written)
    if fallen and not values_of(ask.text):
        return True
    by_citation = [statement for statement, _ in cited.get(ask.ref, ())]
    return any(_says(text, ask.text, among=text in by_citation) for text in written) or any(
        _says(text, ask.text) for text in standing
    )


def _says(text: str, asked: str, *, among: bool = False) -> bool:
    """Whether a statement says what a sentence asks: one of its last values if it has any, and enough of its words."""
    values = [value for value in values_of(asked) if value.sort != "day"]
    there = {value.form for value in values_of(text)} | {v.amount for v in values_of(text) if v.amount}
    if values and not any(value.form in there or value.amount in there for value in values):
        return False
    names = [word for quote in quoted(asked) for word in content(quote)]
    wanted = set(names) or set(content(asked))
    known = stems(text)
    found = sum(same_word(word, known) for word in wanted)
    if among:
        return found > 0 or bool(values)
    return found >= _SAID * len(wanted)
