"""Takes entries into a memory, so that doing it again, or going on after an interruption, changes nothing twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from upheld import wire
from upheld.errors import Refused, UpheldError
from upheld.importers.entry import Entry
from upheld.intake import Line, Taken, batches
from upheld.limits import channel_of
from upheld.memory import Memory
from upheld.note import Channel, Draft, Standing, Written

BATCH = 512

_ACTOR = {Channel.SYSTEM_OF_RECORD: "system"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of one entry; `taken` is None for a line of a log that is there already.

    `retracted` are the notes that it took back.
    """

    place: str
    taken: Taken | None
    retracted: tuple[str, ...] = ()

    @property
    def outcome(self) -> str:
        """The outcome of a write; `restored` for a line of a log; `repeated`; `failed`."""
        if self.taken is None:
            return "repeated"
        if isinstance(self.taken, UpheldError):
            return "failed"
        return self.taken.outcome if isinstance(self.taken, Written) else "restored"

    def __str__(self) -> str:
        return f"{self.place}: {self.taken if isinstance(self.taken, UpheldError) else self.outcome}"


def take_in(
    memory: Memory, entries: Iterable[Entry], *, trust: Channel = Channel.TOOL, again: bool = False
) -> Iterator[Result]:
    """Write entries in order, in batches that are each one transaction; for each, what came of it.

    `trust` caps the channel that any draft may claim. Lines of a log keep the channels that they have, so they are
    taken in only where `trust` is the system of record. A draft that this store took in before from the same place,
    word for word, is `repeated`; with `again` it counts as said anew.
    """
    known = _Known(memory)
    keys = None if again else _Keys()
    for batch in batches(entries, BATCH):
        start = 0
        for end, entry in enumerate(batch, start=1):
            # A retraction stands between what is written before and after it.
            if entry.retracts or end == len(batch):
                yield from _taken(memory, batch[start:end], trust, known, keys)
                start = end


def _taken(memory: Memory, entries: Sequence[Entry], trust: Channel, known: _Known, keys: _Keys | None) -> list[Result]:
    lines = [_admissible(entry, trust, keys) for entry in entries]
    present = [known.holds(line) for line in lines]
    fresh = [line for line, held in zip(lines, present, strict=True) if not held]
    taken = iter(memory.import_(fresh, trust=trust))
    results = [
        Result(place=entry.place, taken=None if held else next(taken))
        for entry, held in zip(entries, present, strict=True)
    ]
    return [_retract(memory, entry, result, trust) for entry, result in zip(entries, results, strict=True)]


def _admissible(entry: Entry, trust: Channel, keys: _Keys | None) -> Line:
    line = entry.line
    if isinstance(line, Draft):
        return line if keys is None else keys.keyed(line, entry.source)
    if isinstance(line, UpheldError) or trust is Channel.SYSTEM_OF_RECORD:
        return line
    return Refused(
        f"a line of a log says itself how far it is trusted; take it in with trust {Channel.SYSTEM_OF_RECORD.value} "
        "if you know where it comes from"
    )


def _retract(memory: Memory, entry: Entry, result: Result, trust: Channel) -> Result:
    if not entry.retracts or not isinstance(entry.line, Draft) or isinstance(result.taken, UpheldError):
        return result
    by, reason = _capped(entry.line.by, trust), entry.line.reason
    done: list[str] = []
    try:
        for id in entry.retracts:
            if memory.get(id).standing is not Standing.RETRACTED:
                memory.retract(id, by=by, reason=reason)
                done.append(id)
    except UpheldError as error:
        return replace(result, taken=error, retracted=tuple(done))
    return replace(result, retracted=tuple(done))


def _capped(by: str, trust: Channel) -> str:
    """The actor of a retraction, no more trusted than the import is."""
    channels = [*Channel]
    if channels.index(channel_of(by)) >= channels.index(trust):
        return by
    return f"{_ACTOR.get(trust, trust.value)}:{by.partition(':')[2]}"


class _Keys:
    """Gives each draft a key from where it stands and what it says, so that the store knows it again.

    The same words twice in one file are two statements: "A", then "B", then "A" again ends in A.
    """

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def keyed(self, draft: Draft, source: str) -> Draft:
        if draft.idempotency_key is not None:
            return draft
        digest = sha256(f"{source}\0{wire.dumps(draft)}".encode()).hexdigest()[:40]
        self._seen[digest] += 1
        return replace(draft, idempotency_key=f"import:{digest}:{self._seen[digest]}")


class _Known:
    """The log that the store held before, read when the first line of a log comes in."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._log: dict[int, wire.LogLine] | None = None

    def holds(self, line: Line) -> bool:
        """Whether a line of a log is the store's own, at the same position."""
        if isinstance(line, Draft | UpheldError):
            return False
        if self._log is None:
            self._log = {each.seq: each for each in self._memory.export()}
        return self._log.get(line.seq) == line
