"""Takes entries into a memory, so that doing it again, or going on after an interruption, changes nothing twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import groupby

from msgspec import structs

from upheld import wire
from upheld.errors import Refused, UpheldError
from upheld.importers.entry import Entry
from upheld.intake import Line, Taken, batches
from upheld.limits import channel_of
from upheld.memory import Memory, Progress
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
    memory: Memory,
    entries: Iterable[Entry],
    *,
    trust: Channel = Channel.TOOL,
    again: bool = False,
    progress: Progress | None = None,
) -> Iterator[Result]:
    """Write entries in order; for each, what came of it. Drafts go in batches, each of them one transaction.

    `trust` caps the channel that any draft may claim. Lines of a log keep the channels that they have, so they are
    taken in only where `trust` is the system of record, and go into an empty store only. A draft that this store took
    in before from the same place, word for word, is `repeated`; with `again` it counts as said anew. `progress` is
    called with how many entries are done.
    """
    keys = None if again else _Keys()
    done = 0

    def tick(more: int) -> None:
        if progress is not None:
            progress(done + more)

    for is_log, run in groupby(entries, _Runs()):
        for results in [_log(memory, run, trust, tick)] if is_log else _drafts(memory, run, trust, keys):
            yield from results
            done += len(results)
            tick(0)


class _Runs:
    """Says for each entry whether it is of a log; an error is of what it stands among."""

    def __init__(self) -> None:
        self._of_log = False

    def __call__(self, entry: Entry) -> bool:
        if not isinstance(entry.line, UpheldError):
            self._of_log = not isinstance(entry.line, Draft)
        return self._of_log


def _drafts(memory: Memory, entries: Iterable[Entry], trust: Channel, keys: _Keys | None) -> Iterator[list[Result]]:
    for batch in batches(entries, BATCH):
        start = 0
        for end, entry in enumerate(batch, start=1):
            # A retraction stands between what is written before and after it.
            if entry.retracts or end == len(batch):
                yield _written(memory, batch[start:end], trust, keys)
                start = end


def _written(memory: Memory, entries: Sequence[Entry], trust: Channel, keys: _Keys | None) -> list[Result]:
    lines = [
        keys.keyed(entry.line, entry.source) if keys is not None and isinstance(entry.line, Draft) else entry.line
        for entry in entries
    ]
    taken = memory.import_(lines, trust=trust)
    results = [Result(place=entry.place, taken=each) for entry, each in zip(entries, taken, strict=True)]
    return [_retract(memory, entry, result, trust) for entry, result in zip(entries, results, strict=True)]


def _log(memory: Memory, entries: Iterable[Entry], trust: Channel, progress: Progress) -> list[Result]:
    """Take over a log in one go: once a part of it is there, the store is no longer empty."""
    known = {line.seq: line for line in memory.export()}
    given: list[tuple[Entry, bool]] = []

    def fresh() -> Iterator[Line]:
        for entry in entries:
            line = entry.line
            if not isinstance(line, Draft | UpheldError) and known.get(line.seq) == line:
                given.append((entry, True))
                continue
            given.append((entry, False))
            yield line if isinstance(line, UpheldError) or trust is Channel.SYSTEM_OF_RECORD else _distrusted()

    taken = iter(memory.import_(fresh(), trust=trust, progress=progress))
    return [Result(place=entry.place, taken=None if held else next(taken)) for entry, held in given]


def _distrusted() -> Refused:
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
        return structs.replace(draft, idempotency_key=f"import:{digest}:{self._seen[digest]}")
