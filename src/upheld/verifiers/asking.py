"""What the databases that can be asked have in common: a question with parameters, some rows, and a time limit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

Parameters: TypeAlias = Mapping[str, str]
Rows: TypeAlias = Sequence[Sequence[object]]
Ask: TypeAlias = Callable[[Parameters], Rows]
Left: TypeAlias = Callable[[], float]
"""How many seconds are left; 0 or less when the time is up."""


class Place(Protocol):
    """A database and the query that it is asked."""

    def open(self, left: Left) -> AbstractContextManager[Ask]:
        """Open a way to ask: it gives the first two rows. Raises `Unavailable`, with a reason that holds no value."""
        ...
