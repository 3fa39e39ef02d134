"""What a writer wrote, kept in a file: a run is made again without the writer, without a network, and the same.

One line of JSON is one answer, keyed by the notes and the writer's name. Sentences are kept as they were written,
before any check, so that a replay is checked by the rules of today.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from upheld.aside import Quote, Sentence, Work
from upheld.errors import Corrupt, Misconfigured, Unavailable
from upheld.note import Key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from upheld.ports import Writer


def digest(work: Work) -> str:
    """What makes a piece of work the same: the operation, the length and the texts in order, not the ids."""
    texts = [note.statement for note in work.notes]
    return sha256(json.dumps([work.operation, work.most_chars, texts]).encode()).hexdigest()


class Recorded:
    """A writer that answers from the file at `path`, and asks `writer`, if there is one, about what is not in it.

    What that writer writes is added to the file. Without a writer, `name` says whose answers to replay, and work that
    is not in the file raises `Unavailable`. Raises `Corrupt` for a line that no recording wrote; a last one that was
    cut short is passed over.
    """

    def __init__(self, path: str | Path, writer: Writer | None = None, *, name: str | None = None) -> None:
        if (writer is None) == (name is None):
            raise Misconfigured("a recording needs a writer to ask, or else the name of the writer to replay")
        self._path = Path(path)
        self._writer = writer
        self._name = name or (writer.name if writer is not None else "")
        self._lock = Lock()
        if writer is None and not self._path.exists():
            raise Misconfigured(f"there is no recording at {self._path}")
        self._said = _read(self._path, self._name)

    def __repr__(self) -> str:
        return f"Recorded({str(self._path)!r}, {self._name!r})"

    @property
    def name(self) -> str:
        """The name of the writer whose answers these are."""
        return self._name

    def write(self, work: Work) -> list[Sentence]:
        """What the writer wrote of these texts. Raises what the writer raises, and then keeps nothing."""
        key = digest(work)
        with self._lock:
            if key not in self._said:
                if self._writer is None:
                    raise Unavailable(f"{self._path.name} holds nothing that {self._name} wrote of these notes")
                self._keep(key, self._writer.write(work), work)
            return _restored(self._said[key], work)

    def _keep(self, key: str, sentences: Sequence[Sentence], work: Work) -> None:
        said = _written(sentences, work)
        line = json.dumps({"work": key, "writer": self._name, "sentences": said}) + "\n"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        cut = self._path.exists() and not self._path.read_bytes().endswith(b"\n") and self._path.stat().st_size > 0
        with self._path.open("a", encoding="utf-8") as file:
            file.write("\n" + line if cut else line)
        self._said[key] = said


def _read(path: Path, name: str) -> dict[str, list[Any]]:
    try:
        content = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    said: dict[str, list[Any]] = {}
    lines = content.split("\n")
    for number, line in enumerate(lines, start=1):
        try:
            entry = json.loads(line) if line else None
            if entry is not None and entry["writer"] == name:
                said[str(entry["work"])] = list(entry["sentences"])
        except (ValueError, TypeError, KeyError):
            if number < len(lines) and not _cut_short(line):
                raise Corrupt(f"{path}, line {number}: nothing that a writer wrote") from None
    return said


def _cut_short(line: str) -> bool:
    """Whether a line is the beginning of one that a killed run did not end."""
    return line.startswith('{"work": ') and not line.endswith("}")


def _written(sentences: Sequence[Sentence], work: Work) -> list[Any]:
    places = {note.id: place for place, note in enumerate(work.notes)}
    return [
        {
            "text": each.text,
            "quotes": [[places.get(quote.note, -1), quote.text] for quote in each.quotes],
            "confidence": each.confidence,
            "key": None if each.key is None else [each.key.subject, each.key.attribute, each.key.single],
            "value": each.value,
        }
        for each in sentences
    ]


def _restored(said: list[Any], work: Work) -> list[Sentence]:
    ids = [note.id for note in work.notes]
    return [
        Sentence(
            text=each["text"],
            quotes=tuple(
                Quote(note=ids[place] if 0 <= place < len(ids) else "", text=text) for place, text in each["quotes"]
            ),
            confidence=each["confidence"],
            key=_key(each["key"]),
            value=each["value"],
        )
        for each in said
    ]


def _key(said: list[Any] | None) -> Key | None:
    return None if said is None else Key(subject=said[0], attribute=said[1], single=said[2])
