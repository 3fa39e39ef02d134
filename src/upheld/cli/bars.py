"""A bar for work that has several steps, with what is left of the time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from upheld.cli.desk import Desk

Tick: TypeAlias = Callable[[int, int | None], None]
SLOW_S = 1.0


@contextmanager
def bar(desk: Desk, what: str, *, first: str | None = None) -> Iterator[Tick]:
    """A bar on stderr for work that takes longer than a second, where stderr is a terminal.

    Call what this gives with how much is done, and of how much. Work that begins with a step of unknown length names
    it by `first`: that step goes on until a total is given.
    """
    started = time.monotonic()
    drawn: Any = None
    counting = first is not None

    def tick(done: int, total: int | None) -> None:
        nonlocal drawn, counting
        counting = counting and total is None
        if drawn is None:
            if not desk.err.is_terminal or time.monotonic() - started < SLOW_S:
                return
            drawn = _drawn(desk)
            drawn.start()
            drawn.add_task(first if counting else what, total=None)
        step = drawn.tasks[0]
        if not counting and step.description != what:
            # Another step has a speed of its own.
            drawn.reset(step.id, description=what)
        drawn.update(step.id, completed=done, total=None if counting else total)

    try:
        yield tick
    finally:
        if drawn is not None:
            drawn.stop()


def _drawn(desk: Desk) -> Any:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    times = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    return Progress(*columns, *times, console=desk.err, transient=True)
