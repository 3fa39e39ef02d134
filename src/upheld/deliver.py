"""THE GATE: what of a note may leave the store. Every way out passes here.

A note in force leaves whole. Any other leaves as its id, standing, date and cause; its text only where history was
asked for. Erased notes leave as nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from upheld.answer import OpenQuestion, View, WithheldNote
from upheld.note import Note, Standing
from upheld.ports import Reading
from upheld.standing import IN_FORCE, Ruling, Seq
from upheld.wording import ANOTHER_SCOPE, load


def view_of(
    reading: Reading,
    rulings: Mapping[Seq, Ruling],
    notes: Mapping[Seq, Note],
    scopes: Collection[str] | None,
    *,
    show: bool,
    language: str = "en",
) -> dict[Seq, View]:
    """Each ruled note as it may leave. `scopes` limits whose ids may be named as causes (None: all)."""
    wording = load(language)
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
            known[cause].id if scopes is None or known[cause].scope in scopes else ANOTHER_SCOPE
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
            label=wording.label(standing, by or (wording.say("label.another_note"),) * bool(ruling.by), since),
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


def open_question(
    view: View, ruling: Ruling, *, language: str = "en", subject: str | None = None, attribute: str | None = None
) -> OpenQuestion:
    """What is not known, and what to check first. The old text is not in it, nor what it was about in its own words.

    Only where a value could not be read from its owner, or was not confirmed, do `subject` and `attribute` name it.
    """
    wording = load(language)
    by = view.by or (wording.say("label.another_note"),) * bool(ruling.by)
    return OpenQuestion(
        id=view.id,
        standing=view.standing,
        scope=view.scope,
        question=wording.question(view.standing, view.scope, by, view.since, subject=subject, attribute=attribute),
        check=wording.check(view.standing, by),
        since=view.since,
        by=view.by,
        subject=subject,
        attribute=attribute,
    )
