"""Evidence is checked by code: a quote must be in its original, and the excerpt is cut from there.

What a source was unsure of may not be stated as sure.
"""

from __future__ import annotations

from hashlib import sha256

from upheld import limits, note
from upheld.doubt import holds_doubt
from upheld.errors import EvidenceMissing, HedgeLost, Invalid, Refused, shown
from upheld.note import Channel, Citation, Source


def sources(offered: object, *, unsure: bool) -> tuple[Source, ...]:
    """Cut each citation's excerpt from its original. `unsure` says that the statement keeps its doubt.

    Raises `EvidenceMissing` for a quote that is not there, `HedgeLost` for a doubt that vanished, `Refused` for an
    excerpt that no code cut, `Invalid` for what is no source.
    """
    if type(offered) is tuple and not offered:
        return ()
    if not isinstance(offered, tuple | list):
        raise Invalid(f"sources must be a list, not {shown(offered)}")
    if len(offered) > note.MAX_SOURCES:
        raise Invalid(f"{len(offered)} sources; at most {note.MAX_SOURCES} fit")
    found = tuple(_source(each) for each in offered)
    for source in found:
        if source.excerpt is not None and not unsure and holds_doubt(source.excerpt):
            raise HedgeLost(
                f"the source {source.ref!r} is unsure ({source.excerpt[:80]!r}) and the statement is not; keep the "
                "doubt in its words, or write it with certainty='hypothesis'"
            )
    return found


def _source(offered: object) -> Source:
    if not isinstance(offered, Citation | Source):
        raise Invalid(f"a source must be a Citation or a Source, not {type(offered).__name__}")
    ref, channel = limits.name(offered.ref, "a source's ref"), limits.channel(offered.channel, "a source's channel")
    if isinstance(offered, Citation):
        return cite(offered)
    if any(part is not None for part in (offered.version, offered.start, offered.end, offered.excerpt)):
        raise Refused("an excerpt is cut by code: give a Citation with the original and a quote or a span of it")
    return Source(channel=channel, ref=ref)


def cite(citation: Citation) -> Source:
    """The source that a citation names, its excerpt cut from the original by position.

    >>> cite(Citation(original="The port is 5432.", ref="ports.md", quote="port is 5432")).start
    4
    """
    if not isinstance(citation.original, str):
        raise Invalid(f"the original must be text, not {type(citation.original).__name__}")
    raw = limits.encoded(citation.original, "original")
    start, end = _span(citation)
    return Source(
        channel=Channel(citation.channel),
        ref=limits.exact(citation.ref),
        version=sha256(raw).hexdigest(),
        start=start,
        end=end,
        excerpt=citation.original[start:end],
    )


def _span(citation: Citation) -> tuple[int, int]:
    original, quote, start, end = citation.original, citation.quote, citation.start, citation.end
    if quote is not None:
        if not isinstance(quote, str) or not quote or quote not in original:
            raise EvidenceMissing(f"{shown(quote)} is not in {citation.ref!r}; quote it to the letter")
        start = original.index(quote)
        return start, start + len(quote)
    if not isinstance(start, int | None) or not isinstance(end, int | None):
        raise Invalid("a span is two whole numbers: the positions of its first character and of the one after it")
    if start is None or end is None or not 0 <= start < end <= len(original):
        raise EvidenceMissing(
            f"the span {shown(start)}-{shown(end)} is not inside {citation.ref!r} ({len(original)} characters); "
            "give a quote, or a start and an end with 0 <= start < end"
        )
    return start, end
