"""THE GATE: what of a note may leave the store. Every way out passes here.

A note in force leaves whole. Any other leaves as its id, standing, date and cause; its text only where history was
asked for. Erased notes leave as nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from upheld.answer import OpenQuestion, View, WithheldNote, day
from upheld.note import Note, Standing
from upheld.ports import Reading
from upheld.standing import IN_FORCE, Ruling, Seq

_LABELS = {
    Standing.IN_FORCE: "in force",
    Standing.SUPERSEDED: "replaced by {by}",
    Standing.CONTRADICTED: "contradicted by a document",
    Standing.RETRACTED: "retracted",
    Standing.EXPIRED: "expired",
    Standing.NOT_YET: "not yet in force",
    Standing.ENDED: "no longer in force",
    Standing.PROPOSED: "a hypothesis, not settled",
    Standing.STALE: "derived from {by}, which changed",
    Standing.NEEDS_CHECK: "rests on {by}, which no longer stands",
    Standing.DISPUTED: "disputed by {by}",
    Standing.DEMOTED: "too long unconfirmed",
    Standing.ERASED: "erased",
}
_UNSOURCED = "its only source was removed"
_CHECKS = {
    Standing.NEEDS_CHECK: "Check first: what it rests on ({by}) changed, so confirm whether it still applies.",
    Standing.DISPUTED: "Check first: compare it with {by} and settle which holds.",
}
_CHECK_UNSOURCED = "Check first: the document it came from is gone, so confirm whether it still holds."


def label(standing: Standing, by: Collection[str], since_day: str | None) -> str:
    """What happened to a note, as a fact: "replaced by n7 on 14 August 2026"."""
    unsourced = standing is Standing.NEEDS_CHECK and not by
    said = _UNSOURCED if unsourced else _LABELS[standing].format(by=", ".join(by) or "another note")
    return f"{said} on {since_day}" if since_day and standing is not Standing.IN_FORCE else said


def view_of(
    reading: Reading,
    rulings: Mapping[Seq, Ruling],
    notes: Mapping[Seq, Note],
    scopes: Collection[str] | None,
    *,
    show: bool,
) -> dict[Seq, View]:
    """Each ruled note as it may leave. `scopes` limits whose ids may be named as causes (None: all)."""
    causes = {seq for ruling in rulings.values() for seq in ruling.by}
    missing = causes - notes.keys()
    known = {seq: notes[seq] for seq in causes & notes.keys()} | (reading.notes(missing) if missing else {})
    because = {seq for ruling in rulings.values() for seq in ruling.because}
    lines = reading.lines(because) if because else {}
    views: dict[Seq, View] = {}
    for seq, ruling in rulings.items():
        note, standing = notes[seq], ruling.standing
        said = [lines[line] for line in ruling.because if line in lines]
        since = {
            Standing.EXPIRED: note.expires_at,
            Standing.ENDED: note.valid_to,
            Standing.NOT_YET: note.valid_from,
        }.get(standing, said[0][0] if said else None)
        if standing in (Standing.STALE, Standing.NEEDS_CHECK) and ruling.by:
            since = None  # what it rests on fell at some time, which is not that of the link to it
        if standing is Standing.SUPERSEDED:
            begun = [known[by].event_time for by in ruling.by if by in known]
            since = next((time for time in begun if time is not None), since)
        named = tuple(known[cause].id for cause in ruling.by if cause in known)
        by = tuple(
            known[cause].id if scopes is None or known[cause].scope in scopes else "a note in another scope"
            for cause in ruling.by
            if cause in known
        )
        gone = standing is Standing.ERASED
        views[seq] = View(
            seq=seq,
            id=note.id,
            scope=note.scope,
            kind=note.kind,
            standing=standing,
            since=since,
            by=by,
            label=label(standing, by or ("another note",) * bool(ruling.by), day(since) if since else None),
            # A reason given in a scope that is not read stays there, like the note it was given with.
            reason=next((reason for _, reason in said if reason is not None), None) if named == by else None,
            statement=note.statement if not gone and (show or ruling is IN_FORCE) else None,
            note=note if not gone and (show or ruling is IN_FORCE) else None,
        )
    return views


def withheld_note(view: View, *, show: bool) -> WithheldNote:
    """A view as an entry of `withheld`; its text only where history was asked for, even if the note is in force."""
    return WithheldNote(
        id=view.id,
        standing=view.standing,
        scope=view.scope,
        since=view.since,
        by=view.by,
        label=view.label,
        reason=view.reason,
        statement=view.statement if show else None,
    )


def open_question(view: View, ruling: Ruling) -> OpenQuestion:
    """What is not known, and what to check first. The old text is not in it, nor what it was about in its own words."""
    check = _CHECKS.get(ruling.standing, "Check the source before acting on this.")
    if ruling.standing is Standing.NEEDS_CHECK and not ruling.by:
        check = _CHECK_UNSOURCED
    return OpenQuestion(
        id=view.id,
        standing=view.standing,
        scope=view.scope,
        question=(
            f"What was recorded about this in {view.scope} cannot be relied on ({view.label}); "
            "the current state is not known."
        ),
        check=check.format(by=", ".join(view.by) or "another note"),
        since=view.since,
        by=view.by,
    )
