"""Conversations: kept word for word, and read for what they state. `memory.ingest` and `memory.extract` do it.

    kept       each message once, whatever is taken in again; nothing of it is believed
    read       sentence by sentence, by rules or by an extractor that quotes; echoes and orders are left
    checked    what one message would write, as a whole: nothing beyond what it says, nothing of it lost
    written    through the same door as `remember`, on the word of whoever spoke

What was read is not read again by the same version of an extractor, and the same sentence is written once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import TypeAlias

from upheld import limits
from upheld.admit import Admitted, admit
from upheld.aside import Origin, Review
from upheld.conversation.echoes import folded, served
from upheld.conversation.message import MAX_MESSAGES, Kept, Message, checked
from upheld.conversation.offer import offered
from upheld.conversation.outcomes import Extraction, Ingested, Passage, kept_out, left, missed, written
from upheld.conversation.propose import ECHO, RULES, Left, Proposal, Reading, draft_of, read
from upheld.conversation.retold import retold, stated
from upheld.errors import Invalid, UpheldError
from upheld.intake import Intake
from upheld.messages import Extractor
from upheld.note import Certainty, Channel, Citation, Draft, Note
from upheld.policy import Policy
from upheld.ports import Clock, Database, Embedder, Ids
from upheld.ports import Reading as View
from upheld.transition import Ground, Problem, Transition, problems

Progress: TypeAlias = Callable[[int, int | None], None]
Check: TypeAlias = Callable[[Transition], Sequence[Problem]]
_Key: TypeAlias = tuple[str, ...]

AT_ONCE = 64
"""How many messages are read, checked and written at once by the rules; an extractor is shown fewer."""
SHOWN_AT_ONCE = 16
BEFORE = 6
"""How many earlier messages an extractor sees, to know what "it" is."""


@dataclass(slots=True)
class _Read:
    """What one call knows so far: what was recalled in each conversation, and what it has proposed."""

    recalled: dict[tuple[str, str], list[tuple[int, tuple[str, ...]]]] = field(default_factory=dict)
    said: set[_Key] = field(default_factory=set)
    held: dict[_Key, list[tuple[str, datetime]]] = field(default_factory=dict)

    def known(self, view: View, message: Kept) -> tuple[str, ...]:
        """The folded statements that were recalled in a conversation before a message, and in it."""
        place = (message.conversation, message.scope)
        if place not in self.recalled:
            found = view.messages.recalled(*place)
            self.recalled[place] = [(number, tuple(folded(each) for each in served(text))) for number, text in found]
        return tuple(each for number, listed in self.recalled[place] if number <= message.number for each in listed)


class Conversations:
    """The conversations of one store. `check` says why a set of changes may not be written as a whole."""

    def __init__(
        self,
        database: Database,
        *,
        policy: Policy,
        embedder: Embedder | None,
        clock: Clock,
        ids: Ids,
        check: Check = problems,
    ) -> None:
        self._database = database
        self._policy = policy
        self._clock = clock
        self._ids = ids
        self._check = check
        self._intake = Intake(database=database, policy=policy, embedder=embedder, clock=clock, ids=ids)

    def ingest(self, messages: Iterable[Message], *, scope: str = "default", conversation: str = "default") -> Ingested:
        """Keep messages word for word, in order, behind those of the conversation that are there. All or none.

        A message is the same as one that is there if role, speaker, time and text are; it is kept once. Without a
        time it is so for as many as are there: a file that grew may be given again, and "ok" twice is two.
        At most 100,000 messages of 100,000 characters each; `Invalid` names the first that breaks a limit.
        """
        limits.scope(scope)
        limits.name(conversation, "conversation")
        given = list(islice(iter(messages), MAX_MESSAGES + 1))
        if len(given) > MAX_MESSAGES:
            raise Invalid(f"more than {MAX_MESSAGES:,} messages; give them in parts")
        now = self._clock()
        wanted = [self._checked(each, place, now) for place, each in enumerate(given, 1)]
        with self._database.writing() as tx:
            there = tx.messages.said(conversation, scope)
            new: list[Message] = []
            for each in wanted:
                if there[each] > 0:
                    # One with a time is that one, however often it is given; one without is used up.
                    if each.at is None:
                        there[each] -= 1
                    continue
                new.append(each)
                if each.at is not None:
                    there[each] = 1
            tx.messages.keep(new, conversation=conversation, scope=scope, at=now)
        return Ingested(conversation=conversation, scope=scope, new=len(new), known=len(wanted) - len(new))

    @staticmethod
    def _checked(message: object, place: int, now: datetime) -> Message:
        try:
            found = checked(message)
            if found.at is not None and found.at > now:
                raise Invalid("it was said in the future")
        except UpheldError as error:
            raise type(error)(f"message {place}: {error}") from None
        return found

    def extract(
        self,
        conversation: str | None = None,
        *,
        scope: str | None = None,
        extractor: Extractor | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Extraction:
        """Read the messages that this extractor did not read yet, and write what they state; say what came of each.

        Of one conversation, or of a scope, or both. `extractor` None are the rules, which need no model. `dry_run`
        writes nothing and marks nothing as read. What was written before an extractor failed (`Unavailable`) stays.
        `progress` is called with how many messages are read, and of how many.
        """
        if conversation is None and scope is None:
            raise Invalid("name a conversation, or a scope: there is no 'everything'")
        place = {
            "conversation": None if conversation is None else limits.name(conversation, "conversation"),
            "scope": None if scope is None else limits.scope(scope),
        }
        name = RULES if extractor is None else limits.name(extractor.name, "the name of an extractor")
        state, passages, after, done = _Read(), list[Passage](), 0, 0
        with self._database.reading() as view:
            total = view.messages.waiting(**place, by=name)
        while True:
            with self._database.reading() as view:
                most = AT_ONCE if extractor is None else SHOWN_AT_ONCE
                page = view.messages.unread(**place, by=name, after=after, limit=most)
                known = {message.number: state.known(view, message) for message in page}
                parts = [] if extractor is None else _by_conversation(page)
                before = [view.messages.before(part[0], BEFORE) for part in parts]
            if not page:
                return Extraction(extractor=name, messages=done, passages=tuple(passages), dry_run=dry_run)
            if extractor is None:
                readings = {message.number: read(message, known[message.number]) for message in page}
            else:
                readings = _asked(extractor, parts, before, known)
            came, reviews = self._write(page, known, readings, state, ruled=extractor is None, dry_run=dry_run)
            passages += came
            if not dry_run:
                with self._database.writing() as tx:
                    for review in reviews:
                        tx.aside.keep_review(review)
                    tx.messages.mark_read([message.number for message in page], name)
            after, done = page[-1].number, done + len(page)
            if progress is not None:
                progress(done, max(total, done))

    def _write(
        self,
        page: Sequence[Kept],
        known: Mapping[int, tuple[str, ...]],
        readings: Mapping[int, Reading],
        state: _Read,
        *,
        ruled: bool,
        dry_run: bool,
    ) -> tuple[list[Passage], list[Review]]:
        """Check what each message would write as a whole, and write what passes; the rest is to be set aside."""
        passages = [left(each) for each in readings.get(0, Reading()).left]
        waiting: list[tuple[Proposal, Draft]] = []
        reviews: list[Review] = []
        for message in page:
            reading = readings[message.number]
            passages += [left(each) for each in reading.left]
            wanted: list[tuple[Proposal, Draft]] = []
            for proposal in reading.proposals:
                draft = draft_of(proposal, message)
                try:
                    admitted = admit(draft, self._policy, now=self._clock())
                    why = ECHO if message.channel is Channel.AGENT and self._repeats(admitted, state) else None
                except UpheldError as error:
                    why = f"{error.code}: {error}"
                else:
                    draft = self._dated(proposal, admitted, state)
                if why is None:
                    wanted.append((proposal, draft))
                else:
                    passages.append(kept_out(proposal, "left" if why == ECHO else "refused", why))
            faults = self._faults(message, known[message.number], wanted, ruled=ruled)
            if not faults:
                waiting += wanted
            elif wanted:
                passages += [kept_out(proposal, "set_aside", "; ".join(faults)) for proposal, _ in wanted]
                reviews.append(self._review(message, faults, [draft for _, draft in wanted]))
            else:
                passages.append(missed(message, "; ".join(faults)))
        if dry_run:
            passages += [kept_out(proposal, "offered", None) for proposal, _ in waiting]
        elif waiting:
            results = self._intake.batch([draft for _, draft in waiting], Channel.SYSTEM_OF_RECORD, None)
            passages += [written(proposal, result) for (proposal, _), result in zip(waiting, results, strict=True)]
        return sorted(passages, key=lambda each: (each.message, each.start, each.end)), reviews

    def _faults(
        self, message: Kept, known: Sequence[str], wanted: Sequence[tuple[Proposal, Draft]], *, ruled: bool
    ) -> list[str]:
        """Why what one message would write may not be written as a whole; empty where nothing speaks against it."""
        if not wanted and ruled:
            return []
        found = self._check(_transition(message, known, wanted, ruled=ruled))
        return list(dict.fromkeys(f"{each.kind}: {each.why}" for each in found))

    def _review(self, message: Kept, why: Sequence[str], drafts: Sequence[Draft]) -> Review:
        return Review(
            id=self._ids(),
            what=Origin.EXTRACTION,
            why=tuple(why),
            drafts=tuple(drafts),
            by=message.by,
            at=self._clock(),
        )

    def _repeats(self, admitted: Admitted, state: _Read) -> bool:
        """Whether an agent says again what is held already: that is no second source."""
        key, said = _key(admitted), _said(admitted)
        if said in state.said:
            return True
        with self._database.reading() as view:
            same = view.same_statement(admitted.draft.scope, admitted.draft.statement)
            return bool(same) or (admitted.value_key is not None and _is_held(view, key, admitted.value_key))

    def _dated(self, proposal: Proposal, admitted: Admitted, state: _Read) -> Draft:
        """The draft, without its beginning where something else was seen since: what was said last stands.

        "Since January" said in March is about March too. Where another value was seen in February, the beginning is
        in doubt and so unknown; by it the newer word would count as the older.
        """
        draft, key = admitted.draft, _key(admitted)
        state.said.add(_said(admitted))
        if admitted.value_key is None or draft.certainty is Certainty.HYPOTHESIS:
            return draft
        if proposal.still and draft.valid_from is not None and draft.observed_at is not None:
            with self._database.reading() as view:
                seen = [*state.held.get(key, ()), *_seen(view, key)]
            others = [at for value, at in seen if value != admitted.value_key]
            if any(draft.valid_from < at <= draft.observed_at for at in others):
                draft = replace(draft, valid_from=None)
        if (at := draft.valid_from or draft.observed_at) is not None:
            state.held.setdefault(key, []).append((admitted.value_key, at))
        return draft


def _key(admitted: Admitted) -> _Key:
    return (admitted.draft.scope, admitted.subject_key or "", admitted.attribute_key or "")


def _said(admitted: Admitted) -> _Key:
    key = _key(admitted)
    return (*key, admitted.value_key) if admitted.value_key else (key[0], folded(admitted.draft.statement))


def _noted(view: View, key: _Key) -> list[Note]:
    """The notes of a scope with a key."""
    scope, subject, attribute = key
    return [] if not attribute else list(view.notes(view.keyed([scope], [(subject, attribute)])).values())


def _seen(view: View, key: _Key) -> list[tuple[str, datetime]]:
    """The values of a key, each with when it began or was seen."""
    return [
        (note.value_key, note.event_time)
        for note in _noted(view, key)
        if note.value_key is not None and note.event_time is not None and note.certainty is not Certainty.HYPOTHESIS
    ]


def _is_held(view: View, key: _Key, value: str) -> bool:
    return any(note.value_key == value for note in _noted(view, key))


def _by_conversation(page: Sequence[Kept]) -> list[list[Kept]]:
    parts: dict[tuple[str, str], list[Kept]] = {}
    for message in page:
        parts.setdefault((message.conversation, message.scope), []).append(message)
    return list(parts.values())


def _asked(
    extractor: Extractor,
    parts: Sequence[Sequence[Kept]],
    before: Sequence[Sequence[Kept]],
    known: Mapping[int, tuple[str, ...]],
) -> dict[int, Reading]:
    """What an extractor offers of each message, checked; under 0 what it offers of none. Outside of any transaction."""
    found: dict[int, Reading] = {}
    stray: list[Left] = []
    for part, earlier in zip(parts, before, strict=True):
        got = offered(list(extractor.extract(part, earlier)), part, known)
        stray += got.pop(0, Reading()).left
        found |= got
    return found | {0: Reading(left=tuple(stray))}


def _transition(
    message: Kept, known: Sequence[str], wanted: Sequence[tuple[Proposal, Draft]], *, ruled: bool
) -> Transition:
    """What one message would write, as a whole, with the message told again by names and years as its evidence.

    What a model read is also held against what the rules read: it may say more, and may not leave that out.
    """
    text, places = retold(message, known)
    evidence = [Ground(ref=message.ref, text=text, at=message.at, channel=message.channel, asks=False)]
    if not ruled and (least := stated(message, known)):
        evidence.append(Ground(ref="what it states", text=least, at=message.at, channel=message.channel))
    drafts = [
        # The times were read by code, from the message and its date; what is left to compare are words.
        replace(
            draft,
            valid_from=None,
            valid_to=None,
            sources=(
                Citation(
                    original=text,
                    ref=message.ref,
                    start=places[proposal.start],
                    end=places[proposal.end],
                    channel=message.channel,
                ),
            ),
        )
        for proposal, draft in wanted
    ]
    return Transition(evidence=evidence, drafts=drafts)
