"""What a document says of itself: its date, owner, title and authority. Never the time of a file, never the present.

A date comes from the head (front matter, meta, mail header), else from a line near the top that says nothing else.
When it takes effect goes before when it was updated, and that before when it was written. A month counts as its first
day. What could be read as two days (03/04/2026) is no date. A time of day without an offset is left off.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from upheld.corpus.blocks import Kind, Page, one_line, plain
from upheld.note import MAX_NAME_CHARS, Channel
from upheld.values import canonical

_EFFECTIVE = "effective effective_date effective_from effective_as_of valid_from in_force_from".split()
_UPDATED = (
    "updated updated_at updated_on last_updated last_update last_modified lastmod modified date_modified last_revised "
    "revised last_changed last_edited last_reviewed"
).split()
_WRITTEN = "date published date_published published_on published_at created date_created as_of".split()
_WHEN = (*_EFFECTIVE, *_UPDATED, *_WRITTEN)
_OWNER = "owner owners owned_by maintainer maintainers maintained_by author authors".split()
_TOP_LINES = 20
_LONGEST_LINE = 200

_FENCE = re.compile(r"(---|\+\+\+)[ \t]*\n")
_FIELD = re.compile(r"([A-Za-z][\w .-]{0,39}?)[ \t]*:(?:[ \t]+(.*))?")
_YAML_ITEM = re.compile(r"\s*-\s+(.+)")
_LABELLED = re.compile(
    r"(effective(?:[ ]date|[ ]from|[ ]as[ ]of|[ ]on)?|valid[ ]from|in[ ]force[ ]from|"
    r"last[ ](?:updated?|modified|changed|revised|edited|reviewed)(?:[ ]on)?|"
    r"updated(?:[ ]on)?|revised(?:[ ]on)?|published(?:[ ]on)?|as[ ]of|date(?=\s*:))"
    r"\s*[:\u2013\u2014-]?\s*(?=\w)",
    re.IGNORECASE,
)
_OWNED = re.compile(r"((?:owner|maintainer|author)s?(?=\s*:)|owned[ ]by|maintained[ ]by)\s*:?\s*", re.IGNORECASE)
_DATE = (
    r"\d{4}-\d{1,2}-\d{1,2}(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?: ?(?:Z|UTC|[-+]\d\d:?\d\d))?)?|"
    r"\d{4}/\d{1,2}/\d{1,2}|\d{1,2}(?:st|nd|rd|th)?(?:[ ]of)?[ -][A-Za-z]{3,9}\.?,?[ -]\d{4}|"
    r"[A-Za-z]{3,9}\.?[ ]\d{1,2}(?:st|nd|rd|th)?,?[ ]\d{4}|"
    r"\d{1,2}(?P<sep>[/.])\d{1,2}(?P=sep)\d{4}|[A-Za-z]{3,9}\.?,?[ ]\d{4}|\d{4}-\d{2}"
)
_FIRST_DATE = re.compile(rf"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,? )?((?:{_DATE}))(?![\w/-])", re.IGNORECASE)
_LAST_DATE = re.compile(rf"(?:^|[-\u2013\u2014(\[,:/ ])\s*((?:{_DATE}))\s*[)\]]?$", re.IGNORECASE)
_EDGE = " \t*_>|#-•·."


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a document says of itself; None where it does not say."""

    title: str | None = None
    owner: str | None = None
    authority: Channel
    dated: datetime | None = None


def said(page: Page, *, cap: Channel) -> Said:
    """Read what a page says of itself. It may lower its authority below `cap`, and never raise it."""
    head = {_key(name): value for name, value in page.head.items()}
    top = dict(_top(page))
    when = next((date for name in _WHEN for date in [dated(head.get(name, ""))] if date), None) or next(
        (date for name in _WHEN for date in [dated(top.get(name, ""))] if date), None
    )
    title = head.get("title") or next((b.label for b in page.blocks if b.kind is Kind.HEADING and b.level == 1), None)
    owner = next((value for found in (head, top) for name in _OWNER if (value := found.get(name))), None)
    return Said(
        title=_name(title),
        owner=_name(owner),
        authority=_lower(head.get("authority", ""), cap),
        dated=when,
    )


def dated(text: str) -> datetime | None:
    """The moment that a text states if it is a date and nothing else.

    >>> dated("12 March 2026").isoformat(), dated("03/04/2026")
    ('2026-03-12T00:00:00+00:00', None)
    """
    text = text.strip()
    if not 6 <= len(text) <= 64 or not any(map(str.isdigit, text)):
        return None
    value = canonical(text)
    try:
        if value.endswith("z") and "T" in value:
            return datetime.fromisoformat(value[:-1]).replace(tzinfo=UTC)
        day = value.partition(" ")[0]
        if re.fullmatch(r"\d{4}-\d\d", day, re.ASCII):
            day += "-01"
        return datetime.fromisoformat(day).replace(tzinfo=UTC) if re.fullmatch(r"\d{4}-\d\d-\d\d", day) else None
    except ValueError:
        return None


def dated_line(line: str) -> datetime | None:
    """The date of a line that says nothing else: "Last updated: 12 March 2026"."""
    return next((when for _, when in _dates_of(line) if when is not None), None)


def dated_start(text: str) -> datetime | None:
    """The date that a passage begins with: "Effective 1 July 2026, the fee is $20"."""
    text = text.lstrip(_EDGE)
    label = _LABELLED.match(text)
    if label is None or _key(label[1]) == "as_of":  # "As of 2020" may begin a sentence about the past
        return None
    found = _FIRST_DATE.match(text[label.end() :].lstrip("*_ "))
    return dated(found[1]) if found else None


def dated_heading(title: str) -> datetime | None:
    """The date that a heading ends in or is: "2.1.0 (2026-03-01)", "Effective from 1 July 2026"."""
    found = _LAST_DATE.search(title)
    # A heading such as "Roadmap 2026-07" or "Plans for May 2026" has a subject, not a date.
    return dated(found[1]) if found and (_LABELLED.match(title) or _is_whole(title, found)) else None


def _is_whole(title: str, found: re.Match[str]) -> bool:
    """Whether a heading is a date alone, or a version with its date, as in a change log."""
    before = title[: found.start(1)].strip(" -\u2013\u2014([:")
    return not before or bool(re.fullmatch(r"\[?(?:version |release )?v?\d[\w.+-]*\]?", before, re.IGNORECASE))


def front_matter(text: str) -> tuple[dict[str, str], int, int, int]:
    """The head of a Markdown text: its fields, where its lines begin and end, and where the text goes on.

    YAML between lines of `---`, read as fields with one value or a list; or TOML between lines of `+++`.
    """
    fence = _FENCE.match(text)
    if fence is None:
        return {}, 0, 0, 0
    end = re.compile(rf"^{re.escape(fence[1])}[ \t]*(?:\n|\Z)", re.MULTILINE).search(text, fence.end())
    if end is None:
        return {}, 0, 0, 0
    inner = text[fence.end() : end.start()]
    fields = _toml_fields(inner) if fence[1] == "+++" else _yaml_fields(inner)
    if not fields and inner.strip():
        return {}, 0, 0, 0  # a rule, some text, and another rule
    return fields, fence.end(), end.start(), end.end()


def _yaml_fields(text: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    name = ""
    for line in text.split("\n"):
        if found := _FIELD.fullmatch(line.rstrip()):
            name = found[1]
            fields[name] = _unquoted(found[2] or "")
        elif name and (item := _YAML_ITEM.fullmatch(line)):
            fields[name] = ", ".join(filter(None, (fields[name], _unquoted(item[1]))))
    return fields


def _unquoted(value: str) -> str:
    value = value.strip()
    if value[:1] == "[" and value[-1:] == "]":
        return ", ".join(_unquoted(part) for part in value[1:-1].split(","))
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value.partition(" #")[0].rstrip()


def _toml_fields(text: str) -> dict[str, str]:
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return {}
    return {
        name: ", ".join(map(str, value)) if isinstance(value, list) else str(value) for name, value in found.items()
    }


def _top(page: Page) -> Iterator[tuple[str, str]]:
    """What the first lines say, down to the second heading, the last first: the first one to say it wins."""
    headings = [block for block in page.blocks if block.kind is Kind.HEADING]
    until = headings[1].start if len(headings) > 1 else len(page.text)
    start = page.blocks[0].start if page.blocks else 0
    lines = [line for line in page.text[start : min(until, start + 8000)].split("\n") if line.strip()][:_TOP_LINES]
    for line in reversed(lines):
        if len(line) > _LONGEST_LINE:
            continue
        for name, when in _dates_of(line):
            if when is not None:
                yield name, when.isoformat()
        for part in _split(line):
            if found := _OWNED.match(part):
                yield _key(found[1]), part[found.end() :]


def _dates_of(line: str) -> Iterator[tuple[str, datetime | None]]:
    """Each part of a line that is labelled as a date, and the date if it is one."""
    for part in _split(line):
        if label := _LABELLED.match(part):
            value = part[label.end() :].strip(_EDGE)
            when = dated(value) or dated(re.split(r" by | \(", value, maxsplit=1)[0])
            yield _key(label[1]), when


def _split(line: str) -> list[str]:
    bare = line.replace("**", "").replace("__", "")
    parts = [part.strip(_EDGE) for part in re.split(r"\s[|·•]\s", bare)]
    if len(parts) == 2:  # a row of a table: the label, and what it is
        both = f"{parts[0]}: {parts[1]}"
        if any(found and found.end() == len(parts[0]) + 2 for found in (_LABELLED.match(both), _OWNED.match(both))):
            return [both]
    return parts


def _key(name: str) -> str:
    return re.sub(r"[\s.:-]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip())).lower()


def _name(value: str | None) -> str | None:
    return (one_line(plain(value))[:MAX_NAME_CHARS].strip() or None) if value else None


def _lower(stated: str, cap: Channel) -> Channel:
    ranks = list(Channel)
    name = _key(stated)
    return max(Channel(name), cap, key=ranks.index) if name in set(Channel) else cap
