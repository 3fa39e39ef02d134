"""Reads a document: its type's reader makes a page of it, which is cut into chunks and asked what it says of itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from functools import partial
from hashlib import sha256

from upheld import limits
from upheld.corpus import chunks, code, html, mail, markdown, office, pdf, records, stated, text
from upheld.corpus.blocks import MAX_TEXT_CHARS, Page
from upheld.corpus.characters import decoded
from upheld.corpus.languages import LANGUAGES
from upheld.document import MAX_DOCUMENT_BYTES, Document
from upheld.errors import Invalid, UpheldError
from upheld.note import Channel

_TEXT: dict[str, Callable[[str], Page]] = {
    **{suffix: partial(code.read, suffix=suffix) for suffix in (*LANGUAGES, "py", "pyi")},
    **dict.fromkeys(("md", "markdown", "mdown", "mkd", "mdx"), markdown.read),
    **dict.fromkeys(("txt", "text", "rst", "adoc", "org", "log"), text.read),
    **dict.fromkeys(("html", "htm", "xhtml"), html.read),
    **dict.fromkeys(("csv", "tsv"), records.read_table),
    **dict.fromkeys(("yaml", "yml"), records.read_yaml),
    **dict.fromkeys(("jsonl", "ndjson"), records.read_json_lines),
    "json": records.read_json,
    "toml": records.read_toml,
}
_BYTES: dict[str, Callable[[bytes], Page]] = {
    "docx": office.read_docx,
    "pptx": office.read_pptx,
    "eml": mail.read,
    "pdf": pdf.read,
}
_WHOLE_NAMES = {
    **dict.fromkeys("readme changelog changes history license licence notice authors contributing todo".split(), "txt"),
    **dict.fromkeys("makefile dockerfile gemfile rakefile justfile jenkinsfile".split(), "sh"),
}
_MEDIA = {
    "text/markdown": "md",
    "text/plain": "txt",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/json": "json",
    "application/x-ndjson": "jsonl",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    "application/yaml": "yaml",
    "application/toml": "toml",
    "application/pdf": "pdf",
    "message/rfc822": "eml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
}
_PROSE = frozenset(("md", "txt", "html"))

SUFFIXES = frozenset((*_TEXT, *_BYTES))
"""Every suffix that has a reader, in lower case without its dot."""


def is_known(name: str) -> bool:
    """Whether a file of this name has a reader.

    >>> is_known("docs/Prices.MD"), is_known("logo.png"), is_known("README")
    (True, False, True)
    """
    return _suffix(name) in SUFFIXES


def read(
    name: str,
    raw: bytes,
    *,
    media: str | None = None,
    dated: datetime | None = None,
    authority: Channel = Channel.DOCUMENT,
) -> Document:
    r"""Read one version of a document.

    Args:
        name: Its name in the corpus, one line of at most 512 characters; its suffix chooses the reader.
        raw: Its bytes, at most 32 MiB.
        media: A media type ("text/html") or suffix ("html") that goes before the name's suffix.
        dated: When it is from, where it does not say so itself: the date of its commit. Aware.
        authority: The channel that its word counts as; the document may only lower it.

    Raises:
        Invalid: It is too large, of no known type, no text, or damaged.
        Misconfigured: Its type needs an extra that is not installed; the message has the command.

    >>> found = read("ports.md", b"# Ports\n\nThe port is 5432.\n")
    >>> found.title, found.chunks[0].headings, found.chunks[0].text
    ('Ports', ('Ports',), 'The port is 5432.')
    """
    limits.name(name, "a document's name")
    fallback = limits.time(dated, "dated")
    if len(raw) > MAX_DOCUMENT_BYTES:
        raise Invalid(f"{name} has {len(raw):,} bytes; at most {MAX_DOCUMENT_BYTES:,} are read: split it")
    suffix = _suffix(name) if media is None else _of_media(media)
    try:
        page = _page(suffix, raw)
        said = stated.said(page, cap=authority)
        when = said.dated or fallback
        cut = chunks.cut(page, dated=when)
    except UpheldError as error:
        raise type(error)(f"{name}: {error}") from None
    return Document(
        name=name,
        version=sha256(raw).hexdigest(),
        text=page.text,
        chunks=cut,
        title=said.title,
        owner=said.owner,
        authority=said.authority,
        dated=when,
    )


def _page(suffix: str, raw: bytes) -> Page:
    if suffix in _BYTES:
        return _BYTES[suffix](raw)
    if suffix not in _TEXT:
        raise Invalid(f"its type {suffix or 'without a suffix'!r} has no reader; known: {', '.join(sorted(SUFFIXES))}")
    source = decoded(raw, declared=suffix in _PROSE)
    if not source.strip():
        return Page(text=source)
    page = _TEXT[suffix](source)
    if len(page.text) > MAX_TEXT_CHARS:
        raise Invalid(f"its text has more than {MAX_TEXT_CHARS:,} characters; split it")
    return page


def _suffix(name: str) -> str:
    last = re.split(r"[/\\]", name)[-1].lower()
    stem, dot, suffix = last.rpartition(".")
    return suffix if dot and stem else _WHOLE_NAMES.get(last, "")


def _of_media(media: str) -> str:
    kind = media.partition(";")[0].strip().lower()
    return _MEDIA.get(kind, kind.lstrip("."))
