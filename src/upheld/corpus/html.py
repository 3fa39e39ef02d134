"""Reads HTML as a page of text: headings, paragraphs, lists, tables, terms with what they mean.

Left out: scripts, styles, navigation, form controls, and what the page itself hides.
"""

from __future__ import annotations

import re
from collections import Counter

from upheld.corpus.blocks import Kind, Page, Sheet, one_line
from upheld.corpus.markup import Tag, pieces

_UNSEEN = frozenset(
    "script style template noscript nav svg math iframe object canvas audio video select button".split()
)
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_INLINE = frozenset(
    "a abbr b bdi bdo big cite code data del dfn em font i img input ins kbd label mark q s samp small span strong sub "
    "sup time tt u var wbr".split()
)
_CLOSED_BY_BLOCK = frozenset(("p", *(f"h{n}" for n in range(1, 7))))
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SIBLINGS = {
    "li": frozenset(("li",)),
    "dt": frozenset(("dt", "dd")),
    "dd": frozenset(("dt", "dd")),
    "tr": frozenset(("tr", "td", "th")),
    "td": frozenset(("td", "th")),
    "th": frozenset(("td", "th")),
    "tbody": frozenset(("tr", "td", "th", "thead", "tbody")),
    "tfoot": frozenset(("tr", "td", "th", "tbody")),
}
_LOOK_BACK = 16
_META = {
    "date": "date", "dc_date": "date", "dcterms_date": "date", "article_published_time": "published",
    "dcterms_modified": "modified", "last_modified": "modified", "revised": "revised",
    "article_modified_time": "modified", "og_updated_time": "modified", "author": "author", "owner": "owner",
    "authority": "authority", "effective": "effective", "effective_date": "effective",
}  # fmt: skip
_TIMES = {"datemodified": "modified", "datepublished": "published", "updated": "updated", "published": "published"}


def read(source: str) -> Page:
    """The page of an HTML text."""
    reader = _Reader()
    for piece in pieces(source):
        if isinstance(piece, str):
            reader.text(piece)
        elif piece.ends:
            reader.end(piece.name)
        else:
            reader.start(piece)
    reader.flush()
    return reader.sheet.page(reader.head)


class _Reader:
    """Keeps the elements that are open, and writes a block whenever one begins or ends."""

    def __init__(self) -> None:
        self.sheet = Sheet()
        self.head: dict[str, str] = {}
        self._open: list[tuple[str, bool]] = []  # each with whether it is unseen
        self._count: Counter[str] = Counter()
        self._said: list[str] = []
        self._is_item = False
        self._cells: list[str] = []
        self._is_header = True
        self._term = ""

    @property
    def _unseen(self) -> bool:
        return bool(self._open) and self._open[-1][1]

    def text(self, said: str) -> None:
        """Take in text between two tags."""
        if self._open and self._open[-1][0] == "title" and not self._count["svg"]:
            self.head.setdefault("title", one_line(said))
        elif not self._unseen:
            self._said.append(said if self._count["pre"] else re.sub(r"\s+", " ", said))

    def start(self, tag: Tag) -> None:
        """Open an element, and end those that cannot hold it."""
        name = tag.name
        if name == "meta":
            self._meta(tag)
        if name == "time":
            self._time(tag)
        if name not in _INLINE:
            self._imply(name)
        if name in _VOID:
            if name == "br" and not self._unseen:
                self._said.append("\n")
            return
        hides = (
            self._unseen
            or name in _UNSEEN
            or "hidden" in tag.attributes
            or tag.attributes.get("aria-hidden") == "true"
            or _HIDING.search(tag.attributes.get("style", "")) is not None
        )
        if name not in _INLINE:
            self._boundary(name)
        self._is_item = self._is_item or name == "li"
        self._open.append((name, hides))
        self._count[name] += 1

    def end(self, name: str) -> None:
        """Close an element with all that is open in it; the end of what is not open is nothing."""
        while self._count[name]:
            last, _ = self._open[-1]
            self._close(last)
            if last == name:
                return

    def flush(self) -> None:
        """Write what was said since the last block."""
        said = "".join(self._said)
        self._said.clear()
        if not self._count["pre"]:
            said = "\n".join(line.strip() for line in said.split("\n"))
        if not said.strip():
            return
        depth = self._count["li"]
        if self._count["td"] or self._count["th"]:
            self._cells.append(said)
            return
        level = next((n for n in range(1, 7) if self._count[f"h{n}"]), 0)
        if level and not depth:
            self.sheet.add(Kind.HEADING, " ".join(said.split()), level=level, label=one_line(said))
        elif self._count["pre"]:
            self.sheet.add(Kind.VERBATIM, said, level=depth)
        elif self._count["dt"]:
            self._term = one_line(said)
            self.sheet.add(Kind.PARAGRAPH, said, level=depth)
        else:
            kind = Kind.ITEM if self._is_item and depth else Kind.PARAGRAPH
            self.sheet.add(kind, said, level=depth, context=(self._term,) if self._count["dd"] and self._term else ())
            self._is_item = False

    def _imply(self, name: str) -> None:
        ended = _CLOSED_BY_BLOCK | _SIBLINGS.get(name, frozenset())
        while True:
            # Inline elements that were left open end with what they are in.
            near = (self._open[-at][0] for at in range(1, min(len(self._open), _LOOK_BACK) + 1))
            block = next((one for one in near if one not in _INLINE), "")
            if block not in ended:
                return
            self.end(block)

    def _close(self, name: str) -> None:
        if name not in _INLINE:
            self._boundary(name)
        _, unseen = self._open.pop()
        self._count[name] -= 1
        if name == "tr":
            self._row()
        elif name in ("td", "th") and not unseen:
            self._is_header = self._is_header and name == "th"
        elif name == "dl":
            self._term = ""

    def _boundary(self, name: str) -> None:
        nested = self._count["td"] + self._count["th"]
        if nested and name not in ("td", "th", "tr", "table"):
            self._said.append(" ")
            return
        if name in ("td", "th") and nested:
            cell = " ".join("".join(self._said).split())
            self._said.clear()
            self._cells.append(cell.replace("|", "\\|"))
            return
        self.flush()

    def _row(self) -> None:
        cells, self._cells = self._cells, []
        header, self._is_header = self._is_header and bool(cells), True
        if any(cells):
            row = " | ".join(cells)
            self.sheet.add(
                Kind.HEADER if header else Kind.ROW, row, level=self._count["li"], label=one_line(row) if header else ""
            )

    def _meta(self, tag: Tag) -> None:
        name = tag.attributes.get("name") or tag.attributes.get("property") or tag.attributes.get("http-equiv") or ""
        field = _META.get(re.sub(r"[.:-]", "_", name.lower()))
        if field:
            self.head.setdefault(field, tag.attributes.get("content", ""))

    def _time(self, tag: Tag) -> None:
        names = f"{tag.attributes.get('itemprop', '')} {tag.attributes.get('class', '')}".lower().split()
        for name in names:
            if name in _TIMES and not self._unseen:
                self.head.setdefault(_TIMES[name], tag.attributes.get("datetime", ""))
