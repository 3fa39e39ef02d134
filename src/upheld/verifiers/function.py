"""Verifiers out of plain functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence

from upheld import limits
from upheld.errors import Invalid, Misconfigured
from upheld.ports import Verifier
from upheld.verification import Agreed, Asked, Changed, Reply, Unavailable
from upheld.verifiers.reply import reply_of

RAISED = Unavailable("asking it failed")


def verifier(function: Callable[[Asked], Reply], *, source: str) -> Verifier:
    """Make a verifier of a function that is asked about one note and replies.

    `source` names the system ("billing"). Several functions may share one: it is then asked once for all of them. A
    function that raises, or gives back what is no reply, verifies nothing. Raises `Misconfigured` for what cannot be
    called with one argument.

    >>> tier = verifier(lambda asked: Changed("Pro") if asked.subject == "Ana" else Unavailable("no such user"),
    ...     source="billing")
    >>> tier.source
    'billing'
    """
    return _Function(function, _sure_source(source))


def reading(function: Callable[[str], object], *, source: str) -> Verifier:
    """Make a verifier of a function from a subject to the value that its system holds for it.

    The value is text, a number or a boolean; None says that there is none. A reply (`Agreed`, `Changed`,
    `Unavailable`) is taken as it is. Anything else verifies nothing. Raises `Misconfigured` as `verifier` does.

    >>> seats = reading({"Ana": 12}.get, source="billing")
    >>> asked = lambda subject: Asked(note="1", scope="crm", subject=subject, attribute="seats", value="10",
    ...     statement="", sources=(), recorded_at=None)
    >>> seats.verify([asked("Ana"), asked("Ben")])
    [Changed(value='12'), Unavailable(reason='it has no value')]
    """
    sure_function(function)

    def reply(asked: Asked) -> Reply:
        found = function(asked.subject)
        return found if isinstance(found, Agreed | Changed | Unavailable) else reply_of(found)

    return _Function(reply, _sure_source(source))


class _Function:
    def __init__(self, function: Callable[[Asked], Reply], source: str) -> None:
        sure_function(function)
        self._function = function
        self._source = source

    def __repr__(self) -> str:
        return f"<verifier {self._source!r}>"

    @property
    def source(self) -> str:
        return self._source

    def verify(self, asked: Sequence[Asked]) -> Sequence[Reply]:
        return [self._reply(each) for each in asked]

    def _reply(self, asked: Asked) -> Reply:
        try:
            found: object = self._function(asked)
        except Exception:  # noqa: BLE001 (the caller's code; one note's failure is not the others')
            return RAISED
        return found if isinstance(found, Agreed | Changed | Unavailable) else Unavailable("it gave no reply")


def sure_function(function: object) -> None:
    """Refuse what is no function of one argument that answers when it is called."""
    named = getattr(function, "__qualname__", type(function).__name__)
    if not callable(function) or inspect.isclass(function):
        raise Misconfigured(f"{named} is no function; give a function, or an object with `source` and `verify`")
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise Misconfigured(f"{named} answers later; give a function that returns the value itself")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # written in C, and says nothing about itself
        return
    try:
        signature.bind(object())
    except TypeError:
        raise Misconfigured(f"{named}{signature} must take one argument") from None


def _sure_source(source: str) -> str:
    try:
        return limits.name(source, "source")
    except Invalid as error:
        raise Misconfigured(str(error)) from None
