"""Which notes a consolidation covers, whether they moved, and which former summaries covered the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from upheld import limits
from upheld.consolidate.proposal import LeftOut
from upheld.errors import Invalid, Refused, no_note, shown
from upheld.note import MAX_LINKS, MAX_NAME_CHARS, Channel, Draft, Note, Rel, Source, Standing, instant
from upheld.owners import is_pointer
from upheld.policy import Policy
from upheld.ports import Reading
from upheld.remember import find
from upheld.standing import Ruling, Seq, World, standings
from upheld.values import canonical_name

KIND = "summary"
_ALL = 1 << 60
_TIMES = ("recorded", "event")
_RANGE = "range/"
# A summary that nothing else took the place of, and nobody took back.
_LIVING = frozenset({Standing.IN_FORCE, Standing.STALE, Standing.NEEDS_CHECK, Standing.DISPUTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a caller wants to be covered: notes by name (`ids`), or a scope and a closed range of times."""

    ids: tuple[str, ...] = ()
    scope: str = ""
    since: datetime | None = None
    until: datetime | None = None
    time: str = "recorded"
    kinds: tuple[str, ...] = ()
    subject: str | None = None

    @property
    def ref(self) -> tuple[str, ...]:
        """The range as a source names it, so that it travels in the log; nothing where notes were named."""
        if self.ids:
            return ()
        ends = [".." if time is None else time.isoformat() for time in (self.since, self.until)]
        narrowed = [f"kind={kind}" for kind in sorted(self.kinds)]
        narrowed += [] if self.subject is None else [f"subject={self.subject}"]
        ref = _RANGE + "/".join((self.time, *ends, *narrowed))
        return (ref if len(ref) <= MAX_NAME_CHARS else f"{_RANGE}{sha256(ref.encode()).hexdigest()}",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The exact notes, in order, how far the log was read, and what of the range was passed over, with the reason."""

    notes: tuple[Note, ...]
    known_at: Seq
    ref: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = ()


def asked(
    notes: object, *, scope: object, since: object, until: object, time: object, kinds: object, subject: object
) -> Asked:
    """What a call asks to be covered; `Invalid` names what breaks a limit."""
    ids, named = _names(notes, "notes"), _names(kinds, "kinds")
    ranged = scope is not None or since is not None or until is not None or bool(named) or subject is not None
    if bool(ids) == ranged or (not ids and scope is None):
        raise Invalid("name either the notes (ids) or one scope, with a range of times, kinds and a subject if wanted")
    if not isinstance(time, str) or time not in _TIMES:
        raise Invalid(f"time must be one of {', '.join(_TIMES)}, not {shown(time)}")
    if ids:
        return Asked(ids=ids)
    begins, ends = limits.time(since, "since"), limits.time(until, "until", end_of_day=True)
    if begins is not None and ends is not None and ends < begins:
        raise Invalid("until must not be before since: both ends of the range are in it")
    return Asked(
        scope=limits.scope(scope),
        since=begins,
        until=ends,
        time=str(time),
        kinds=named,
        subject=None if subject is None else canonical_name(limits.name(subject, "subject")),
    )


def _names(given: object, field: str) -> tuple[str, ...]:
    listed = (given,) if isinstance(given, str) else given
    if not isinstance(listed, list | tuple):
        raise Invalid(f"{field} must be a name or a list of names")
    return tuple(dict.fromkeys(limits.name(each, field) for each in listed))


# --- the notes -------------------------------------------------------------------------------------


def covered(reading: Reading, wanted: Asked, policy: Policy, *, now: datetime) -> Coverage:
    """The exact notes at this moment. Raises `Refused` where a named one cannot be an input, or there is none."""
    looked = _Look(reading, policy, now)
    notes, left_out = looked.named(wanted.ids) if wanted.ids else looked.ranged(wanted)
    if not notes:
        raise Refused("no note in force is covered; there is nothing to consolidate")
    if len(notes) > MAX_LINKS:
        raise Refused(f"{len(notes):,} notes are covered; at most {MAX_LINKS:,} fit: narrow the range")
    return Coverage(notes=notes, known_at=looked.head, ref=wanted.ref, left_out=left_out)


class _Look:
    """One look at the notes of a view."""

    def __init__(self, reading: Reading, policy: Policy, now: datetime) -> None:
        self.reading = reading
        self.policy = policy
        self.now = instant(now)
        self.head = reading.head().seq

    def rule(self, seqs: Iterable[Seq]) -> tuple[World, dict[Seq, Ruling]]:
        listed = [*seqs]
        world = self.reading.world(listed)
        return world, standings(world, listed, valid_at=self.now, known_at=self.head)

    def named(self, ids: Sequence[str]) -> tuple[tuple[Note, ...], tuple[LeftOut, ...]]:
        notes = [*find(self.reading, ids).values()]
        world, ruled = self.rule(note.seq for note in notes)
        for note in notes:
            standing = ruled[note.seq].standing
            if standing is Standing.ERASED:
                raise no_note(note.id)
            if standing is not Standing.IN_FORCE and not (note.generation and standing is Standing.STALE):
                raise Refused(f"note {note.id} is {_words(standing)}: only what is in force can be consolidated")
        found = self._grounded(notes, world, ruled)
        for note in found:
            if why := unfit(note, self.policy):
                raise Refused(f"note {note.id}: {why}")
        return found, ()

    def ranged(self, wanted: Asked) -> tuple[tuple[Note, ...], tuple[LeftOut, ...]]:
        seqs = self.reading.listed((wanted.scope,), wanted.kinds, before=None, limit=_ALL)
        world, ruled = self.rule(seqs)
        notes: list[Note] = []
        left_out: list[LeftOut] = []
        for note in self.reading.notes(sorted(seqs)).values():
            if ruled[note.seq].standing is not Standing.IN_FORCE:
                continue
            if wanted.subject is not None and note.subject_key != wanted.subject:
                continue
            at = note.recorded_at if wanted.time == "recorded" else note.event_time
            why = unfit(note, self.policy)
            if at is None and not (wanted.since is wanted.until is None):
                why = "it is not known when it began to hold"
            elif at is not None and not _within(at, wanted.since, wanted.until):
                continue
            if note.generation and not wanted.kinds:
                continue
            if why:
                left_out.append(LeftOut(note.id, why))
            else:
                notes.append(note)
        return self._grounded(notes, world, ruled), tuple(left_out)

    def _grounded(self, notes: Sequence[Note], world: World, ruled: Mapping[Seq, Ruling]) -> tuple[Note, ...]:
        """The notes, with the first notes instead of those that may not be made from again."""
        most = self.policy.consolidate.generations
        if most == 0:
            raise Refused("the policy lets nothing be made from notes: [consolidate] generations = 0")
        again = [n for n in notes if n.generation >= most or ruled[n.seq].standing is not Standing.IN_FORCE]
        kept = {note.seq: note for note in notes if note not in again}
        for note in again:
            for seq in self._present(note, first(world, note.seq)):
                kept |= self.reading.notes([seq])
        return tuple(sorted(kept.values(), key=_order))

    def _present(self, note: Note, grounds: Iterable[Seq]) -> Iterator[Seq]:
        """What the first notes of one are now. One that is gone leaves nothing to read again."""
        listed = sorted(grounds)
        heads = self.reading.heads(listed, known_at=self.head)
        among = {*listed, *(head for ends in heads.values() for head in ends)}
        _, ruled = self.rule(among)
        for seq in listed:
            standing = ruled[seq].standing
            now = [end for end in (seq, *heads.get(seq, ())) if ruled[end].standing is Standing.IN_FORCE]
            if not now:
                named = self.reading.ids([seq])[seq]
                raise Refused(
                    f"note {note.id} cannot be made again: note {named}, which it was made from, is "
                    f"{_words(standing)}, and nothing took its place. It stays as it is"
                )
            yield from now


def unfit(note: Note, policy: Policy) -> str:
    """Why a note in force may not be made from, or an empty text."""
    if is_pointer(note) or policy.rules_of(note.kind).verify_after is not None:
        return "its value is read from its owner whenever it is asked for; a summary would keep it for longer"
    return ""


def _within(at: datetime, since: datetime | None, until: datetime | None) -> bool:
    return (since is None or at >= since) and (until is None or at <= until)


def _order(note: Note) -> tuple[datetime, Seq]:
    return (note.event_time or note.recorded_at).astimezone(UTC), note.seq


def _words(standing: Standing) -> str:
    return standing.value.replace("_", " ")


# --- what was made from them -----------------------------------------------------------------------


def _made_from(world: World, seq: Seq) -> list[Seq]:
    return [a.note for a in world.grounds.get(seq, ()) if a.rel == Rel.DERIVED_FROM and a.seq not in world.undone]


def first(world: World, seq: Seq) -> set[Seq]:
    """The notes that one was made from in the first place; itself, where it was made from none."""
    found: set[Seq] = set()
    front, seen = [seq], {seq}
    while front:
        below = _made_from(world, each := front.pop())
        if not below:
            found.add(each)
        front += [one for one in below if one not in seen]
        seen.update(below)
    return found


def grounds(reading: Reading, seqs: Sequence[Seq]) -> dict[Seq, set[Seq]]:
    """What each of some notes was made from, directly."""
    world = reading.world(seqs)
    return {seq: set(_made_from(world, seq)) for seq in seqs}


def moved(reading: Reading, ids: Sequence[str], known_at: Seq, *, now: datetime) -> tuple[str, ...]:
    """Those of some notes that are not in force, or that a line of the log after `known_at` is about."""
    seqs = reading.seqs(ids)
    there = set(seqs.values())
    ruled = standings(reading.world(there), there, valid_at=instant(now), known_at=reading.head().seq)
    touched = {event.note for event in reading.events(there) if event.seq > known_at}
    touched |= {link.target for link in reading.links(there) if link.rel is Rel.SUPERSEDES and link.seq > known_at}
    touched |= {seq for seq in there if ruled[seq].standing is not Standing.IN_FORCE}
    return tuple(id for id in ids if id not in seqs or seqs[id] in touched)


def formers(reading: Reading, draft: Draft, transform: str, *, now: datetime) -> tuple[Seq, ...]:
    """The living summaries, oldest first, whose place a new one takes.

    They were made by the same operation of the same range, or of what the same first notes were then.
    """
    operation = transform.partition("/")[0] + "/"
    listed = reading.notes(sorted(reading.listed((draft.scope,), (KIND,), before=None, limit=_ALL)))
    made = {seq: note for seq, note in listed.items() if note.generation and _by(note.sources, operation)}
    inputs = [*reading.seqs(draft.derived_from).values()]
    world = reading.world([*made, *inputs])
    ruled = standings(world, made, valid_at=instant(now), known_at=reading.head().seq)
    below = _below(world, inputs)
    living = [seq for seq in made if ruled[seq].standing in _LIVING and seq not in below]
    firsts = {seq: first(world, seq) for seq in (*living, *inputs)}
    every = {each for found in firsts.values() for each in found}
    left = _left(reading, every, now)
    wanted = {each for seq in inputs for one in firsts[seq] for each in left[one]}
    ranges = {source.ref for source in draft.sources if _is_range(source)}
    return tuple(
        seq
        for seq in living
        if ranges & {source.ref for source in made[seq].sources if _is_range(source)}
        or (wanted and {each for one in firsts[seq] for each in left[one]} == wanted)
    )


def _by(sources: Iterable[Source], operation: str) -> bool:
    return any(source.channel is Channel.TOOL and source.ref.startswith(operation) for source in sources)


def _is_range(source: object) -> bool:
    return isinstance(source, Source) and source.channel is Channel.TOOL and source.ref.startswith(_RANGE)


def _below(world: World, seqs: Iterable[Seq]) -> set[Seq]:
    """These notes and all that they were made from."""
    found = set(seqs)
    front = list(found)
    while front:
        front = [one for seq in front for one in _made_from(world, seq) if one not in found]
        found.update(front)
    return found


def _left(reading: Reading, seqs: set[Seq], now: datetime) -> dict[Seq, set[Seq]]:
    """What is left of some notes today: themselves, what took their place, or nothing."""
    head = reading.head().seq
    heads = reading.heads(seqs, known_at=head)
    among = {*seqs, *(end for ends in heads.values() for end in ends)}
    ruled = standings(reading.world(among), among, valid_at=instant(now), known_at=head)
    return {
        seq: {end for end in (seq, *heads.get(seq, ())) if ruled[end].standing is Standing.IN_FORCE} for seq in seqs
    }


def named(drafts: Iterable[Draft]) -> str:
    """The range that drafts name, as it is named; empty where notes were named."""
    return next((source.ref for draft in drafts for source in draft.sources if _is_range(source)), "")
