"""The nouns of the corpus and of judging: a document, its chunks, what is compared, and a verdict. Frozen, no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import sha256

from upheld.note import Channel

MAX_DOCUMENT_BYTES = 32 * 1024**2
MAX_CHUNK_CHARS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A passage of a document: `text` is `document.text[start:end]`, offsets in code points.

    `headings` are the titles above it, outermost first; they and the document's date are part of what it says.
    """

    start: int
    end: int
    text: str
    headings: tuple[str, ...] = ()
    dated: datetime | None = None

    @property
    def digest(self) -> str:
        """What makes a chunk the same chunk in another version: its words, headings and date; not its place."""
        said = "\0".join((*self.headings, "" if self.dated is None else self.dated.isoformat(), self.text))
        return sha256(said.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One version of a document, as a reader made it. `version` is the sha256 of the bytes it was read from.

    `name` is unique in a store: a path below the folder that was added, or an address. `dated` is when the document
    says that it was written or takes effect, else when its repository committed it, else None: never the time of
    reading. `authority` is the channel its word counts as.
    """

    name: str
    version: str
    text: str
    chunks: tuple[Chunk, ...]
    title: str | None = None
    owner: str | None = None
    authority: Channel = Channel.DOCUMENT
    dated: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What is held against a document: a note, or a statement that was never stored. Times as in a note."""

    statement: str
    subject_key: str | None = None
    attribute_key: str | None = None
    value_key: str | None = None
    single: bool = False
    applies_when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    observed_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One claim and one chunk, to be judged."""

    claim: Claim
    chunk: Chunk


class Finding(StrEnum):
    """What a judge may say of a pair. Silence is `unrelated`; a judge that cannot tell abstains."""

    CONTRADICTED = "contradicted"
    CONSISTENT = "consistent"
    UNRELATED = "unrelated"
    ABSTAIN = "abstain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a judge said of one pair. The quotes must stand verbatim in the claim's statement and in the chunk's text.

    `acts` says that it may retire a note alone; a verdict that does not act can only raise a dispute. `effective_from`
    is when the chunk says that the change took effect, if it says so. `why` is one line for a person.
    """

    finding: Finding
    confidence: float = 1.0
    claim_quote: str = ""
    chunk_quote: str = ""
    effective_from: datetime | None = None
    acts: bool = False
    why: str = ""
