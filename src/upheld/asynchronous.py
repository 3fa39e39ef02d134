"""The same verbs for asyncio: each runs in a worker thread, so the event loop never waits for a disk or a model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from upheld.memory import Memory

P = ParamSpec("P")
R = TypeVar("R")


def _in_thread(
    verb: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, R]]:
    async def call(self: AsyncMemory, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(verb, self.memory, *args, **kwargs)

    call.__name__, call.__doc__ = verb.__name__, verb.__doc__
    return call


class AsyncMemory:
    """A `Memory` whose verbs are awaited. `AsyncMemory(upheld.open(...))`."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    remember = _in_thread(Memory.remember)
    supersede = _in_thread(Memory.supersede)
    remember_many = _in_thread(Memory.remember_many)
    confirm = _in_thread(Memory.confirm)
    retract = _in_thread(Memory.retract)
    restore = _in_thread(Memory.restore)
    import_ = _in_thread(Memory.import_)
    recall = _in_thread(Memory.recall)
    get = _in_thread(Memory.get)
    history = _in_thread(Memory.history)
    list = _in_thread(Memory.list)
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
