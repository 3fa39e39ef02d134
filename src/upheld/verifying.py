"""Asking the owners of values: at most one call about a subject in a window, across threads and processes.

Who wants to ask takes the window first, with one row in the store, so of many that come at once one asks and the
others wait for what it learns. Calls run side by side in threads, outside any transaction, and all together within one
time budget; what comes later is dropped. A call that failed has used its window like any other.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, TypeAlias

from upheld import verify
from upheld.errors import UpheldError
from upheld.intake import vectors_of
from upheld.ledger import Outcome
from upheld.note import Note, instant
from upheld.owners import Owners, is_pointer, stated, window
from upheld.policy import Policy
from upheld.ports import Clock, Database, Embedder, Ids
from upheld.question import every
from upheld.remember import Journal
from upheld.standing import IN_FORCE, Seq, standings
from upheld.trust import NEVER, trust
from upheld.verification import Changed, Read, Reply, Unavailable
from upheld.verify import Call, Settled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AT_ONCE = 16
"""How many calls run side by side."""
MOST_HANGING = 8
"""How many calls to one owner may be unanswered before it is not asked again: a thread cannot be stopped."""
_LOOK_AGAIN_S = 0.01

LATE = Unavailable("no answer in time")
RAISED = Unavailable("asking it failed")
HANGING = Unavailable("earlier calls to it are still unanswered")
Progress: TypeAlias = Callable[[int, int | None], None]
"""Told how many notes are done, and of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    """A call whose window is ours: since when, and where the log ended then."""

    call: Call
    at: datetime
    known_at: Seq


class Verifying:
    """The owners of one store's values, and what follows from their answers."""

    def __init__(
        self,
        database: Database,
        *,
        policy: Policy,
        owners: Owners,
        embedder: Embedder | None,
        clock: Clock,
        ids: Ids,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.owners = owners
        self._database = database
        self._policy = policy
        self._embedder = embedder
        self._clock = clock
        self._ids = ids
        self._pause = pause
        self._lock = Lock()
        self._hanging: Counter[str] = Counter()
        self._read: dict[Seq, tuple[Read, timedelta]] = {}

    def check(self, notes: Sequence[Note], *, within: timedelta | None = None) -> dict[Seq, Settled]:
        """Ask the owners of some notes; say what became of each, and of the others that one call is about.

        Notes that nothing owns are left out. Waits for at most `within` (the policy's [verify] within). Whatever an
        owner does, nothing is raised for it; `Busy` is, where the store cannot be written.
        """
        wanted = verify.calls(notes, self.owners, self._policy)
        if not wanted:
            return {}
        deadline = time.monotonic() + (within or self._policy.verify.within).total_seconds()
        settled: dict[Seq, Settled] = {}
        for start in range(0, len(wanted), AT_ONCE):
            taken, others = self._take(wanted[start : start + AT_ONCE])
            answers = self._ask(taken, deadline)
            if taken:
                settled |= self._apply(taken, answers)
            settled |= self._wait(others, deadline)
        return settled

    def verify(self, scopes: Sequence[str], progress: Progress | None) -> dict[str, Settled]:
        """Ask the owners of all that is due in some scopes; what became of each note, by id."""
        settled: dict[Seq, Settled] = {}
        due = self._due(scopes)
        for start in range(0, len(due), AT_ONCE):
            settled |= self.check(due[start : start + AT_ONCE])
            if progress is not None:
                progress(min(start + AT_ONCE, len(due)), len(due))
        with self._database.reading() as reading:
            ids = reading.ids(settled)
        return {ids[seq]: outcome for seq, outcome in settled.items()}

    def _due(self, scopes: Sequence[str]) -> list[Note]:
        """The notes of some scopes that are in force and whose owners have to be asked, oldest first."""
        with self._database.reading() as reading:
            notes = reading.notes(every(reading.listed, scopes))
            at, known_at = instant(self._clock()), reading.head().seq
            owned = sorted(seq for seq, note in notes.items() if self.owners.of(note) is not None)
            ruled = standings(reading.world(owned), owned, valid_at=at, known_at=known_at)
            seen = reading.seen_at(owned, known_at=known_at)
        return [
            notes[seq]
            for seq in owned
            if ruled[seq] is IN_FORCE
            and trust(notes[seq], self._policy, at=at, seen=seen.get(seq, NEVER), owned=True).due
        ]

    def learns(self, due: Sequence[Note]) -> bool:
        """Ask the owners of notes that an answer waits for; say whether that taught anything.

        A store that is locked or cannot be written teaches nothing: the notes stay unverified, and the answer comes.
        """
        try:
            settled = self.check(due)
        except UpheldError:
            return False
        return any(each is not Settled.UNAVAILABLE for each in settled.values())

    def read(self, at: datetime) -> dict[Seq, Read]:
        """The values that were read for pointers and are still good at a moment."""
        with self._lock:
            return {
                seq: read for seq, (read, good_for) in self._read.items() if timedelta(0) <= at - read.at < good_for
            }

    # Taking windows

    def _take(self, wanted: Sequence[Call]) -> tuple[list[_Taken], list[Call]]:
        """The calls that are ours to make, and those that somebody is making now. What was asked before is neither."""
        now = self._clock()
        free: list[Call] = []
        others: list[Call] = []
        with self._database.reading() as reading:
            for call in wanted:
                last = reading.ledger.asking(call.scope, call.subject_key, call.verifier.source)
                if last is None or last.asked_at <= now - call.window:
                    free.append(call)
                elif last.outcome is None and now - last.asked_at < self._policy.verify.within:
                    others.append(call)
        if not free:
            return [], others
        taken: list[_Taken] = []
        with self._database.writing() as tx:
            journal = Journal.open(tx, now)
            for call in free:
                source = call.verifier.source
                if tx.ledger.claim(call.scope, call.subject_key, source, at=journal.at, window=call.window):
                    whole = verify.with_siblings(tx, call, self.owners, journal.at)
                    taken.append(_Taken(call=whole, at=journal.at, known_at=journal.seq))
                else:
                    others.append(call)
        return taken, others

    def _wait(self, others: Sequence[Call], deadline: float) -> dict[Seq, Settled]:
        """Wait for what others are asking, and say what came of it."""
        settled: dict[Seq, Settled] = {}
        waiting = list(others)
        while waiting:
            with self._database.reading() as reading:
                asking = {
                    id(call): reading.ledger.asking(call.scope, call.subject_key, call.verifier.source)
                    for call in waiting
                }
            for call in waiting:
                last = asking[id(call)]
                if last is not None and last.outcome is not None:
                    heard = last.outcome is Outcome.ANSWERED
                    outcome = Settled.VERIFIED if heard else Settled.UNAVAILABLE
                    settled |= dict.fromkeys((note.seq for note in call.notes), outcome)
            waiting = [call for call in waiting if call.notes[0].seq not in settled]
            if not waiting or time.monotonic() >= deadline:
                break
            self._pause(_LOOK_AGAIN_S)
        return settled | {note.seq: Settled.UNAVAILABLE for call in waiting for note in call.notes}

    # Asking

    def _ask(self, taken: Sequence[_Taken], deadline: float) -> list[Sequence[Reply]]:
        """What each owner says until the deadline, asked side by side."""
        box: SimpleQueue[tuple[int, Sequence[Reply]]] = SimpleQueue()
        answers: dict[int, Sequence[Reply]] = {}
        for place, each in enumerate(taken):
            if self._begin(each.call.verifier.source):
                Thread(target=self._call, args=(place, each.call, box), daemon=True, name="upheld-verify").start()
            else:
                answers[place] = [HANGING] * len(each.call.notes)
        while len(answers) < len(taken):
            try:
                place, replies = box.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                break
            answers[place] = replies
        return [answers.get(place, [LATE] * len(each.call.notes)) for place, each in enumerate(taken)]

    def _call(self, place: int, call: Call, box: SimpleQueue[tuple[int, Sequence[Reply]]]) -> None:
        """Ask one owner. Whatever a verifier raises, even to end the thread, is no answer."""
        replies: Sequence[Reply] = [RAISED] * len(call.notes)
        try:
            replies = verify.checked(call.notes, call.verifier.verify([verify.asked(note) for note in call.notes]))
        except BaseException:  # noqa: BLE001 (a stranger's code; its words may hold secrets)
            pass
        finally:
            with self._lock:
                self._hanging[call.verifier.source] -= 1
            box.put((place, replies))

    def _begin(self, source: str) -> bool:
        with self._lock:
            if self._hanging[source] >= MOST_HANGING:
                return False
            self._hanging[source] += 1
            return True

    # Applying

    def _apply(self, taken: Sequence[_Taken], answers: Sequence[Sequence[Reply]]) -> dict[Seq, Settled]:
        vectors = self._vectors(taken, answers)
        settled: dict[Seq, Settled] = {}
        with self._database.writing() as tx:
            journal = Journal.open(tx, self._clock())
            for each, replies in zip(taken, answers, strict=True):
                settled |= verify.apply(
                    journal,
                    each.call,
                    replies,
                    asked_at=each.at,
                    known_at=each.known_at,
                    ids=self._ids,
                    policy=self._policy,
                    vectors=vectors,
                )
        with self._lock:
            for each, replies in zip(taken, answers, strict=True):
                for note, reply in zip(each.call.notes, replies, strict=True):
                    if is_pointer(note) and isinstance(reply, Changed):
                        read = Read(reply.value, each.call.verifier.source, each.at)
                        self._read[note.seq] = (read, window(note, self._policy))
        return settled

    def _vectors(
        self, taken: Sequence[_Taken], answers: Sequence[Sequence[Reply]]
    ) -> Mapping[Seq, NDArray[np.float32]]:
        """The vectors of the statements that new values become; none while the embedder is down."""
        new = {
            note.seq: stated(note, reply.value)
            for each, replies in zip(taken, answers, strict=True)
            for note, reply in zip(each.call.notes, replies, strict=True)
            if isinstance(reply, Changed) and not is_pointer(note)
        }
        return vectors_of(self._embedder, new)
