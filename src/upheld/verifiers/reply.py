"""What a value that an owner gave is worth: one line of text, a finite number or a boolean, or nothing."""

from __future__ import annotations

from decimal import Decimal

from upheld import limits
from upheld.errors import Invalid
from upheld.note import MAX_NAME_CHARS
from upheld.verification import Changed, Unavailable

_LONGEST_WHOLE_BITS = 4 * MAX_NAME_CHARS  # whoever has more bits has more digits than fit


def reply_of(value: object) -> Changed | Unavailable:
    """Take a value from an owner as a reply; what is no usable value verifies nothing.

    Text must be one line with some visible character, of at most 512 characters, without what surrounds it; numbers
    must be finite and are written out plainly. Whether the value is the note's own is for the flow to say.

    >>> reply_of(" Pro "), reply_of(True), reply_of(12.50), reply_of(1e3)
    (Changed(value='Pro'), Changed(value='true'), Changed(value='12.5'), Changed(value='1000'))
    >>> reply_of(None), reply_of(float("nan"))
    (Unavailable(reason='it has no value'), Unavailable(reason='its number is not finite, or too long'))
    """
    if value is None:
        return Unavailable("it has no value")
    if isinstance(value, bool):
        return Changed("true" if value else "false")
    if isinstance(value, int | float | Decimal):
        digits = _digits(value)
        return Changed(digits) if digits else Unavailable("its number is not finite, or too long")
    if not isinstance(value, str):
        return Unavailable("its value is no text, number or boolean")
    # Through the class: a text that is a member of an enumeration has its own idea of how it is shown.
    text = str.strip(value)
    try:
        limits.name(text, "the value")
    except Invalid:
        text = ""
    if len(text.splitlines()) != 1:
        return Unavailable(f"its value is not one visible line of at most {MAX_NAME_CHARS} characters")
    return Changed(text)


def _digits(value: float | Decimal) -> str | None:
    """A number in decimal digits; None if it is not finite or has more than fit."""
    if isinstance(value, int) and value.bit_length() > _LONGEST_WHOLE_BITS:
        return None
    number = Decimal(float.__repr__(value) if isinstance(value, float) else value)
    if not number.is_finite():
        return None
    _, digits, exponent = number.as_tuple()
    # Before it is written out: one short exponent can ask for a billion zeros.
    if len(digits) + abs(int(exponent)) > MAX_NAME_CHARS:
        return None
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in {"-0", "0"} else text
