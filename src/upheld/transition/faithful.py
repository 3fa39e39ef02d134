"""Faithfulness: no value, name, word or certainty goes beyond the evidence, and no condition is lost on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import pairwise

from upheld.doubt import is_guess
from upheld.keys.words import LEMMAS
from upheld.note import Certainty, Channel, Draft
from upheld.transition import claims
from upheld.transition.change import Keyed, Kind, Problem, Span, Transition, keyed, spans
from upheld.transition.dates import days_of, is_said
from upheld.transition.words import (
    Value,
    content,
    names,
    plain,
    quoted,
    same_word,
    sentences,
    spoken,
    stems,
    values_of,
    weekdays,
)
from upheld.values import canonical

__all__ = ["unfaithful"]

_MOST_NEW = 0.32
"""Which part of the words of a statement may be new: another way to say the same."""
_MOST_NEW_IN_VALUE = 0.26
_LONGEST_LABEL = 60
_UNSURE = "its evidence is not sure of it, and it is stated as sure"
_ENTITLED = frozenset({Channel.SYSTEM_OF_RECORD, Channel.DOCUMENT, Channel.PERSON})


def unfaithful(transition: Transition) -> Iterator[Problem]:
    """What drafts say beyond what they rest on."""
    for place, draft in enumerate(transition.drafts):
        for why in dict.fromkeys(_reasons(transition, draft)):
            yield Problem(kind=Kind.FAITHFULNESS, subject=place, why=why)


def _reasons(transition: Transition, draft: Draft) -> Iterator[str]:
    own = [span for span in spans(transition, draft) if span.whole]
    if not own:
        yield "it rests on no evidence"
        return
    text = " ".join(sentence for span in own for sentence in span.whole)
    key = keyed(draft)
    around = _around(transition, draft, key)
    statement = plain(draft.statement)
    said = (statement, *([key.said] if key.said and key.said not in statement else []))
    for each in said:
        yield from _values(each, text, own)
        yield from _quotes(each, text)
        yield from _names(each, text, around)
    yield from _times(draft, own)
    yield from _words(draft, key, text, around)
    evidence = [sentence for span in own for sentence in span.whole]
    for sentence in sentences(statement):
        whole = [at for at, other in enumerate(evidence) if _is_whole(sentence, other)]
        if not whole:
            yield from _claims(draft, sentence, evidence)
        elif not _is_unsure(draft) and all(any(map(claims.doubts_itself, evidence[at + 1 : at + 2])) for at in whole):
            yield _UNSURE
    if draft.certainty is Certainty.CONFIRMED and not any(span.channel in _ENTITLED for span in own):
        yield "it is called confirmed, and rests on nobody who may confirm"


def _around(transition: Transition, draft: Draft, key: Keyed) -> str:
    """What may give a draft its subject and its other words: other evidence, the notes it goes on from."""
    named = {*draft.supersedes, *draft.depends_on, *draft.derived_from}
    near = [
        note.statement
        for note in transition.before
        if note.id in named or (key.subject is not None and note.subject_key == key.subject)
    ]
    return plain(" ".join((*(ground.text for ground in transition.evidence), *near)))


def _values(said: str, text: str, own: Sequence[Span]) -> Iterator[str]:
    known = values_of(text)
    days = {day for span in own for day in days_of(" ".join(span.whole), span.at)}
    told = {day for span in own for day in days_of(" ".join(span.whole), span.at, spoken_on=False)}
    yield from _pairs(said, text)
    for value in values_of(said):
        if value.sort == "date":
            found = is_said(value.form, days)
        elif value.sort == "day":
            found = any(other.form == value.form for other in known) or _is_weekday(value.form, told)
        else:
            found = _is_known(value, known) or _in_a_date(value, known)
        if not found:
            yield f"{value.text!r} is not in its evidence"


def _pairs(said: str, text: str) -> Iterator[str]:
    """A date goes with its own weekday; a day that is named twice is named twice in the evidence."""
    days, known = weekdays(said), weekdays(text)
    for day, called in days.items():
        if day in known and not called <= known[day]:
            yield f"{' '.join(sorted(called))} is not the weekday that its evidence gives that date"
    times = Counter(value.form for value in values_of(said) if value.sort == "day")
    there = Counter(value.form for value in values_of(text) if value.sort == "day")
    for name, count in times.items():
        if count > there[name] > 0:
            yield f"{name!r} is not so often in its evidence"


def _is_known(value: Value, known: Sequence[Value]) -> bool:
    """Whether a value is there in any notation; the same amount of another unit is another value."""
    for other in known:
        if other.form == value.form:
            return True
        if value.amount and other.amount == value.amount and not (value.unit and other.unit):
            return True
    return False


def _in_a_date(value: Value, known: Sequence[Value]) -> bool:
    """Whether a bare number is the year of a date that is there."""
    return (
        value.sort == "number"
        and not value.unit
        and any(
            other.sort in ("date", "part") and value.amount and other.form.startswith(f"{value.amount}-")
            for other in known
        )
    )


def _is_weekday(name: str, days: Iterable[str]) -> bool:
    return any(len(day) == 10 and f"{date.fromisoformat(day):%A}".lower() == name for day in days)


def _quotes(said: str, text: str) -> Iterator[str]:
    folded = canonical(text)
    for quote in quoted(said):
        if canonical(quote) not in folded and quote.lower() not in text.lower():
            yield f"the quoted words {quote!r} are not in its evidence"


def _names(said: str, text: str, around: str) -> Iterator[str]:
    there = stems(text) | stems(around)
    for name in names(said):
        if not _is_there(name, there):
            yield f"the name {name!r} is not in its evidence"


def _is_there(word: str, there: frozenset[str]) -> bool:
    parts = [part for part in stems(word) if part]
    return any(same_word(part, there) for part in parts if part == word.lower()) or any(
        same_word(part, there) for part in parts
    )


def _times(draft: Draft, own: Sequence[Span]) -> Iterator[str]:
    """The times of a draft must be told by its evidence."""
    days = {day for span in own for day in days_of(" ".join(span.whole), span.at)}
    for name, time in (("valid_from", draft.valid_from), ("valid_to", draft.valid_to)):
        if time is not None and not is_said(time.date().isoformat(), days):
            yield f"{name} {time.date().isoformat()} is not in its evidence"


def _words(draft: Draft, key: Keyed, text: str, around: str) -> Iterator[str]:
    """Words of meaning that no evidence has: none in a value, few elsewhere."""
    called = "" if draft.key is None else f"{draft.key.subject} {draft.key.attribute}"
    own, wide = stems(f"{text} {called}"), stems(f"{text} {around} {called}")
    kept = content(plain(draft.statement))
    if key.said is not None:
        words = content(key.said)
        new = [word for word in words if not same_word(word, own)]
        if len(new) > _MOST_NEW_IN_VALUE * (len(words) + len(values_of(key.said))):
            yield f"its value {key.said!r} is not in its evidence ({', '.join(dict.fromkeys(new))})"
    new = [word for word in kept if not same_word(word, wide)]
    things = [word for word in new if word not in LEMMAS]
    size = len(kept) + len(values_of(plain(draft.statement)))
    if len(things) > _MOST_NEW * size or len(new) > size / 2:
        yield f"its evidence says nothing of {', '.join(dict.fromkeys(new))}"
        return
    for clause in claims.clauses(plain(draft.statement)):
        words = content(clause)
        unsaid = [word for word in words if not same_word(word, wide)]
        if len(unsaid) > 1 and len(unsaid) > len(words) / 2:
            yield f"its evidence says nothing of {clause!r}"
    values = {value.form for value in values_of(text)} & {value.form for value in values_of(plain(draft.statement))}
    if not any(same_word(word, own) for word in kept) and kept and not values:
        yield "its own evidence speaks of something else"


def _is_whole(sentence: str, other: str) -> bool:
    """Whether a sentence is another one, word for word, behind the name of the speaker at most."""
    label, colon, rest = other.partition(": ")
    whole = spoken(sentence.lower())
    is_label = colon and len(label) < _LONGEST_LABEL and not (is_guess(label) or claims.tentative(label))
    return whole in (spoken(other.lower()), spoken(rest.lower()) if is_label else None)


def _is_unsure(draft: Draft) -> bool:
    return draft.certainty is Certainty.HYPOTHESIS or is_guess(plain(draft.statement))


def _claims(draft: Draft, statement: str, evidence: Sequence[str]) -> Iterator[str]:
    """Certainty, absolutes, denial, leaning and conditions, against the sentences that say the same thing."""
    near = _nearest(statement, evidence)
    lost = _doubted(statement, near) and not claims.tentative(statement)
    if lost and not _is_unsure(draft):
        yield _UNSURE
    whole = " ".join(evidence)
    if assured := claims.assurances(statement) - claims.assurances(" ".join(near)) - stems(" ".join(near)):
        yield f"its evidence does not say that it is {', '.join(sorted(assured))}"
    if draft.certainty is Certainty.CONFIRMED and lost:
        yield "it is called confirmed, and its evidence is not sure"
    for name in sorted(claims.absolutes(statement, strict=True) - claims.absolutes(whole, strict=False)):
        yield f"it speaks of {_ABSOLUTE[name]}, and its evidence does not"
    yield from _denial(statement, near, evidence)
    free = not draft.applies_when and draft.valid_to is None and not claims.conditional(statement)
    if free and near and all(any(map(claims.conditional, _coordinates(statement, sentence))) for sentence in near):
        yield "its evidence holds under a condition, which is lost"


def _coordinates(statement: str, sentence: str) -> list[str]:
    """The parts of a sentence whose conditions hold for a statement: a part that ends at a time or a case is alone."""
    parts = claims.coordinates(sentence)
    return _nearest(statement, parts) or parts


def _doubted(statement: str, near: Sequence[str]) -> bool:
    """Whether the sentences that say it are guesses as a whole, or the clauses that do are not sure of it."""
    if any(claims.doubts_itself(sentence) for sentence in near):
        return True
    taste, planned = any(claims.is_taste(word) for word in content(statement)), claims.planned(statement)
    closest = _nearest(statement, [part for sentence in near for part in claims.turns(sentence)])
    if any(is_guess(part) for part in closest):
        return True
    parts = [clause for part in closest for clause in claims.clauses(part)]
    if taste:  # what is liked is said by the clause of liking: "I could watch it all day, I love it"
        parts = [part for part in parts if claims.leaning(part)] or parts
    ways = {
        way
        for part in _nearest(statement, parts)
        for way in claims.tentative(part, of_plans=planned)
        if _reaches(claims.doubted(part), statement)
    }
    return "possible" in ways or (bool(ways) and not taste and not planned)


def _reaches(doubted: str, statement: str) -> bool:
    """Whether what a clause is unsure of is what a statement says, and not what the clause says before it."""
    values = {value.form for value in values_of(doubted)}
    if not content(doubted) and not values:
        return True
    said = any(same_word(word, stems(doubted)) for word in content(statement))
    return said or any(value.form in values for value in values_of(statement))


_ABSOLUTE = {"all": "every case", "none": "no case at all", "only": "this case alone"}


def _is_refused(statement: str, evidence: Sequence[str]) -> bool:
    """Whether the evidence denies in other words: *hold off on*, *was cancelled*."""
    return any(claims.is_over(text) and any(same_word(w, stems(text)) for w in content(statement)) for text in evidence)


def _denial(statement: str, near: Sequence[str], evidence: Sequence[str]) -> Iterator[str]:
    parts = [part for sentence in near for part in claims.clauses(sentence)]
    present = claims.present(parts)
    closest_to = [part for part in present if claims.leaning(part) and _on_the_same(statement, part)]
    sides = {side for part in closest_to or present if (side := claims.leaning(part))}
    formerly = {
        claims.leaning(part)
        for before, part in pairwise(["", *parts])
        if part not in present
        and (_on_the_same(statement, part) or (claims.points_back(part) and _on_the_same(statement, before)))
    }
    own = {side for part in claims.clauses(statement) if (side := claims.leaning(part))}
    if own and sides and not claims.past_only(statement) and own.isdisjoint(sides):
        yield "it says the contrary of its evidence (for instead of against, or the other way round)"
        return
    if own & formerly and own.isdisjoint(sides) and not claims.past_only(statement):
        yield "its evidence says that this used to be so"
        return
    if own:  # said in words of liking that are not known: neither for nor against can be told
        return
    closest = _nearest(statement, parts)
    denied, doubted = claims.negated(statement), [claims.negated(part) for part in closest]
    if doubted and denied not in doubted and not (denied and _is_refused(statement, evidence)):
        yield "its evidence does not deny it" if denied else "its evidence denies it"


def _on_the_same(statement: str, part: str) -> bool:
    """Whether a clause is about what a statement is for or against."""
    wanted = [word for word in content(statement) if not (claims.is_taste(word) or claims.leaning(word))]
    values = {value.form for value in values_of(statement)} & {value.form for value in values_of(part)}
    return bool(values) or any(same_word(word, stems(part)) for word in wanted)


def _nearest(statement: str, texts: Sequence[str]) -> list[str]:
    """The texts that share the most words with a statement; those that only take up the text before go with it."""
    wanted = set(content(statement))
    scores = []
    for text in texts:
        there = stems(text)
        values = {value.form for value in values_of(text)} & {value.form for value in values_of(statement)}
        scores.append(sum(same_word(word, there) for word in wanted) + len(values))
    best = max(scores, default=0)
    if best == 0:
        return []
    near = []
    for at, (text, score) in enumerate(zip(texts, scores, strict=True)):
        follows = at > 0 and scores[at - 1] >= max(1, best - 1) and _takes_up(text)
        if score >= max(1, best if best < 3 else best - 1) or follows:
            near.append(text)
    return near


def _takes_up(text: str) -> bool:
    """Whether a sentence says of the one before that it is not sure."""
    words = text.lower().split()
    return len(words) <= 12 and not {"it", "this", "that"}.isdisjoint(words) and claims.doubts_itself(text)
