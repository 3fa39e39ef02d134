"""The embedder that a suite on real text uses, and what is said where there is none."""

from __future__ import annotations

from upheld.errors import UpheldError
from upheld.opening import default_embedder
from upheld.ports import Embedder

WORDS_ONLY = "words only"


def embedder_or_words() -> tuple[Embedder | None, str]:
    """The library's own embedder and its model; or None and why notes are found by words only."""
    try:
        found = default_embedder()
    except (ImportError, UpheldError) as error:
        return None, f"{WORDS_ONLY}: {error}"
    return found, found.model
