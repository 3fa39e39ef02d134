"""What a writer wrote, checked whole: drafts that may be staged, or everything that is wrong with them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from upheld import limits, transition
from upheld.aside import Operation, Quote, Sentence
from upheld.consolidate.covering import KIND
from upheld.consolidate.sentences import spans
from upheld.consolidate.terms import Held, Terms, terms
from upheld.errors import EvidenceMissing, Invalid, Refused
from upheld.evidence import cite
from upheld.note import MAX_SOURCES, Certainty, Citation, Draft, Note, Source
from upheld.policy import Policy
from upheld.transition import Ground, Transition

MOST_QUOTES = MAX_SOURCES - 2
"""One source names the transform, one the range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Drafts that may be staged, or why none may. `said` is the text of each sentence that was written.

    `doubtful` are drafts whose every quote is right, and that code alone finds to go beyond them: a person may tell.
    """

    drafts: tuple[Draft, ...] = ()
    problems: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    doubtful: tuple[Draft, ...] = ()


def checked(
    operation: Operation,
    written: object,
    held: Mapping[str, Held],
    *,
    named: Sequence[Source],
    by: str,
    most_chars: int,
    policy: Policy,
) -> Checked:
    """What a writer returned about notes (by id), as drafts; or everything that is wrong with it.

    `named` are the sources that name the transform and the range. Whatever an alien writer returns, this does not
    raise but where the notes share no terms.
    """
    if not isinstance(written, list | tuple):
        return Checked(problems=(f"the writer returned a {type(written).__name__} instead of sentences",))
    problems = [f"sentence {place}: {why}" for place, one in enumerate(written, 1) for why in _form(one, held)]
    said = tuple(one.text for one in written if isinstance(one, Sentence) and isinstance(one.text, str))
    if problems or not written:
        return Checked(problems=tuple(problems), said=said)
    if operation is Operation.COMPRESS:
        found = _summary(written, held, named, by=by, most_chars=most_chars, policy=policy)
    else:
        found = _guesses(written, held, named, by=by, policy=policy)
    return replace(found, said=said)


def _form(one: object, held: Mapping[str, Held]) -> Iterator[str]:
    """What is wrong with a sentence whatever it is for: its form, and quotes that are not in the notes."""
    if not isinstance(one, Sentence) or not isinstance(one.text, str) or not isinstance(one.quotes, list | tuple):
        yield "it is no Sentence with a text and quotes"
        return
    try:
        limits.statement(one.text)
    except Invalid as error:
        yield str(error)
        return
    if not one.quotes:
        yield "it stands on nothing: each sentence needs the words of a note"
    for quote in one.quotes:
        if not isinstance(quote, Quote) or not isinstance(quote.note, str) or quote.note not in held:
            yield "it quotes a note that was not given"
            continue
        try:
            cite(_citation(held[quote.note].note, quote.text))
        except (EvidenceMissing, Invalid):
            yield f"what it quotes is not in note {quote.note} to the letter"


def _citation(note: Note, text: str) -> Citation:
    return Citation(original=note.statement, ref=f"note:{note.id}", quote=text, channel=note.channel)


def _summary(
    written: Sequence[Sentence],
    held: Mapping[str, Held],
    named: Sequence[Source],
    *,
    by: str,
    most_chars: int,
    policy: Policy,
) -> Checked:
    statement = " ".join(one.text.strip() for one in written)
    beyond = tuple(
        f"sentence {place}: {why}" for place, one in enumerate(written, 1) for why in _beyond(one, held, by=by)
    )
    problems: list[str] = []
    if len(statement) > most_chars:
        problems.append(f"it has {len(statement):,} characters; at most {most_chars:,} were asked for")
    quotes = dict.fromkeys(quote for one in written for quote in one.quotes)
    if len(quotes) > MOST_QUOTES:
        problems.append(f"it stands on {len(quotes)} passages; at most {MOST_QUOTES} fit: ask for a shorter one")
    if problems:
        return Checked(problems=(*beyond, *problems))
    shared = terms([*held.values()], by, policy)
    draft = _draft(statement, quotes, held, shared, named, by=by)
    drafts = (Draft(**draft, kind=KIND, certainty=shared.certainty, extract_key=False),)
    return Checked(problems=beyond, doubtful=drafts) if beyond else Checked(drafts=drafts)


def _beyond(one: Sentence, held: Mapping[str, Held], *, by: str) -> Iterator[str]:
    """What a sentence says that the words under it do not. Words that are taken over whole say nothing new."""
    if one.text.strip() in {quote.text.strip() for quote in one.quotes}:
        return
    if len(spans(one.text)) > 1:
        yield "it is more than one sentence: give each its own quotes"
    cited = [held[quote.note].note for quote in one.quotes]
    grounds = [
        Ground(ref=f"note:{note.id}", text=note.statement, at=note.event_time, channel=note.channel, asks=False)
        for note in {note.id: note for note in cited}.values()
    ]
    sources = tuple(_citation(held[quote.note].note, quote.text) for quote in one.quotes)
    draft = Draft(statement=one.text, by=by, sources=sources, extract_key=False)
    for problem in transition.problems(Transition(evidence=grounds, drafts=[draft])):
        yield problem.why


def _guesses(
    written: Sequence[Sentence], held: Mapping[str, Held], named: Sequence[Source], *, by: str, policy: Policy
) -> Checked:
    drafts: list[Draft] = []
    problems: list[str] = []
    for place, one in enumerate(written, 1):
        evidence = {quote.note: held[quote.note] for quote in one.quotes}
        if len(evidence) < 2:
            problems.append(f"sentence {place}: it stands on one note alone; a guess needs two or more")
            continue
        try:
            shared = terms([*evidence.values()], by, policy)
        except Refused as error:
            problems.append(f"sentence {place}: {error}")
            continue
        quotes = [*dict.fromkeys(one.quotes)][:MOST_QUOTES]
        least = min(shared.confidence, policy.first_confidence[Certainty.HYPOTHESIS])
        sure = limits.confidence(one.confidence, least) if _is_share(one.confidence) else least
        about: dict[str, Any] = {"extract_key": False}
        if one.key is not None and one.value is not None:
            about = {"key": one.key, "value": one.value}
        drafts.append(
            Draft(
                **{**_draft(one.text.strip(), quotes, evidence, shared, named, by=by), "confidence": min(least, sure)},
                **about,
                kind="hypothesis",
                certainty=Certainty.HYPOTHESIS,
            )
        )
    return Checked(problems=tuple(problems)) if problems else Checked(drafts=tuple(drafts))


def _is_share(value: object) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool) and 0 <= value <= 1


def _draft(
    statement: str,
    quotes: Iterable[Quote],
    evidence: Mapping[str, Held],
    shared: Terms,
    named: Sequence[Source],
    *,
    by: str,
) -> dict[str, Any]:
    cited = tuple(_citation(evidence[quote.note].note, quote.text) for quote in quotes)
    return {
        "statement": statement,
        "scope": shared.scope,
        "by": by,
        "applies_when": shared.applies_when,
        "confidence": shared.confidence,
        "valid_from": shared.valid_from,
        "valid_to": shared.valid_to,
        # It is as old as the oldest of what it says: to say it again made nothing of it younger.
        "observed_at": shared.since,
        "expires_at": shared.expires_at,
        "sources": (*named, *cited),
        "derived_from": tuple(evidence),
    }
