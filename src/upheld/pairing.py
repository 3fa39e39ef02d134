"""Which notes a passage may contradict, and which passages a note: a short list, so that no judge sees every pair.

The same three ways both times: the same key, near in meaning, and in common words. What a list leaves out is not
judged, so the lists are wide; what is on one is still only a suspicion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from upheld.document import Chunk, Claim, Pair
from upheld.note import Note, Standing
from upheld.ports import Filter, Most, Reading, Wanted
from upheld.shelf import Judged, Passage, StatedKey
from upheld.standing import Instant, Seq

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEAR = 5
"""How many notes or passages each arm of a search puts on the list."""
SLICE_CHARS = 400
"""A search looks at so much of a passage at once; longer ones are searched in parts, so that no sentence is lost."""

LIVING = frozenset({Standing.IN_FORCE, Standing.NOT_YET, Standing.NEEDS_CHECK, Standing.DISPUTED})
"""Standings in which a note can still be contradicted."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


def claim_of(note: Note) -> Claim:
    """A note as a judge sees it."""
    return Claim(
        statement=note.statement,
        subject_key=note.subject_key,
        attribute_key=note.attribute_key,
        value_key=note.value_key,
        single=note.single,
        applies_when=note.applies_when,
        valid_from=note.valid_from,
        valid_to=note.valid_to,
        observed_at=note.observed_at,
    )


def notes_for(
    reading: Reading,
    chunk: Chunk,
    keys: Iterable[StatedKey],
    vector: NDArray[np.float32] | None,
    *,
    scopes: Sequence[str],
    now: Instant,
) -> list[Seq]:
    """The living notes of some scopes that a passage may contradict, oldest first."""
    head = reading.head().seq
    suspected = set(reading.keyed(scopes, [*keys]))
    for text in slices(chunk):
        wanted = Wanted(
            scopes=tuple(scopes),
            text=text,
            vector=vector,
            valid_at=now,
            known_at=head,
            now=now,
            latest=True,
            most=Most(NEAR),
            filter=Filter(),
        )
        found = reading.search(wanted)
        for _, arm in found.arms():
            suspected.update(arm.in_force)
    return living(reading, suspected, now)


def slices(chunk: Chunk) -> list[str]:
    """What to search for: the sentences of a passage, joined up to a length, each under its nearest heading.

    >>> slices(Chunk(start=0, end=9, text="A is one.", headings=("Guide", "Limits")))
    ['Limits A is one.']
    """
    parts = [""]
    for sentence in _SENTENCE_END.split(chunk.text):
        if parts[-1] and len(parts[-1]) + len(sentence) > SLICE_CHARS:
            parts.append("")
        parts[-1] = f"{parts[-1]} {sentence}".strip()
    heading = chunk.headings[-1] if chunk.headings else ""
    return [f"{heading} {part}".strip() for part in parts if part]


def passages_for(reading: Reading, notes: Sequence[Note], *, near: bool = True) -> list[tuple[Note, Passage]]:
    """The current passages that may contradict these notes, or speak for them: for each note, each passage once.

    Without `near`, only those that state the note's key: what is near is searched in the whole corpus, which is read
    anew whenever it changed. A passage that stands in several documents counts as the first of them says it.
    """
    around = reading.shelf.near(notes, NEAR) if near else {}
    keys = {note.seq: key_of(note) for note in notes}
    stating = reading.shelf.passages_stating([key for key in keys.values() if key is not None])
    digests: dict[Seq, list[str]] = {}
    for note in notes:
        key = keys[note.seq]
        keyed = [passage.chunk.digest for passage in (stating.get(key, ()) if key else ())]
        digests[note.seq] = [*dict.fromkeys([*keyed, *around.get(note.seq, ())])]
    standing = reading.shelf.passages_with({digest for some in digests.values() for digest in some})
    return [(note, standing[digest][0]) for note in notes for digest in digests[note.seq] if digest in standing]


def key_of(note: Note) -> StatedKey | None:
    """The key under which passages about the same thing are found."""
    return None if note.subject_key is None else (note.subject_key, note.attribute_key)


def living(reading: Reading, seqs: Iterable[Seq], now: Instant) -> list[Seq]:
    """Those of some notes that can still be contradicted, oldest first."""
    wanted = sorted(set(seqs))
    ruled = reading.standings(wanted, valid_at=now, known_at=reading.head().seq) if wanted else {}
    return [seq for seq in wanted if ruled.get(seq) in LIVING]


def pairs(suspected: Iterable[tuple[Note, Chunk]]) -> Mapping[Judged, Pair]:
    """Suspicions as a judge takes them, by note and digest."""
    return {(note.seq, chunk.digest): Pair(claim=claim_of(note), chunk=chunk) for note, chunk in suspected}
