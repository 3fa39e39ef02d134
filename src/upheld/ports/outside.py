"""The world outside: time, ids, models, and the systems that own values."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from upheld.aside import Sentence, Work
from upheld.document import Pair
from upheld.verification import Asked, Reply

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Clock(Protocol):
    """The present moment, aware and in UTC."""

    def __call__(self) -> datetime:
        """Return the present moment."""
        ...


class Ids(Protocol):
    """A source of ids that were never given out before."""

    def __call__(self) -> str:
        """Return a new id."""
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def model(self) -> str:
        """A stable id of the weights; stored with every vector."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit row per text, in order: float32, len(texts) x dimension."""
        ...


class Judge(Protocol):
    """Says whether chunks contradict claims. What it says counts only after `judgement.checked`."""

    @property
    def name(self) -> str:
        """A stable id with a version ("values/1"); kept with every verdict, so that no pair is judged twice."""
        ...

    def judge(self, pairs: Sequence[Pair]) -> Sequence[object]:
        """Return one `Verdict` per pair, in order. Whatever else comes back, or is raised, changes nothing."""
        ...


class Writer(Protocol):
    """Writes what notes say in fewer words, or what they let one suspect. It counts only after its check."""

    @property
    def name(self) -> str:
        """A stable id with a version ("extractive-1"): of code, or of a model and its prompt."""
        ...

    def write(self, work: Work) -> Sequence[Sentence]:
        """Return sentences in the order in which they are read, each with the words of notes that it stands on.

        Where it is to guess, each sentence is one guess. Raises `Unavailable` where it could not write.
        """
        ...


class Verifier(Protocol):
    """Reads values from the system that owns them. What it says counts only after `verify.checked`."""

    @property
    def source(self) -> str:
        """The name of the system ("billing"): it is asked once about a subject in a window, and cited."""
        ...

    def verify(self, asked: Sequence[Asked]) -> Sequence[Reply]:
        """Return one reply per note, in order; all are about one subject in one scope.

        Whatever else comes back, or is raised, verifies nothing. It may be called from several threads at once.
        """
        ...
