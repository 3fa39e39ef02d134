"""Reads mail: the subject, and what the sender wrote. What an answer quotes is older, and not this mail's word."""

from __future__ import annotations

import re
from datetime import UTC
from email import message_from_bytes, policy
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parsedate_to_datetime

from upheld.corpus import html
from upheld.corpus import text as plain_text
from upheld.corpus.blocks import Page, fit
from upheld.errors import Invalid

_LONGEST_FIELD = 998  # characters, as mail allows them in one line
_MOST_PARTS = 200
_QUOTED = re.compile(r"(?m)^[ \t]*>.*\n?")
_REST_IS_QUOTED = re.compile(
    r"(?m)^[ \t]*(?:-{2,} ?(?:Original Message|Forwarded message|Urspr\u00fcngliche Nachricht|Message d'origine) ?-{2,}"
    r"|_{20,})[ \t]*$|^On [^\n]{4,200}(?:\n[^\n]{1,100})? wrote:[ \t]*$"
)


def read(raw: bytes) -> Page:
    """The page of a mail: its plain part, else its HTML part. Attachments are not read."""
    try:
        mail = message_from_bytes(raw, policy=policy.compat32)
        parts = [part for part in mail.walk() if not part.is_multipart()]
        head = {"title": _field(mail, "Subject"), "owner": _field(mail, "From"), "date": _date(mail)}
        if len(parts) > _MOST_PARTS:
            raise Invalid(f"the mail has more than {_MOST_PARTS} parts")
        page = _page(parts)
    except (MessageError, RecursionError, LookupError, ValueError) as error:
        raise Invalid(f"the mail is damaged: {error}") from None
    return Page(text=page.text, blocks=page.blocks, head={name: value for name, value in head.items() if value})


def _page(parts: list[Message]) -> Page:
    for kind in ("text/plain", "text/html"):
        for part in parts:
            if part.get_content_type() == kind and part.get_content_disposition() != "attachment":
                said = fit(_decoded(part))
                return plain_text.read(_own(said)) if kind == "text/plain" else html.read(said)
    return Page(text="")


def _decoded(part: Message) -> str:
    found = part.get_payload(decode=True)
    raw = found if isinstance(found, bytes) else b""
    return raw.decode(part.get_content_charset() or "utf-8", "replace")


def _own(said: str) -> str:
    rest = _REST_IS_QUOTED.search(said)
    return _QUOTED.sub("", said[: rest.start()] if rest else said)


def _field(mail: Message, name: str) -> str:
    value = str(mail.get(name, ""))[:_LONGEST_FIELD]
    try:
        return fit(str(make_header(decode_header(value))))
    except (MessageError, LookupError, ValueError):
        return fit(value)


def _date(mail: Message) -> str:
    try:
        when = parsedate_to_datetime(str(mail.get("Date", ""))[:100])
        # Without an offset ("-0000") only the day is known.
        return when.date().isoformat() if when.tzinfo is None else when.astimezone(UTC).isoformat()
    except (TypeError, ValueError, OverflowError):
        return ""
