"""The document wins: what judges found against notes is weighed as a whole, then applied, each with its notice.

    found        passages that contradict living notes, not yet applied and not taken back by anybody
    weighed      one for each note: it retires the note, or only disputes it
    within       more than the policy allows at once: nothing is applied, somebody is asked
    applied      event, notice and outbox in the caller's one transaction

A passage retires a note if its verdict acts, its document is trusted no less than the note's own source, and no
passage that is trusted as much and dated no earlier agrees with the note. Otherwise it opens a dispute.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from upheld.document import Finding, Verdict
from upheld.errors import NeedsApproval, UpheldError
from upheld.note import Evidence, Note, Verb, instant
from upheld.pairing import living
from upheld.policy import Policy, SweepPolicy
from upheld.ports import Reading
from upheld.remember import Journal
from upheld.shelf import Passage
from upheld.standing import Seq


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """A passage against a note, and whether it retires the note."""

    note: Note
    passage: Passage
    verdict: Verdict
    retires: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a run looked at and did.

    `findings` counts living notes by the strongest finding on them, `kinds` those retired or disputed by kind of
    note. `asked` counts pairs put to each judge, `faults` answers that counted for nothing. `found` is what stands
    against notes, `events` what was applied of it.
    """

    notes: int = 0
    pairs: int = 0
    asked: Mapping[str, int] = field(default_factory=dict)
    findings: Mapping[Finding, int] = field(default_factory=dict)
    kinds: Mapping[str, int] = field(default_factory=dict)
    faults: Mapping[str, int] = field(default_factory=dict)
    found: tuple[Contradiction, ...] = ()
    events: tuple[Seq, ...] = ()
    complete: bool = True

    @property
    def to_retire(self) -> tuple[str, ...]:
        """The ids of the notes that what was found retires."""
        return tuple(each.note.id for each in self.found if each.retires)

    @property
    def to_dispute(self) -> tuple[str, ...]:
        """The ids of the notes that what was found only disputes."""
        return tuple(each.note.id for each in self.found if not each.retires)


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What became of the documents of a place: their names, those that could not be read with why, and the judging."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: int = 0
    removed: tuple[str, ...] = ()
    failed: tuple[tuple[str, UpheldError], ...] = ()
    report: Report = field(default_factory=Report)


def weigh(reading: Reading, notes: Iterable[Seq], judge: str, policy: Policy, *, now: datetime) -> list[Contradiction]:
    """The contradictions that stand against some notes and were neither applied nor taken back, one for each note."""
    alive = living(reading, notes, instant(now))
    findings = reading.shelf.findings(alive, judge)
    passages = reading.shelf.passages_with({digest for _, digest in findings})
    texts = reading.notes(alive)
    applied, disputed = _applied(reading, alive)
    # The same words in a copy, or under a new name, are no new evidence.
    acquitted = {(each.note, each.chunk) for each in reading.shelf.acquitted(alive)}
    said: dict[Seq, list[tuple[Passage, Verdict]]] = defaultdict(list)
    for (seq, digest), verdict in findings.items():
        said[seq] += [(passage, verdict) for passage in passages.get(digest, ())]
    weighed: list[Contradiction] = []
    for seq in alive:
        agreeing = [passage for passage, verdict in said[seq] if verdict.finding is Finding.CONSISTENT]
        against = [
            found
            for passage, verdict in said[seq]
            if verdict.finding is Finding.CONTRADICTED and (seq, passage.chunk.digest) not in acquitted
            for found in [_against(texts[seq], passage, verdict, agreeing, policy)]
            if _is_new(found, applied.get((seq, passage.document, passage.chunk.digest)))
        ]
        if against and (
            (heaviest := max(against, key=lambda each: _weight(each, policy))).retires or seq not in disputed
        ):
            weighed.append(heaviest)
    return weighed


def _applied(reading: Reading, notes: Sequence[Seq]) -> tuple[dict[tuple[Seq, str, str], bool], set[Seq]]:
    """What was applied, also if it was taken back, and whether it retired the note: no passage does the same twice.

    And the notes that a document disputes now: another that only disputes them adds nothing.
    """
    events = [event for event in reading.events(notes) if event.evidence is not None or event.undoes is not None]
    undone = {event.undoes for event in events}
    applied: dict[tuple[Seq, str, str], bool] = {}
    disputed: set[Seq] = set()
    for event in events:
        if event.evidence is not None and event.verb in {Verb.CONTRADICTED, Verb.DISPUTED}:
            place = (event.note, event.evidence.document, event.evidence.chunk or "")
            applied[place] = applied.get(place, False) or event.verb is Verb.CONTRADICTED
            if event.verb is Verb.DISPUTED and event.seq not in undone:
                disputed.add(event.note)
    return applied, disputed


def _is_new(found: Contradiction, retired: bool | None) -> bool:
    """Whether a passage does more than it did before: `retired` is None where it did nothing yet."""
    return retired is None or (found.retires and not retired)


def _against(
    note: Note, passage: Passage, verdict: Verdict, agreeing: Sequence[Passage], policy: Policy
) -> Contradiction:
    outweighed = any(
        not policy.outranks(passage.authority, other.authority) and not _is_earlier(other, passage)
        for other in agreeing
    )
    retires = verdict.acts and not outweighed and not policy.outranks(note.channel, passage.authority)
    return Contradiction(note=note, passage=passage, verdict=verdict, retires=retires)


def _is_earlier(first: Passage, second: Passage) -> bool:
    """Whether a passage is known to be older; one without a date never counts as newer than one with a date."""
    if first.chunk.dated is None or second.chunk.dated is None:
        return first.chunk.dated is None and second.chunk.dated is not None
    return first.chunk.dated < second.chunk.dated


def _weight(found: Contradiction, policy: Policy) -> tuple[bool, int, float, float]:
    dated = found.passage.chunk.dated
    rank = -policy.rank.index(found.passage.authority)
    return (found.retires, rank, 0.0 if dated is None else dated.timestamp(), found.verdict.confidence)


def within(weighed: Sequence[Contradiction], *, living: int, rules: SweepPolicy, approved: int | None) -> None:
    """Let a run pass that retires no more than the policy, or a person with `approved`, allows; else ask.

    Raises `NeedsApproval`, with how many there are: a judge gone wrong must not empty a store.
    """
    retired = sum(each.retires for each in weighed)
    allowed = rules.allowed(living) if approved is None else approved
    if retired > allowed:
        raise NeedsApproval(
            f"this would retire {retired:,} of {living:,} notes; at most {allowed:,} are retired unasked. No note was "
            f"changed: look at them, then allow it with approve={retired}",
            count=retired,
            allowed=allowed,
            found=tuple(weighed),
        )


def apply(journal: Journal, found: Contradiction, judge: str) -> Seq:
    """Write that a document contradicts or disputes a note, with its notice and its message; return the event."""
    passage, verdict, note = found.passage, found.verdict, found.note
    verb = Verb.CONTRADICTED if found.retires else Verb.DISPUTED
    event = journal.event(
        note.seq,
        verb,
        actor=f"{passage.authority.value}:{passage.document}",
        reason=f"see {passage.document}",  # the judge's own words may hold the note's: they stay in the evidence
        effective_from=verdict.effective_from or passage.chunk.dated or journal.at,
        evidence=Evidence(
            document=passage.document,
            version=passage.version,
            chunk=passage.chunk.digest,
            claim_quote=verdict.claim_quote,
            chunk_quote=verdict.chunk_quote,
            chunk_start=passage.chunk.start,
            chunk_end=passage.chunk.end,
            judge=judge,
            confidence=verdict.confidence,
            why=verdict.why,
        ),
    )
    _tell(journal, event, note, verb, passage.document)
    return event


def unsource(journal: Journal, removed: str, version: str) -> list[Seq]:
    """Say of every living note that only documents which are gone spoke for it: its source must be checked."""
    tx = journal.tx
    gone = [document.name for document in tx.shelf.documents(removed=True) if document.removed_at is not None]
    told: list[Seq] = []
    notes = tx.shelf.sourced_only_by(gone)
    known = {event.note for event in tx.shelf.unsourced_by(removed)}
    for seq, note in tx.notes(living(tx, [seq for seq in notes if seq not in known], instant(journal.at))).items():
        evidence = Evidence(document=removed, version=version)
        event = journal.event(seq, Verb.UNSOURCED, actor=f"document:{removed}", evidence=evidence)
        _tell(journal, event, note, Verb.UNSOURCED, removed)
        told.append(event)
    return told


def source_again(journal: Journal, names: Sequence[str]) -> None:
    """Take back what was said of notes when their documents were removed: one of those is there again."""
    shelf = journal.tx.shelf
    gone = [document.name for document in shelf.documents(removed=True) if document.removed_at is not None]
    # The last document to go was named, though another that spoke for the note is the one that came back.
    told = {event.seq: event for each in (*names, *gone) for event in shelf.unsourced_by(each)}
    alone = set(shelf.sourced_only_by(gone)) if told else set()
    for seq, event in sorted(told.items()):
        if event.note not in alone:
            journal.event(event.note, Verb.RESTORED, actor=f"document:{names[0]}", undoes=seq)


def _tell(journal: Journal, event: Seq, note: Note, verb: Verb, document: str) -> None:
    """Notice and message hold no text of the note: whoever delivers them asks for it, and meets the gate."""
    tx = journal.tx
    tx.shelf.notify(event, scope=note.scope, note=note.seq, kind=verb.value)
    payload = {"event": event, "note": note.id, "scope": note.scope, "document": document}
    tx.shelf.post(f"note.{verb.value}", payload, at=journal.at)
