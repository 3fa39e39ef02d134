"""Progress on stderr, so that stdout holds the result and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

Tick = Callable[[int], None]


class Steps:
    """The steps of a run, each a line with a bar; nothing is drawn where stderr is no terminal."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )

    @contextmanager
    def step(self, name: str, total: int) -> Iterator[Tick]:
        """One step: call what this gives with how much of `total` is done."""
        task = self._progress.add_task(name, total=total)
        yield lambda done: self._progress.update(task, completed=done)
        self._progress.update(task, completed=total)

    def __enter__(self) -> Self:
        """Give the steps to a `with` block."""
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the bars as they stand."""
        self._progress.stop()
