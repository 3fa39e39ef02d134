"""Every error Upheld raises on purpose, and whose turn it is.

    UpheldError
    ├── Invalid          the caller's turn: the input breaks a stated limit or has the wrong form
    │   └── NaiveTime        a time without an offset
    ├── NotFound         the caller's turn: no such note here (a foreign id and a missing id look the same)
    ├── Refused          the caller's turn: the input is well formed, but a rule forbids it
    │   ├── EvidenceMissing  a quote or span is not in the original
    │   ├── HedgeLost        the source was unsure and the statement is not
    │   ├── Cycle            a link would make a note replace or rest on itself
    │   ├── NeedsApproval    a run would retire more notes than the policy lets pass unasked
    │   └── SetAside         a person's turn: it was not written, but waits for somebody who may let it in
    ├── Conflict         the caller's turn: the store moved on; read again, then decide
    ├── Unavailable      nobody's fault: retrying may help (locked, full, endpoint down)
    │   └── Busy             another process held the store longer than the deadline
    ├── Misconfigured    the operator's turn: the message names the setting, package or command
    └── Corrupt          the operator's turn: the file is not a store, or is damaged

Each class has a stable `code`; bad input changes nothing.
"""

from __future__ import annotations

from reprlib import Repr
from typing import Any, ClassVar

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80
_LONGEST_SHOWN = 120


def shown(value: object) -> str:
    """A value as a message names it: always short, and no error of its own, whatever the caller handed in.

    >>> shown("plan"), shown(10**5000)[:1], len(shown("x" * 1_000_000))
    ("'plan'", '<', 80)
    """
    try:
        said = _SHORT.repr(value)
    except Exception:  # noqa: BLE001 - a number of 5,000 digits, or a foreign object: its own repr may raise anything
        return f"<{type(value).__name__}>"
    return said if len(said) <= _LONGEST_SHOWN else f"{said[:_LONGEST_SHOWN]}..."


class UpheldError(Exception):
    """Base of every error raised on purpose; catch this to catch them all."""

    code: ClassVar[str] = "error"


class Invalid(UpheldError):
    """The input breaks a stated limit or has the wrong form; nothing was written."""

    code = "invalid"


class NaiveTime(Invalid):
    """A time was given without an offset from UTC."""

    code = "naive_time"


class NotFound(UpheldError):
    """There is no such note in this store."""

    code = "not_found"


def no_note(id: object) -> NotFound:
    """What is said of a note that is missing, of another store, or erased: to the caller all three are the same."""
    return NotFound(f"there is no note {shown(id)}; list and recall give the ids of those that there are")


class Refused(UpheldError):
    """The input is well formed, but a rule forbids it; nothing was written."""

    code = "refused"


class EvidenceMissing(Refused):
    """A quoted passage or span does not exist in the original."""

    code = "evidence_missing"


class HedgeLost(Refused):
    """The source is unsure about what the statement asserts."""

    code = "hedge_lost"


class Cycle(Refused):
    """A link would make a note replace itself or rest on itself, directly or through others."""

    code = "cycle"


class NeedsApproval(Refused):
    """A run would retire more notes than the policy lets pass unasked; nothing was applied.

    `count` is how many it would retire, `allowed` how many the policy lets pass, `found` what stands against them.
    """

    code = "needs_approval"

    def __init__(self, message: str, *, count: int = 0, allowed: int = 0, found: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.count = count
        self.allowed = allowed
        self.found = found


class SetAside(Refused):
    """What was said was not written: it waits for a person to accept it, as the review with the id `review`."""

    code = "set_aside"

    def __init__(self, message: str, *, review: str = "") -> None:
        super().__init__(message)
        self.review = review


class Conflict(UpheldError):
    """The store moved on since the caller looked.

    `current` holds the ids of the notes that stand in the way: the present heads of the chain, or the note
    that an idempotency key already made.
    """

    code = "conflict"

    def __init__(self, message: str, *, current: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.current = current

    @property
    def current_head(self) -> str | None:
        """The first id in `current`, or None where the chain ends in nothing."""
        return self.current[0] if self.current else None


class Unavailable(UpheldError):
    """Something outside did not answer; the same call may succeed later."""

    code = "unavailable"


class Busy(Unavailable):
    """Another process held the store longer than the deadline."""

    code = "busy"


class Misconfigured(UpheldError):
    """A setting, package or version is wrong; the message names the fix."""

    code = "misconfigured"


class Corrupt(UpheldError):
    """The file is not an Upheld store, or it is damaged."""

    code = "corrupt"
