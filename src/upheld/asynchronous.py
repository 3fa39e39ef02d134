"""The same verbs for asyncio: each runs in a worker thread, so the event loop never waits for a disk or a model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from upheld.auditing import Audits
from upheld.consolidating import Consolidating
from upheld.documents import Corpus
from upheld.inbox import Inbox
from upheld.memory import Memory
from upheld.reviewing import Reviews
from upheld.uses import Uses

P = ParamSpec("P")
R = TypeVar("R")
V = TypeVar("V")


class _Awaited(Generic[V]):
    """Something whose verbs run in a worker thread."""

    def __init__(self, plain: V) -> None:
        self._plain = plain


def _in_thread(
    verb: Callable[Concatenate[V, P], R],
) -> Callable[Concatenate[_Awaited[V], P], Coroutine[Any, Any, R]]:
    async def call(self: _Awaited[V], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(verb, self._plain, *args, **kwargs)

    call.__name__, call.__doc__ = verb.__name__, verb.__doc__
    return call


class AsyncCorpus(_Awaited[Corpus]):
    """A `Corpus` whose verbs are awaited. To watch a folder, add it again when it changed."""

    add = _in_thread(Corpus.add)
    add_text = _in_thread(Corpus.add_text)
    list = _in_thread(Corpus.list)
    remove = _in_thread(Corpus.remove)
    sweep = _in_thread(Corpus.sweep)


class AsyncInbox(_Awaited[Inbox]):
    """An `Inbox` whose verbs are awaited."""

    list = _in_thread(Inbox.list)
    accept = _in_thread(Inbox.accept)
    undo = _in_thread(Inbox.undo)
    correct = _in_thread(Inbox.correct)


class AsyncReviews(_Awaited[Reviews]):
    """`Reviews` whose verbs are awaited."""

    list = _in_thread(Reviews.list)
    accept = _in_thread(Reviews.accept)
    reject = _in_thread(Reviews.reject)


class AsyncAudits(_Awaited[Audits]):
    """`Audits` whose verbs are awaited."""

    run = _in_thread(Audits.run)
    questions = _in_thread(Audits.questions)
    answer = _in_thread(Audits.answer)
    report = _in_thread(Audits.report)


class AsyncUses(_Awaited[Uses]):
    """A `Uses` whose verbs are awaited."""

    drift = _in_thread(Uses.drift)
    flush = _in_thread(Uses.flush)


class AsyncConsolidating(_Awaited[Consolidating]):
    """A `Consolidating` whose verbs are awaited."""

    compress = _in_thread(Consolidating.compress)
    infer = _in_thread(Consolidating.infer)
    list = _in_thread(Consolidating.list)
    publish = _in_thread(Consolidating.publish)
    discard = _in_thread(Consolidating.discard)
    staleness = _in_thread(Consolidating.staleness)


class AsyncMemory(_Awaited[Memory]):
    """A `Memory` whose verbs are awaited. `AsyncMemory(upheld.open(...))`."""

    def __init__(self, memory: Memory) -> None:
        super().__init__(memory)
        self.memory = memory
        self.corpus = AsyncCorpus(memory.corpus)
        self.inbox = AsyncInbox(memory.inbox)
        self.uses = AsyncUses(memory.uses)
        self.audits = AsyncAudits(memory.audits)
        self.consolidations = AsyncConsolidating(memory.consolidations)
        self.reviews = AsyncReviews(memory.reviews)

    remember = _in_thread(Memory.remember)
    supersede = _in_thread(Memory.supersede)
    remember_many = _in_thread(Memory.remember_many)
    confirm = _in_thread(Memory.confirm)
    retract = _in_thread(Memory.retract)
    restore = _in_thread(Memory.restore)
    correct = _in_thread(Memory.correct)
    verify = _in_thread(Memory.verify)
    ingest = _in_thread(Memory.ingest)
    extract = _in_thread(Memory.extract)
    import_ = _in_thread(Memory.import_)
    recall = _in_thread(Memory.recall)
    get = _in_thread(Memory.get)
    history = _in_thread(Memory.history)
    list = _in_thread(Memory.list)
    rests_on = _in_thread(Memory.rests_on)
    supports = _in_thread(Memory.supports)
    scopes = _in_thread(Memory.scopes)
    explain = _in_thread(Memory.explain)
    export = _in_thread(Memory.export)
    close = _in_thread(Memory.close)

    async def __aenter__(self) -> Self:
        """Give the memory to an `async with` block."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close at the end of an `async with` block."""
        await self.close()
