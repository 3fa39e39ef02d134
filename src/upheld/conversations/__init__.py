"""Conversations: kept word for word, and read for what they state. `memory.ingest` and `memory.extract` do it.

    kept       each message once, whatever is taken in again; nothing of it is believed
    read       sentence by sentence, by rules or by an extractor that quotes; echoes and orders are left
    checked    what one message would write, as a whole: nothing beyond what it says, nothing of it lost
    written    through the same door as `remember`, on the word of whoever spoke

What was read is not read again by the same version of an extractor, and the same sentence is written once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import TypeAlias

from upheld import limits
from upheld.admit import admit
from upheld.aside import Origin, Review
from upheld.conversation.message import MAX_MESSAGES, Kept, Message, checked
from upheld.conversation.offer import offered
from upheld.conversation.outcomes import Extraction, Ingested, Passage, kept_out, left, missed
from upheld.conversation.proposal import Left, Reading, draft_of
from upheld.conversation.propose import ECHO, RULES
from upheld.conversations.knowing import BEFORE, Known
from upheld.conversations.store import Store, Wanted
from upheld.conversations.whole import transition
from upheld.errors import Invalid, UpheldError
from upheld.intake import Intake
from upheld.messages import Extractor
from upheld.note import Channel, Draft
from upheld.policy import Policy
from upheld.ports import Clock, Database, Embedder, Ids
from upheld.transition import Problem, Transition, problems

Progress: TypeAlias = Callable[[int, int | None], None]
Check: TypeAlias = Callable[[Transition], Sequence[Problem]]

AT_ONCE = 64
"""How many messages are read, checked and written at once by the rules; an extractor is shown fewer."""
SHOWN_AT_ONCE = 16


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
        intake = Intake(database=database, policy=policy, embedder=embedder, clock=clock, ids=ids)
        self._store = Store(database, policy=policy, intake=intake, clock=clock)

    def ingest(self, messages: Iterable[Message], *, scope: str = "default", conversation: str = "default") -> Ingested:
        """Keep messages word for word, in order, behind those of the conversation that are there. All or none.

        A message is the same as one that is there if role, speaker, time and text are; it is kept once. Without a
        time it is so for as many as are there: a file that grew may be given again, and "ok" twice is two.
        At most 100,000 messages of 100,000 characters each; `Invalid` names the first that breaks a limit.
        """
        scope, conversation = limits.scope(scope), limits.name(conversation, "conversation")
        given = list(islice(limits.listed(messages, "messages"), MAX_MESSAGES + 1))
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
        told, trial = limits.callback(progress, "progress"), limits.flag(dry_run, "dry_run")
        place = {
            "conversation": None if conversation is None else limits.name(conversation, "conversation"),
            "scope": None if scope is None else limits.scope(scope),
        }
        name = RULES if extractor is None else limits.name(extractor.name, "the name of an extractor")
        state, passages, after, done = Known(self._database), list[Passage](), 0, 0
        with self._database.reading() as view:
            total = view.messages.waiting(**place, by=name)
        while True:
            with self._database.reading() as view:
                most = AT_ONCE if extractor is None else SHOWN_AT_ONCE
                page = view.messages.unread(**place, by=name, after=after, limit=most)
                known = {message.number: state.before(view, message) for message in page}
                parts = [] if extractor is None else _by_conversation(page)
                before = [view.messages.before(part[0], BEFORE) for part in parts]
            if not page:
                return Extraction(extractor=name, messages=done, passages=tuple(passages), dry_run=trial)
            if extractor is None:
                readings = {message.number: state.read(message, known[message.number]) for message in page}
            else:
                readings = _asked(extractor, parts, before, known)
            came, reviews = self._write(page, known, readings, state, ruled=extractor is None, dry_run=trial)
            passages += came
            if not trial:
                with self._database.writing() as tx:
                    # Whoever else read them meanwhile has set aside the same.
                    unread = tx.messages.unread(**place, by=name, after=after, limit=len(page))
                    for number, review in reviews:
                        if any(number == each.number for each in unread):
                            tx.aside.keep_review(review)
                    tx.messages.mark_read([message.number for message in page], name)
            after, done = page[-1].number, done + len(page)
            if told is not None:
                told(done, max(total, done))

    def _write(
        self,
        page: Sequence[Kept],
        known: Mapping[int, tuple[str, ...]],
        readings: Mapping[int, Reading],
        state: Known,
        *,
        ruled: bool,
        dry_run: bool,
    ) -> tuple[list[Passage], list[tuple[int, Review]]]:
        """Check what each message would write as a whole, and write what passes; the rest is to be set aside."""
        passages = [left(each) for each in readings.get(0, Reading()).left]
        waiting: list[Wanted] = []
        reviews: list[tuple[int, Review]] = []
        for message in page:
            reading = readings[message.number]
            passages += [left(each) for each in reading.left]
            wanted: list[Wanted] = []
            for proposal in reading.proposals:
                draft = draft_of(proposal, message)
                try:
                    admitted = admit(draft, self._policy, now=self._clock())
                    is_echo = message.channel is Channel.AGENT and state.repeats(admitted)
                except UpheldError as error:
                    passages.append(kept_out(proposal, "refused", f"{error.code}: {error}"))
                    continue
                draft = state.dated(proposal, admitted)
                if is_echo:
                    passages.append(kept_out(proposal, "left", ECHO))
                else:
                    wanted.append(Wanted(message, proposal, admitted, draft))
            faults = self._faults(message, known[message.number], wanted, ruled=ruled)
            if not faults:
                waiting += wanted
            elif wanted:
                passages += [kept_out(each.proposal, "set_aside", "; ".join(faults)) for each in wanted]
                reviews.append((message.number, self._review(message, faults, [each.draft for each in wanted])))
            else:
                passages.append(missed(message, "; ".join(faults)))
        if dry_run:
            passages += [kept_out(each.proposal, "offered", None) for each in waiting]
        else:
            came, proposed = self._store.write(waiting)
            passages += came
            reviews += proposed
        return sorted(passages, key=lambda each: (each.message, each.start, each.end)), reviews

    def _faults(self, message: Kept, known: Sequence[str], wanted: Sequence[Wanted], *, ruled: bool) -> list[str]:
        """Why what one message would write may not be written as a whole; empty where nothing speaks against it."""
        if not wanted and ruled:
            return []
        found = self._check(transition(message, known, [(each.proposal, each.draft) for each in wanted], ruled=ruled))
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
