r"""Reads notes from files: JSON Lines (drafts, or a whole log as `export` gives it) and folders of Markdown entries.

A reader yields one `Entry` a line or file, in order; what cannot be read is an entry too, with its error, and the
others go on. `take_in` writes entries into a memory.

>>> import upheld
>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder, upheld.open(":memory:", embedder=None) as memory:
...     file = Path(folder) / "notes.jsonl"
...     _ = file.write_text('{"statement": "The port of the orders database is 5432."}\nnonsense\n')
...     [str(result) for result in take_in(memory, read(file))]
['notes.jsonl:1: added', 'notes.jsonl:2: not valid JSON at character 1: Expecting value']
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from upheld.importers import jsonl, markdown
from upheld.importers.entry import Entry
from upheld.importers.taking import Result, take_in

__all__ = ["Entry", "Result", "jsonl", "markdown", "read", "take_in"]


def read(path: Path, *, scope: str | None = None) -> Iterator[Entry]:
    """The entries of a folder, a Markdown file, or else a file of JSON Lines, which may be compressed (.gz).

    `scope` goes before the scope that an entry has by itself. Raises `Invalid` where the whole cannot be read, and
    `Refused` for anything but plain files and folders.
    """
    if path.is_dir() or path.suffix.lower() == ".md":
        return markdown.read(path, scope=scope)
    return jsonl.read(path, scope=scope)
