"""What a caller retrieved elsewhere and hands to `recall`: texts become chunks, as they would in the corpus."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from upheld import limits
from upheld.corpus.read import read
from upheld.document import MAX_DOCUMENT_BYTES, Chunk
from upheld.errors import Invalid

MAX_PASSAGES = 256


def passages(documents: Sequence[str | Chunk]) -> list[Chunk]:
    """What a caller retrieved, as chunks: a text is cut like a Markdown document, a chunk stays as it is.

    Raises `Invalid` for more than 256 passages.
    """
    if isinstance(documents, str | Chunk) or not isinstance(documents, Sequence):
        raise Invalid("documents must be a list of texts or chunks")
    cut: list[Chunk] = []
    for each in islice(documents, MAX_PASSAGES + 1):
        text = limits.text(each.text if isinstance(each, Chunk) else each, "document", MAX_DOCUMENT_BYTES)
        cut += [each] if isinstance(each, Chunk) else read("retrieved.md", text.encode()).chunks
    if len(cut) > MAX_PASSAGES:
        raise Invalid(f"documents hold {len(cut)} passages; at most {MAX_PASSAGES} are compared with one answer")
    return cut
