"""Documents whose authors wrote which of them replace which: read with all that is wrong with them.

Nothing here guesses. An edge is left out, and counted under its reason, where an end of it is missing or not the
only document of its number, where it was there before, and where it would let a document replace itself.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from upheld.errors import Invalid, Misconfigured
from upheld.note import MAX_STATEMENT_BYTES

FOLDER = "authored_supersession"
DOCUMENTS, EDGES = "documents.jsonl", "supersedes_edges.jsonl"
_QUERY_WORDS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One document. `id` is its corpus and number; where numbers repeat, later ones carry a count as well."""

    id: str
    corpus: str
    number: str
    title: str
    text: str
    created: datetime | None

    @property
    def words(self) -> str:
        """Title and text; where it has neither, its number, which is all that is known of it."""
        return "\n\n".join(part for part in (self.title, self.text) if part) or f"{self.corpus.upper()} {self.number}"

    @property
    def query(self) -> str:
        """What someone would ask for it by: its title, or the first words of it."""
        return self.title or " ".join(self.words.split()[:_QUERY_WORDS])


@dataclass(frozen=True, slots=True)
class Library:
    """The documents and their statements by id, the edges as (old, new), and how many lines were left out and why."""

    documents: dict[str, Document] = field(default_factory=dict)
    statements: dict[str, str] = field(default_factory=dict)
    edges: list[tuple[str, str]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def read(folder: Path) -> Library:
    """Read both files of a folder."""
    library = Library()
    by_number: dict[tuple[str, str], list[str]] = {}
    seen: set[tuple[str, ...]] = set()
    for line in _lines(folder / DOCUMENTS, library.counts):
        corpus, number = _text(line, "corpus"), _text(line, "id")
        title, text = _text(line, "title"), _text(line, "text")
        if not corpus or not number:
            library.counts["documents_without_number"] += 1
            continue
        if (corpus, number, title, text) in seen:
            library.counts["documents_repeated"] += 1
            continue
        seen.add((corpus, number, title, text))
        same = by_number.setdefault((corpus, number), [])
        same.append(f"{corpus}/{number}" + (f"#{len(same) + 1}" if same else ""))
        library.counts["documents_sharing_number"] += len(same) > 1
        library.counts["documents_without_title"] += not title
        library.counts["documents_without_text"] += not text
        library.documents[same[-1]] = Document(
            id=same[-1], corpus=corpus, number=number, title=title, text=text, created=date(_text(line, "created"))
        )
    library.counts["documents"] = len(library.documents)
    library.statements.update(statements(library.documents.values()))
    _read_edges(folder / EDGES, library, by_number)
    return library


def _read_edges(path: Path, library: Library, by_number: Mapping[tuple[str, str], Sequence[str]]) -> None:
    successors: dict[str, set[str]] = {}
    for line in _lines(path, library.counts):
        library.counts["edges_read"] += 1
        corpus = _text(line, "corpus")
        olds, news = (by_number.get((corpus, _text(line, end)), ()) for end in ("old", "new"))
        if not olds or not news:
            library.counts["edges_missing_end"] += 1
        elif len(olds) > 1 or len(news) > 1:
            library.counts["edges_ambiguous"] += 1
        elif news[0] in successors.get(olds[0], ()):
            library.counts["edges_repeated"] += 1
        elif olds[0] in {news[0], *_reached(successors, news[0])}:
            library.counts["edges_in_cycles"] += 1
        else:
            successors.setdefault(olds[0], set()).add(news[0])
            library.edges.append((olds[0], news[0]))
    library.counts["edges"] = len(library.edges)


def _reached(successors: Mapping[str, Iterable[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = set(successors.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found


def heads(edges: Iterable[tuple[str, str]], start: str) -> list[str]:
    """Where the chains from a document end; itself where nothing replaces it.

    >>> heads([("a", "b"), ("b", "c"), ("a", "d")], "a")
    ['c', 'd']
    """
    successors: dict[str, list[str]] = {}
    for old, new in edges:
        successors.setdefault(old, []).append(new)
    return sorted(end for end in {start, *_reached(successors, start)} if end not in successors)


def longest_chain(edges: Sequence[tuple[str, str]]) -> int:
    """The most steps from a document to the end of its chain.

    >>> longest_chain([("a", "b"), ("b", "c"), ("a", "c")])
    2
    """
    steps: dict[str, int] = {}
    replaced = {new: [old for old, other in edges if other == new] for _, new in edges}
    for document in oldest_first([end for edge in edges for end in edge], edges):
        steps[document] = max((steps[old] + 1 for old in replaced.get(document, ())), default=0)
    return max(steps.values(), default=0)


def oldest_first(documents: Iterable[str], edges: Iterable[tuple[str, str]]) -> list[str]:
    """Every document once, after all that it replaces, else in the order given.

    >>> oldest_first(["c", "a", "b"], [("a", "b"), ("b", "c")])
    ['a', 'b', 'c']
    """
    olds: dict[str, list[str]] = {}
    for old, new in edges:
        olds.setdefault(new, []).append(old)
    done: dict[str, None] = {}
    for document in documents:
        waiting = [document]
        while waiting:
            ahead = [old for old in olds.get(waiting[-1], ()) if old not in done]
            if ahead:
                waiting += ahead
            else:
                done.setdefault(waiting.pop())
    return list(done)


def statements(documents: Iterable[Document]) -> dict[str, str]:
    """Each document's statement. Where several of one corpus would be equal, each has its number behind it."""
    listed = list(documents)
    cut = {each.id: cut_to(each.words, MAX_STATEMENT_BYTES) for each in listed}
    times = Counter((each.corpus, cut[each.id]) for each in listed)
    for each in listed:
        if times[each.corpus, cut[each.id]] > 1:
            mark = f" ({each.id})"
            cut[each.id] = cut_to(each.words, MAX_STATEMENT_BYTES - len(mark.encode())) + mark
    return cut


def cut_to(text: str, limit: int) -> str:
    """As many whole characters as fit into `limit` bytes of UTF-8.

    >>> cut_to("naïve", 3)
    'na'
    """
    raw = text.encode()
    return text if len(raw) <= limit else raw[:limit].decode(errors="ignore")


def date(text: str) -> datetime | None:
    """A date written as year-month-day, quoted or not, in whatever width; None where it is none.

    >>> date('"2019-2-03"').isoformat(), date("yyyy-mm-dd")
    ('2019-02-03T00:00:00+00:00', None)
    """
    parts = text.strip("\"' ").split("T")[0].split("-")
    try:
        year, month, day = (int(part) for part in parts)
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None


def _text(line: Mapping[str, Any], name: str) -> str:
    """A field as text that a store can hold: no NUL, no half of a surrogate pair."""
    value = line.get(name)
    text = "" if value is None else str(value)
    return text.replace("\0", "\ufffd").encode(errors="replace").decode().strip()


def _lines(path: Path, counts: Counter[str]) -> Iterator[dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise Misconfigured(
            f"cannot read {path}: {error.strerror}; --data names the folder that holds {FOLDER}"
        ) from error
    except UnicodeDecodeError as error:
        raise Invalid(f"{path} is not UTF-8") from error
    for line in text.split("\n"):
        if not line.strip():
            continue
        try:
            read = json.loads(line)
        except ValueError:
            read = None
        if isinstance(read, dict):
            yield read
        else:
            counts["lines_unreadable"] += 1
