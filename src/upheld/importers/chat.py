r"""Reads messages of a conversation: JSON Lines, one JSON list, or plain text as chats are exported.

    {"role": "user", "by": "person:ana", "at": "2026-02-27T12:00:00Z", "text": "I moved to Berlin."}
    [{"role": "user", "content": "I moved to Berlin."}, {"role": "assistant", "content": "Noted."}]
    [2026-02-27T12:00:00Z] Ana: I moved to Berlin.

In plain text a message begins with its time in brackets (with its offset, or a date) and a name; what follows on
further lines belongs to it. "assistant", "system" and "tool" are those roles, other names are people. The first line
that cannot be read ends the reading: a conversation with a hole in it says something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from upheld import limits, wire
from upheld.conversation.message import Message, Role
from upheld.errors import Invalid, UpheldError
from upheld.importers.files import MAX_LINE_BYTES, decoded, numbered, open_plain

_BEGINS = re.compile(r"\[(?P<at>\d{4}-\d\d-\d\d[^\]\n]{0,30})\] (?P<name>[^:\n]{1,80}): (?P<text>.*)")
_ROLES = {"assistant": Role.ASSISTANT, "ai": Role.ASSISTANT, "bot": Role.ASSISTANT}
_ROLES |= {"system": Role.SYSTEM, "tool": Role.TOOL}


def read(path: Path) -> Iterator[Message]:
    """The messages of a file, which may be compressed with gzip. Raises `Invalid` with the place of what is wrong."""
    with open_plain(path) as file:
        yield from read_stream(file, path.name)


def read_stream(file: BinaryIO, source: str) -> Iterator[Message]:
    """The messages of a stream that is called `source` in messages of errors."""
    lines = ((number, _line(raw, f"{source}:{number}")) for number, raw in numbered(file))
    first = next(((number, line) for number, line in lines if line.strip()), None)
    if first is None:
        return
    rest = _from(first, lines)
    if _BEGINS.match(first[1]) is not None:
        yield from _plain(rest, source)
    elif first[1].lstrip().startswith("["):
        yield from _listed(rest, source)
    else:
        for number, line in rest:
            if line.strip():
                yield _read(_json(line, f"{source}:{number}"), f"{source}:{number}")


def _from(first: tuple[int, str], lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    yield first
    yield from lines


def _line(raw: bytes | Invalid, place: str) -> str:
    try:
        if isinstance(raw, Invalid):
            raise raw
        return decoded(raw)
    except UpheldError as error:
        raise Invalid(f"{place}: {error}") from None


def _json(text: str, place: str) -> object:
    try:
        return wire.loads(text)
    except UpheldError as error:
        raise type(error)(f"{place}: {error}") from None


def _read(value: object, place: str) -> Message:
    try:
        return wire.message_of(value)
    except UpheldError as error:
        raise type(error)(f"{place}: {error}") from None


def _listed(lines: Iterator[tuple[int, str]], source: str) -> Iterator[Message]:
    """One JSON list of messages, held whole: it must fit into the size of one line."""
    text = ""
    for _, line in lines:
        text += line
        if len(text) > MAX_LINE_BYTES:
            raise Invalid(f"{source}: a list of more than {MAX_LINE_BYTES:,} characters; write one message a line")
    found = _json(text, source)
    if not isinstance(found, list):
        raise Invalid(f"{source}: not a list of messages")
    for place, each in enumerate(found, 1):
        yield _read(each, f"{source}, message {place}")


def _plain(lines: Iterator[tuple[int, str]], source: str) -> Iterator[Message]:
    begun: tuple[int, re.Match[str]] | None = None
    text: list[str] = []
    for number, line in lines:
        said = line.removesuffix("\n").removesuffix("\r")
        if (match := _BEGINS.fullmatch(said)) is not None:
            if begun is not None:
                yield _spoken(*begun, text, source)
            begun, text = (number, match), [match["text"]]
        else:
            text.append(said)
    if begun is not None:
        yield _spoken(*begun, text, source)


def _spoken(number: int, match: re.Match[str], lines: list[str], source: str) -> Message:
    name = match["name"].strip()
    role = _ROLES.get(name.lower(), Role.USER)
    by = f"person:{name.lower() if name.isalpha() else name}" if role is Role.USER else None
    try:
        at = limits.time(match["at"], "the time in brackets")
    except UpheldError as error:
        raise type(error)(f"{source}:{number}: {error}") from None
    return Message(role=role, by=by, at=at, text="\n".join(lines).strip())
