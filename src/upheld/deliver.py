"""THE GATE: what of a note may leave the store. Every way out passes here.

A note in force leaves whole. Any other leaves as its id, standing, date and cause; its text only where history was
asked for. Erased notes leave as nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from upheld.answer import OpenQuestion, View, WithheldNote
from upheld.note import Note, Standing, moment
from upheld.standing import IN_FORCE, Instant, Recorded, Ruling, Seq, World
from upheld.wording import ANOTHER_SCOPE


def view_of(
    world: World,
    rulings: Mapping[Seq, Ruling],
    notes: Mapping[Seq, Note],
    scopes: Collection[str] | None,
    *,
    show: bool,
    language: str = "en",
) -> dict[Seq, View]:
    """Each ruled note as it may leave: `notes` holds at least those whose text may.

    `world` holds them and what brought their standing about; `scopes` limits whose ids may be named as causes (None:
    all).
    """
    views: dict[Seq, View] = {}
    for seq, ruling in rulings.items():
        note, standing = world.notes[seq], ruling.standing
        said = [world.said[line] for line in ruling.because if line in world.said]
        causes = [world.notes[cause] for cause in ruling.by if cause in world.notes]
        since = _since(note, ruling, causes, said[0][0] if said else None)
        when = None if since is None else moment(since)
        by = tuple([cause.id if scopes is None or cause.scope in scopes else ANOTHER_SCOPE for cause in causes])
        reasons = [why for _, why in said if why is not None]
        text = notes.get(seq) if standing is not Standing.ERASED and (show or ruling is IN_FORCE) else None
        views[seq] = View(
            seq=seq,
            id=note.id,
            scope=note.scope,
            kind=note.kind,
            standing=standing,
            since=when,
            by=by,
            # A reason given in a scope that is not read stays there, like the note it was given with.
            reason=reasons[0] if reasons and ANOTHER_SCOPE not in by else None,
            statement=None if text is None else text.statement,
            note=text,
            language=language,
        )
    return views


def _since(note: Recorded, ruling: Ruling, causes: Sequence[Recorded], said: Instant | None) -> Instant | None:
    """When a note came to its standing, as far as that is known."""
    standing = ruling.standing
    if standing is Standing.SUPERSEDED:
        for cause in causes:
            if (begun := cause.event_time) is not None:
                return begun
    if standing is Standing.EXPIRED:
        return note.expires_at
    if standing is Standing.ENDED:
        return note.valid_to
    if standing is Standing.NOT_YET:
        return note.valid_from
    if standing in (Standing.STALE, Standing.NEEDS_CHECK) and ruling.by:
        return None  # what it rests on fell at some time, which is not that of the link to it
    return said


def withheld_note(view: View, *, show: bool) -> WithheldNote:
    """A view as an entry of `withheld`; its text only where history was asked for, even if the note is in force."""
    return WithheldNote(
        id=view.id,
        standing=view.standing,
        scope=view.scope,
        since=view.since,
        by=view.by,
        reason=view.reason,
        statement=view.statement if show else None,
        language=view.language,
    )


def open_question(view: View, *, subject: str | None = None, attribute: str | None = None) -> OpenQuestion:
    """What is not known, and what to check first. The old text is not in it, nor what it was about in its own words.

    Only where a value could not be read from its owner, or was not confirmed, do `subject` and `attribute` name it.
    """
    return OpenQuestion(
        id=view.id,
        standing=view.standing,
        scope=view.scope,
        since=view.since,
        by=view.by,
        subject=subject,
        attribute=attribute,
        language=view.language,
    )
