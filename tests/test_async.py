"""The awaited verbs are the same verbs."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest

import upheld
from upheld import AsyncMemory, Invalid, Memory, NotFound
from upheld.asynchronous import AsyncCorpus, AsyncInbox
from upheld.documents import Corpus
from upheld.inbox import Inbox

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


def verbs(of: type) -> set[str]:
    own = {name: each for base in reversed(of.__mro__[:-1]) for name, each in vars(base).items()}
    return {name for name, value in own.items() if callable(value) and not name.startswith("_")}


def test_every_verb_is_there_and_no_other() -> None:
    assert verbs(AsyncMemory) == verbs(Memory)
    assert len(verbs(Memory)) >= 14
    assert verbs(AsyncCorpus) == verbs(Corpus) - {"watch", "doubt"}  # an endless iterator, and no verb for callers
    assert verbs(AsyncInbox) == verbs(Inbox) >= {"accept", "undo", "correct"}


@pytest.mark.parametrize("verb", sorted(verbs(Memory)))
def test_a_verb_is_awaited_and_keeps_its_name_and_its_words(verb: str) -> None:
    awaited, plain = getattr(AsyncMemory, verb), getattr(Memory, verb)
    assert inspect.iscoroutinefunction(awaited)
    assert not inspect.iscoroutinefunction(plain)
    assert (awaited.__name__, awaited.__doc__) == (plain.__name__, plain.__doc__)


def test_the_verbs_do_what_the_plain_ones_do(tmp_path: Path) -> None:
    async def work() -> None:
        async with AsyncMemory(upheld.open(tmp_path / "m.db", embedder=None)) as memory:
            old = await memory.remember("Invoices go out on Mondays.")
            new = await memory.supersede(old.id, "Invoices go out on Fridays.", reason="asked by finance")
            answer = await memory.recall("when do invoices go out")
            assert [note.id for note in answer.upheld] == [new.id]
            assert (await memory.get(old.id)).standing is upheld.Standing.SUPERSEDED
            assert [view.id for view in await memory.history(old.id)] == [old.id, new.id]
            assert (await memory.explain(old.id)).because[0].view.id == new.id
            await memory.confirm(new.id)
            await memory.retract(new.id)
            await memory.restore(new.id)
            lines = list(await memory.export())
            results = await memory.remember_many([upheld.Draft(statement="Rates rose.", extract_key=False)])
            assert len(results) == 1
            assert await memory.scopes() == {"default": 3}
            assert len((await memory.list("default")).notes) == 2
        async with AsyncMemory(upheld.open(":memory:", embedder=None)) as copy:
            assert len(await copy.import_(lines)) == len(lines)

    run(work())


def test_errors_are_the_same_errors() -> None:
    async def work() -> None:
        async with AsyncMemory(upheld.open(":memory:", embedder=None)) as memory:
            with pytest.raises(Invalid):
                await memory.remember("")
            with pytest.raises(NotFound):
                await memory.get("nobody")
            assert (await memory.remember("The gate is blue.")).outcome == "added"

    run(work())


def test_fifty_writes_and_fifty_questions_at_once_are_all_answered(tmp_path: Path) -> None:
    async def work() -> None:
        async with AsyncMemory(upheld.open(tmp_path / "m.db", embedder=None)) as memory:
            written = await asyncio.gather(
                *(memory.remember(f"Gate {n} is blue.", id=f"g{n}", extract_key=False) for n in range(50)),
                *(memory.recall("gate") for _ in range(50)),
            )
            assert len(written) == 100
            assert len((await memory.list("default")).notes) == 50

    run(work())


def test_a_waiting_verb_does_not_hold_up_the_event_loop(tmp_path: Path) -> None:
    async def work() -> None:
        store = upheld.open(tmp_path / "m.db", embedder=None)
        async with AsyncMemory(store) as memory:
            held, release = threading.Event(), threading.Event()

            def hold() -> None:
                with store._database.writing():
                    held.set()
                    release.wait(10)

            holding = threading.Thread(target=hold)
            holding.start()
            held.wait(10)
            writing = asyncio.create_task(memory.remember("The gate is blue."))
            for _ in range(20):
                await asyncio.sleep(0.005)
            assert not writing.done(), "the loop went round twenty times while the write was waiting"
            release.set()
            assert (await writing).outcome == "added"
            holding.join()

    run(work())


def test_an_export_reads_in_the_worker_thread_not_in_the_event_loop(tmp_path: Path) -> None:
    async def work() -> None:
        store = upheld.open(tmp_path / "m.db", embedder=None)
        async with AsyncMemory(store) as memory:
            await memory.remember("The gate is blue.")
            readers: list[int] = []
            reading = store._database.reading

            def noted() -> Any:
                readers.append(threading.get_ident())
                return reading()

            store._database.reading = noted  # type: ignore[method-assign]
            lines = list(await memory.export())
            assert len(lines) == 1
            assert readers
            assert threading.get_ident() not in readers

    run(work())


def test_a_cancelled_write_is_there_or_not_and_the_store_goes_on(tmp_path: Path) -> None:
    async def work() -> None:
        async with AsyncMemory(upheld.open(tmp_path / "m.db", embedder=None)) as memory:
            task = asyncio.create_task(memory.remember("The gate is blue.", idempotency_key="k"))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            again = await memory.remember("The gate is blue.", idempotency_key="k")
            assert again.outcome in {"added", "repeated"}, "the key tells which"
            assert len((await memory.list("default", mode="history")).notes) == 1

    run(work())
