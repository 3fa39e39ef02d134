"""What an error is outside Python: a JSON object, an exit code, an HTTP status.

0    done
1    not done: refused, in conflict, not found; or a check found something
2    not understood: the input breaks a limit or has the wrong form
3    no store to work on: out of reach, set up wrongly, or damaged
70   a fault in Upheld itself
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from upheld import errors
from upheld.errors import UpheldError
from upheld.wire.shapes import JsonObject


class Outcome(NamedTuple):
    """What an error is to a shell and to an HTTP client."""

    exit_code: int
    http_status: int


OUTCOMES: Mapping[type[BaseException], Outcome] = {
    errors.UpheldError: Outcome(1, 500),
    errors.Invalid: Outcome(2, 400),
    errors.NaiveTime: Outcome(2, 400),
    errors.NotFound: Outcome(1, 404),
    errors.Refused: Outcome(1, 422),
    errors.EvidenceMissing: Outcome(1, 422),
    errors.HedgeLost: Outcome(1, 422),
    errors.Cycle: Outcome(1, 422),
    errors.NeedsApproval: Outcome(1, 422),
    errors.SetAside: Outcome(1, 422),
    errors.Conflict: Outcome(1, 409),
    errors.Unavailable: Outcome(3, 503),
    errors.Busy: Outcome(3, 503),
    errors.Misconfigured: Outcome(3, 500),
    errors.Corrupt: Outcome(3, 500),
}
FAULT = Outcome(70, 500)
"""What is no error of ours but a fault of this program: 70 is EX_SOFTWARE."""


def outcome_of(error: BaseException) -> Outcome:
    """The exit code and HTTP status of an error.

    >>> outcome_of(errors.Invalid("no"))
    Outcome(exit_code=2, http_status=400)
    """
    return next((OUTCOMES[kind] for kind in type(error).__mro__ if kind in OUTCOMES), FAULT)


def error_of(error: BaseException) -> JsonObject:
    """An error as it leaves: a stable code, what to do, and in a conflict the notes that stand in the way.

    >>> error_of(errors.Conflict("read it, then decide", current=("n7",)))
    {'error': {'code': 'conflict', 'message': 'read it, then decide', 'current': ['n7']}}
    """
    if not isinstance(error, UpheldError):
        # Its text may hold anything; only its class leaves.
        return {"error": {"code": "fault", "message": f"a fault in Upheld: {type(error).__name__}"}}
    found: JsonObject = {"code": error.code, "message": str(error)}
    if isinstance(error, errors.Conflict):
        found["current"] = list(error.current)
    if isinstance(error, errors.NeedsApproval):
        found |= {"count": error.count, "allowed": error.allowed}
    if isinstance(error, errors.SetAside):
        found["review"] = error.review
    return {"error": found}
