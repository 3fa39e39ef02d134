"""Real decisions and the replacements that their authors wrote, asked for by the titles of the replaced ones.

Each document is a note in the scope of its corpus, each edge an authored link. A document that several others
replace gives its place to all of them. The question is whether the old text is ever served, and whether what
replaced it stands where the old one would have stood.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import upheld
from upheld.bench.documents import (
    FOLDER,
    Document,
    Library,
    heads,
    longest_chain,
    oldest_first,
    read,
)
from upheld.bench.evidence import Row, RowsFile, folder_of, of_kind, share
from upheld.bench.model import embedder_or_words
from upheld.bench.plain import PlainSearch
from upheld.bench.progress import Steps
from upheld.errors import UpheldError
from upheld.memory import Memory
from upheld.note import Certainty, Draft, Standing, Written
from upheld.ports import Embedder

SUITE = "authored"
LIMIT = 10
DEEP = 50
"""How far both are looked through where plain search has the old document behind the first ten."""


def run(rows: RowsFile, steps: Steps, data: Path, *, embedder: Embedder | None = None, given: bool = False) -> None:
    """Write the documents, then ask for each that was replaced. With `given`, `embedder` is the one to use."""
    library = read(folder_of(data, FOLDER))
    model = "given"
    if not given:
        embedder, model = embedder_or_words()
    rows.add("documents", model=model, **dict(sorted(library.counts.items())))
    with TemporaryDirectory(prefix="upheld-bench-") as folder:
        path = Path(folder) / "memory.db"
        with upheld.open(path, embedder=embedder) as memory:
            _write(rows, steps, memory, library)
            with PlainSearch(path, embedder) as plain:
                _ask(rows, steps, memory, plain, library)


def drafts(library: Library) -> list[Draft]:
    """The documents as notes, every one after all that it replaces.

    No keys are looked for: what replaces a document is what its author says, not what its words seem to be about. A
    date is given only where it is past and no edge of the document runs backwards in time.
    """
    undated = {
        end
        for old, new in library.edges
        if not _in_order(library.documents[old].created, library.documents[new].created)
        for end in (old, new)
    }
    now = datetime.now(UTC)
    undated |= {each.id for each in library.documents.values() if each.created is not None and each.created > now}
    replaces: dict[str, list[str]] = {}
    for old, new in library.edges:
        replaces.setdefault(new, []).append(old)
    written: list[tuple[str, str]] = []
    made: list[Draft] = []
    for id in oldest_first(library.documents, library.edges):
        document, olds = library.documents[id], replaces.get(id, [])
        present = {head for old in olds for head in heads(written, old)}
        made.append(_draft(document, library.statements[id], olds, sorted(present), dated=id not in undated))
        written += [(old, id) for old in olds]
    return made


def _draft(document: Document, text: str, olds: Sequence[str], present: Sequence[str], *, dated: bool) -> Draft:
    return Draft(
        statement=text,
        scope=document.corpus,
        by=f"document:{document.id}",
        id=document.id,
        extract_key=False,
        certainty=Certainty.REPORTED,
        observed_at=document.created if dated else None,
        supersedes=tuple(olds),
        alongside=tuple(present),
    )


def _in_order(old: datetime | None, new: datetime | None) -> bool:
    return old is None or new is None or old < new


def _write(rows: RowsFile, steps: Steps, memory: Memory, library: Library) -> None:
    listed = drafts(library)
    with steps.step(f"{len(listed):,} documents", len(listed)) as tick:
        results = memory.remember_many(listed, progress=tick)
    for draft, result in zip(listed, results, strict=True):
        rows.add("document", id=draft.id, dated=draft.observed_at is not None, **_came_of(result))
    for old, new in library.edges:
        rows.add("edge", old=old, new=new)


def _came_of(result: Written | UpheldError) -> Row:
    if isinstance(result, UpheldError):
        return {"outcome": "refused", "error": str(result)}
    return {"outcome": result.outcome, "kept_as": result.id}


def _ask(rows: RowsFile, steps: Steps, memory: Memory, plain: PlainSearch, library: Library) -> None:
    replaced = list(dict.fromkeys(old for old, _ in library.edges))
    with steps.step(f"{len(replaced):,} questions", len(replaced)) as tick:
        for done, old in enumerate(replaced):
            document, text = library.documents[old], library.statements[old]
            query = library.questions[old]
            answer = memory.recall(query, scope=document.corpus, limit=LIMIT)
            deep = memory.recall(query, scope=document.corpus, limit=DEEP)
            past = memory.recall(query, scope=document.corpus, limit=LIMIT, mode="history")
            delivered = [note.statement for note in (*answer.upheld, *deep.upheld)]
            delivered += [step.statement for step in answer.path if step.statement is not None]
            shown = [view for view in past.timeline if view.id == old]
            rows.add(
                "question",
                old=old,
                query=query,
                by_title=bool(document.title),
                plain=[note.id for note in plain.search(query, scope=document.corpus, limit=LIMIT)],
                plain_deep=[note.id for note in plain.search(query, scope=document.corpus, limit=DEEP)],
                upheld=[note.id for note in answer.upheld],
                upheld_deep=[note.id for note in deep.upheld],
                open=[question.id for question in answer.open],
                old_text_delivered=text in delivered,
                history=[
                    {
                        "text_is_the_old_one": view.statement == text,
                        "standing": view.standing.value,
                        "label": view.label,
                    }
                    for view in shown
                ],
            )
            tick(done + 1)


def figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Every figure, from the rows alone."""
    read_in = next(of_kind(rows, "documents"))
    edges = [(row["old"], row["new"]) for row in of_kind(rows, "edge")]
    olds = {old for old, _ in edges}
    asked = list(of_kind(rows, "question"))
    placed = [_placed(row, heads(edges, row["old"])) for row in asked]
    documents = list(of_kind(rows, "document"))
    return {
        "n": len(asked),
        "plain_old_first_pct": share(each["plain_old_first"] for each in placed),
        "old_served_pct": share(row["old_text_delivered"] or row["old"] in _served(row) for row in asked),
        "replacement_in_slot_pct": share(each["in_slot"] for each in placed),
        "history_shows_old_pct": share(_shows_old(row["history"]) for row in asked),
        "chain_max": longest_chain(edges),
        "plain_old_found_pct": share(each["old_rank"] is not None for each in placed),
        "plain_replacement_top10_pct": share(each["plain_heads_top10"] for each in placed),
        "replacement_first_pct": share(each["first_is_head"] for each in placed),
        "old_beyond_top10": sum((each["old_rank"] or DEEP + 1) > LIMIT for each in placed),
        "any_replacement_upheld_pct": share(each["any_head"] for each in placed),
        "any_replaced_served_pct": share(olds.intersection(_served(row)) for row in asked),
        "not_in_slot": [row["old"] for row, each in zip(asked, placed, strict=True) if not each["in_slot"]],
        "asked_without_title": sum(not row["by_title"] for row in asked),
        "forks": sum(len(heads(edges, row["old"])) > 1 for row in asked),
        "refused": sum(row["outcome"] == "refused" for row in documents),
        "kept_as_another": sum(row.get("kept_as", row["id"]) != row["id"] for row in documents),
        "read": {name: value for name, value in read_in.items() if name not in ("row", "model")},
        "model": read_in["model"],
    }


def _served(row: Mapping[str, Any]) -> list[str]:
    """What both answers upheld."""
    return [*row["upheld"], *row["upheld_deep"]]


def _placed(row: Mapping[str, Any], ends: Sequence[str]) -> dict[str, Any]:
    """Where the old document stands in plain search, and where what replaced it stands in both."""
    old_rank = _rank(row["plain_deep"], row["old"])
    plain_ranks = [rank for end in ends if (rank := _rank(row["plain_deep"], end)) is not None]
    ranks = [rank for end in ends if (rank := _rank(row["upheld"], end)) is not None]
    suffix = "" if row["old"] in row["plain"] and len(ends) <= LIMIT else "_deep"
    place = _rank(row[f"plain{suffix}"], row["old"])
    taken = [rank for end in ends if (rank := _rank(row[f"upheld{suffix}"], end)) is not None]
    return {
        "old_rank": old_rank,
        "plain_old_first": old_rank is not None and all(old_rank < rank for rank in plain_ranks),
        "plain_heads_top10": any(rank <= LIMIT for rank in plain_ranks),
        "any_head": bool(ranks),
        "first_is_head": 1 in ranks,
        "in_slot": len(taken) == min(len(ends), DEEP) and (place is None or min(taken) <= place),
    }


def _rank(ids: Sequence[str], id: str) -> int | None:
    return ids.index(id) + 1 if id in ids else None


def _shows_old(views: Iterable[Mapping[str, Any]]) -> bool:
    return any(
        view["text_is_the_old_one"]
        and view["standing"] == Standing.SUPERSEDED
        and view["label"].startswith("replaced by ")
        for view in views
    )
