"""Keeps the searchable images of the scopes in step with the log.

Before each search the projection takes over what the log gained since the last one, asks the rule about the notes
whose standing that (or the passing of time) may have changed, and searches. It never decides what leaves the
store: a wrong image costs a result, never a leak. `doctor` compares it with the rule.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from upheld.db import arms, rows
from upheld.db.index import Look, Mask, Rows, ScopeIndex
from upheld.db.lines import Lines
from upheld.db.rows import as_json
from upheld.db.words import match, tokens
from upheld.note import Note, Standing
from upheld.ports import Arm, Found, Wanted
from upheld.standing import Instant, Seq, World, standings
from upheld.values import canonical_name

if TYPE_CHECKING:
    from upheld.db.session import Session

REBUILD_FROM = 5000
AT_ONCE = 5000
LONGEST_NAMING = 400
LONGEST_NAME = 8
_MARKS = ".,;:!?\"'()[]\u2026\u201c\u201d\u2018\u2019\u3002\uff1f\uff01"
DEFAULT_CACHE_BYTES = 2 * 1024**3
KEPT_NOTES_BYTES = 32 * 1024**2
_NOTE_BYTES = 1200
"""About what a note takes beside its statement."""


class Projection:
    """The images of recently searched scopes, the least recently used dropped first.

    `cache_bytes` bounds what they hold together; the scopes of one search are always kept.
    """

    def __init__(self, dimension: int, cache_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        self._dimension = dimension
        self._cache_bytes = cache_bytes
        self._scopes: OrderedDict[str, ScopeIndex] = OrderedDict()
        self._moments: list[tuple[Instant, Seq]] = []
        self._position: Seq = 0
        self._now: Instant = 0
        self._notes: dict[Seq, Note] = {}
        self._notes_bytes = 0
        self._lines = Lines()

    def search(self, session: Session, wanted: Wanted) -> Found:
        """Search the wanted scopes as the log stands in this session's view."""
        self._follow(session, wanted.known_at if wanted.latest else session.head().seq, wanted.now)
        looks = [self._look(session, scope, wanted) for scope in wanted.scopes]
        self._shed(wanted.scopes)
        query, most = wanted.vector, wanted.most
        postings = [
            partial(notes_holding, session, scope, look.index) for scope, look in zip(wanted.scopes, looks, strict=True)
        ]
        scores = arms.word_scores(looks, tokens(wanted.text), postings)
        named = [notes_named(session, scope, wanted.text) for scope in wanted.scopes]
        return Found(
            by_meaning=Arm() if query is None else arms.by_meaning(looks, query, most),
            by_words=arms.by_words(looks, scores, most),
            by_subject=arms.by_subject(looks, named, query, scores, most),
        )

    def differences(self, session: Session, now: Instant) -> list[Seq]:
        """The notes whose image, or whose kept lines, differ from the rule: empty unless something is wrong."""
        self._follow(session, session.head().seq, now)
        wrong: list[Seq] = []
        for scope in session.scopes():
            image = self._image(session, scope)
            seqs = image.seqs[: image.count].tolist()
            for start in range(0, len(seqs), AT_ONCE):
                part = seqs[start : start + AT_ONCE]
                ruled = session.standings(part, valid_at=now, known_at=self._position)
                live = image.live[start : start + len(part)].tolist()
                in_force = [ruled[seq] is Standing.IN_FORCE for seq in part]
                wrong += [seq for seq, had, has in zip(part, live, in_force, strict=True) if had != has]
                by_lines = standings(session.world(part), part, valid_at=now, known_at=self._position)
                wrong += [seq for seq in part if by_lines[seq].standing is not ruled[seq] and seq not in wrong]
        return wrong

    def notes(self, session: Session, seqs: Iterable[Seq]) -> dict[Seq, Note]:
        """The notes at these positions. A note never changes, so those read before are kept, up to a size."""
        wanted = list(seqs)
        found = {seq: self._notes[seq] for seq in wanted if seq in self._notes}
        if len(found) < len(wanted):
            found |= self._read(session, [seq for seq in wanted if seq not in found])
        return found

    def world(self, session: Session, seqs: Sequence[Seq]) -> World | None:
        """What the rule must know to rule on notes of searched scopes; None where that is not at hand.

        Of such a scope every note that a line bears on is kept, so about any other there is only the note itself.
        """
        lines = self._lines
        reached = lines.reached(seqs)
        # What something replaces or speaks against is there with its lines. Any other is read whole: it may be served.
        unread = [
            seq
            for seq in reached
            if seq not in self._notes and seq not in lines.successors and seq not in lines.entries
        ]
        if unread:
            self._read(session, unread)
        missing = [seq for seq in reached if seq not in lines.notes]
        if missing:  # they were read before their scope was searched
            self._read(session, missing)
        return None if missing and any(seq not in lines.notes for seq in missing) else lines.world

    def _read(self, session: Session, seqs: Sequence[Seq]) -> dict[Seq, Note]:
        """Notes from the database, kept from now on, and what the rule must know of those that nothing bears on."""
        found = session.execute("notes_by_seq", {"seqs": as_json(seqs)})
        read = rows.notes_of(found)
        for row in found:
            if row[0] not in self._lines.notes and row[2] in self._scopes:
                self._lines.notes[row[0]] = rows.recorded_of(row)
        new = [note for seq, note in read.items() if seq not in self._notes]  # some are read again for their lines
        self._notes_bytes += sum([_NOTE_BYTES + len(note.statement) for note in new])
        if self._notes_bytes > KEPT_NOTES_BYTES:
            self._notes_bytes = 0
            self._notes.clear()
        else:
            self._notes |= read
        return read

    def replaced_by(self, seqs: Sequence[Seq], known_at: Seq) -> dict[Seq, tuple[Seq, ...]] | None:
        """For each note of a searched scope, itself and all that it replaces; None where that is not at hand."""
        return self._lines.replaced_by(seqs, known_at)

    def reasons(self, seqs: Sequence[Seq], known_at: Seq) -> dict[Seq, str] | None:
        """Why notes of searched scopes were said; None where that is not at hand."""
        return self._lines.why(seqs, known_at)

    def forget(self) -> None:
        """Drop every image; the next search builds what it needs from the log."""
        self._scopes.clear()
        self._lines = Lines()
        self._moments.clear()
        self._notes.clear()
        self._notes_bytes = 0

    def _follow(self, session: Session, head: Seq, now: Instant) -> None:
        session.followed = True
        if head < self._position or now < self._now:
            self.forget()  # the file was replaced, or the clock went back: images are only good forwards
        changed: set[Seq] = set()
        if head != self._position and self._scopes:
            changed = {row[0] for row in session.execute("touched", {"after": self._position})}
            if len(changed) > REBUILD_FROM:
                self.forget()
        self._position, self._now = head, now
        if not self._scopes:
            self.forget()
            return
        if changed:
            for seq in changed & self._notes.keys():
                del self._notes[seq]  # the one thing that may change a note is its erasure
            changed_here = self._by_scope(session, changed)
            heard = {seq for seqs in changed_here.values() for seq in seqs} | (changed & self._lines.notes.keys())
            self._lines.take(session.lines_on(sorted(heard), down=True))
            for scope, here in changed_here.items():
                image = self._scopes[scope]
                last = int(image.seqs[image.count - 1]) if image.count else 0
                image.add(session.execute("vectors_after", {"scope": scope, "after": last}))
                image.link(self._lines.linked(here))
        while self._moments and self._moments[0][0] <= now:
            changed.add(heapq.heappop(self._moments)[1])
        if changed:
            self._judge(session, changed)

    def _judge(self, session: Session, changed: set[Seq]) -> None:
        """Ask the rule about notes and all that hangs on them, and hand the answers to the images."""
        everyone = [row[0] for row in session.execute("dependents", {"seqs": as_json(changed)})]
        self._expect(session, everyone)
        ruled = session.standings(everyone, valid_at=self._now, known_at=self._position)
        for scope, seqs in self._by_scope(session, ruled).items():
            self._scopes[scope].judge(seqs, [ruled[seq] is Standing.IN_FORCE for seq in seqs])

    def _by_scope(self, session: Session, seqs: Iterable[Seq]) -> dict[str, list[Seq]]:
        """Notes by the scope they are in, for the scopes that have an image: the others need not hear of a change."""
        found: dict[str, list[Seq]] = {}
        for seq, _, scope in session.execute("ids_by_seq", {"seqs": as_json(seqs)}):
            if scope in self._scopes:
                found.setdefault(scope, []).append(seq)
        return found

    def _expect(self, session: Session, seqs: Sequence[Seq]) -> None:
        """Note when time alone may change these notes' standing, through whatever it hangs on, in any scope."""
        hung_on = [row[0] for row in session.execute("touching", {"seqs": as_json(seqs)})]
        for seq, at in session.execute("moments", {"seqs": as_json(hung_on), "after": self._now}):
            heapq.heappush(self._moments, (at, seq))

    def _image(self, session: Session, scope: str) -> ScopeIndex:
        image = self._scopes.get(scope)
        if image is None:
            image = ScopeIndex(self._dimension)
            image.add(session.execute("vectors_after", {"scope": scope, "after": 0}))
            self._expect(session, [row[0] for row in session.execute("linked", {"scope": scope})])
            for seq, at in session.execute("moments_in_scope", {"scope": scope, "after": self._now}):
                heapq.heappush(self._moments, (at, seq))
            suspects = session.execute("suspects", {"scope": scope, "valid_at": self._now})
            seqs = [row[0] for row in suspects]
            self._rule(session, image, seqs, image.live, valid_at=self._now, known_at=self._position)
            lined = [row[0] for row in session.execute("lined", {"scope": scope})]
            self._lines.take(session.lines_on(lined, down=True))
            image.link(self._lines.linked(lined))
            self._scopes[scope] = image
        self._scopes.move_to_end(scope)
        return image

    @staticmethod
    def _rule(
        session: Session,
        image: ScopeIndex,
        suspects: Sequence[Seq],
        live: Mask,
        *,
        valid_at: Instant,
        known_at: Seq,
    ) -> None:
        """Mark in `live` which suspects are in force at two moments."""
        for start in range(0, len(suspects), AT_ONCE):
            ruled = session.standings(suspects[start : start + AT_ONCE], valid_at=valid_at, known_at=known_at)
            rows = image.rows_of(np.array(list(ruled), np.int64))
            live[rows] = [standing is Standing.IN_FORCE for standing in ruled.values()]

    def _look(self, session: Session, scope: str, wanted: Wanted) -> Look:
        image = self._image(session, scope)
        if wanted.latest and wanted.filter.is_empty:
            return image.look()
        count = image.count
        known = image.seqs[:count] <= wanted.known_at
        live = image.live[:count]
        if not wanted.latest:
            live = known.copy()
            suspects = session.execute("suspects", {"scope": scope, "valid_at": wanted.valid_at})
            seqs = [row[0] for row in suspects if row[0] <= wanted.known_at]
            self._rule(session, image, seqs, live, valid_at=wanted.valid_at, known_at=wanted.known_at)
        if not wanted.filter.is_empty:
            passing = session.execute(
                "filtered",
                {
                    "scope": scope,
                    "kinds": as_json(wanted.filter.kinds),
                    "channels": as_json(wanted.filter.channels),
                    "subject": wanted.filter.subject_key,
                    "attribute": wanted.filter.attribute_key,
                },
            )
            mask = np.zeros(count, np.bool_)
            mask[image.rows_of(np.array([row[0] for row in passing], np.int64))] = True
            known, live = known & mask, live & mask
        return Look.at(image, live, known, wanted.known_at)

    def _shed(self, needed: Sequence[str]) -> None:
        if len(self._scopes) == len(needed):
            return
        held = sum(image.size for image in self._scopes.values())
        for scope in list(self._scopes):
            if held <= self._cache_bytes:
                return
            if scope not in needed:
                image = self._scopes.pop(scope)
                held -= image.size
                self._lines.drop(image.seqs[: image.count].tolist())


def notes_named(session: Session, scope: str, question: str) -> Rows:
    """The notes of a scope whose subject stands in a question, word for word."""
    words = [word.strip(_MARKS) for word in canonical_name(question[:LONGEST_NAMING]).split()]
    names = {
        " ".join(words[start : start + length])
        for length in range(1, LONGEST_NAME + 1)
        for start in range(len(words) - length + 1)
    }
    found = session.execute("named", {"scope": scope, "names": as_json(sorted(names))})
    return np.array([row[0] for row in found], np.int64)


def notes_holding(session: Session, scope: str, image: ScopeIndex, token: str, after: Seq) -> Rows:
    """The notes of a scope that hold a token, and maybe notes of other scopes."""
    last = int(image.seqs[image.count - 1])
    # Where most lines of the log are notes of this scope, to leave the others out costs more than to look past them.
    narrow = None if 2 * image.count > last else scope
    found = session.execute("posting", {"match": match(narrow, token), "after": after, "last": last})
    return np.array([row[0] for row in found], np.int64)
