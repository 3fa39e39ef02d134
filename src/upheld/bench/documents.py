"""Documents whose authors wrote which of them replace which: read with all that is wrong with them.

Nothing here guesses. A document is left out, and counted under its reason, where a store cannot hold its name; an
edge where an end of it is missing or not the only document of its number, where it was there before, and where it
would let a document replace itself.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from upheld import limits
from upheld.db.rows import folded
from upheld.db.words import tokens
from upheld.errors import Invalid, Misconfigured
from upheld.note import MAX_QUERY_CHARS, MAX_STATEMENT_BYTES

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
        """What someone would ask for it by: its title, or where that has no word in it, the first words of all."""
        asked = self.title if tokens(self.title) else " ".join(self.words.split()[:_QUERY_WORDS])
        return asked[:MAX_QUERY_CHARS]


@dataclass(frozen=True, slots=True)
class Library:
    """The documents by id, what each says and is asked for by; the edges as (old, new); what was left out, and why."""

    documents: dict[str, Document] = field(default_factory=dict)
    statements: dict[str, str] = field(default_factory=dict)
    questions: dict[str, str] = field(default_factory=dict)
    edges: list[tuple[str, str]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def read(folder: Path) -> Library:
    """Read both files of a folder."""
    library = Library()
    by_number: dict[tuple[str, str], list[str]] = {}
    seen: set[tuple[str, ...]] = set()
    taken: set[str | tuple[str, str]] = set()
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
        id = _free(f"{corpus}/{number}", corpus, taken)
        if not _is_name(corpus, id):
            library.counts["documents_unnameable"] += 1
            continue
        taken |= {id, (corpus, folded(id))}
        same = by_number.setdefault((corpus, number), [])
        same.append(id)
        library.counts["documents_sharing_number"] += len(same) > 1
        library.counts["documents_without_title"] += not title
        library.counts["documents_without_text"] += not text
        library.documents[id] = Document(
            id=id, corpus=corpus, number=number, title=title, text=text, created=date(_text(line, "created"))
        )
    library.counts["documents"] = len(library.documents)
    library.counts["documents_told_apart"] = _word(library)
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


def _free(id: str, corpus: str, taken: Container[str | tuple[str, str]]) -> str:
    """An id of its own, which none of its corpus has in another case either: with a count behind it where needed."""
    count, free = 1, id
    while free in taken or (corpus, folded(free)) in taken:
        count += 1
        free = f"{id}#{count}"
    return free


def _is_name(corpus: str, id: str) -> bool:
    """Whether a store can name a scope, a note and an actor so."""
    try:
        limits.scope(corpus)
        limits.channel_of(f"document:{id}")
    except Invalid:
        return False
    return True


def _word(library: Library) -> int:
    """Say what each document states and is asked for by; return how many have their number in front of both.

    Those are the ones that the question, or the statement, would not tell from another document of the corpus.
    """
    listed = library.documents.values()
    asked = {each.id: (each.corpus, *tokens(each.query)) for each in listed}
    said = {each.id: (each.corpus, folded(cut_to(each.words, MAX_STATEMENT_BYTES))) for each in listed}
    askings, sayings = Counter(asked.values()), Counter(said.values())
    alike = 0
    for each in listed:
        apart = not tokens(each.query) or askings[asked[each.id]] > 1 or sayings[said[each.id]] > 1
        mark = f"({each.id}) " if apart else ""
        alike += apart
        library.statements[each.id] = cut_to(mark + each.words, MAX_STATEMENT_BYTES)
        library.questions[each.id] = (mark + each.query)[:MAX_QUERY_CHARS]
    return alike


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
    except (ValueError, OverflowError):
        return None


def _text(line: Mapping[str, Any], name: str) -> str:
    """A field as text that a store can hold: no NUL, no half of a surrogate pair, and nothing where nothing is seen."""
    value = line.get(name)
    text = "" if value is None else str(value)
    text = text.replace("\0", "\ufffd").encode(errors="replace").decode().strip()
    return text if limits.is_visible(text) else ""


def _lines(path: Path, counts: Counter[str]) -> Iterator[dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
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
        except (ValueError, RecursionError):
            read = None
        if isinstance(read, dict):
            yield read
        else:
            counts["lines_unreadable"] += 1
