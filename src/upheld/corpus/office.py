"""Reads Word and PowerPoint files: the text, headings, lists and tables of their XML, by the standard library alone.

Their archives can hold far more than they seem to, so what is taken out of one is bounded, and XML that declares
types or entities is refused: these formats have none. The dates that programs write into such files are not used:
each saving sets them, as it does the time of a file, and templates keep those of their maker.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable
from typing import NoReturn
from xml.parsers import expat

from upheld.corpus.blocks import Kind, Page, Sheet, one_line
from upheld.errors import Invalid

MAX_PART_BYTES = 64 * 1024**2
MAX_SLIDES = 2000

_HEADING = re.compile(r"heading ([1-9])")
_Start = Callable[[str, dict[str, str]], None]


def read_docx(raw: bytes) -> Page:
    """The page of a Word file. Text that was deleted or is hidden is left out; footnotes stand at the end."""
    archive = _opened(raw, "docx")
    styles = _Styles()
    if "word/styles.xml" in archive.namelist():
        _parse(_part(archive, "word/styles.xml"), styles.start, lambda _: None, lambda _: None)
    writer = _Word(styles.levels)
    for name in ("word/document.xml", "word/footnotes.xml"):
        if name in archive.namelist() or name == "word/document.xml":
            _parse(_part(archive, name), writer.start, writer.end, writer.said)
    return writer.sheet.page({"title": writer.title} if writer.title else {})


def read_pptx(raw: bytes) -> Page:
    """The page of a PowerPoint file: each slide under its title, in the order shown; hidden slides are left out."""
    archive = _opened(raw, "pptx")
    targets: dict[str, str] = {}
    order: list[str] = []

    def relation(name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship":
            targets[attributes.get("Id", "")] = attributes.get("Target", "")

    def slide(name: str, attributes: dict[str, str]) -> None:
        if name == "sldId":
            order.append(attributes.get("r:id", ""))

    _parse(_part(archive, "ppt/_rels/presentation.xml.rels"), relation, lambda _: None, lambda _: None)
    _parse(_part(archive, "ppt/presentation.xml"), slide, lambda _: None, lambda _: None)
    writer = _Slides()
    for one in order[:MAX_SLIDES]:
        if one in targets:
            name = posixpath.normpath(posixpath.join("ppt", targets[one])).lstrip("/")
            _parse(_part(archive, name), writer.start, writer.end, writer.said)
    return writer.sheet.page()


def _opened(raw: bytes, kind: str) -> zipfile.ZipFile:
    if raw.startswith(b"\xd0\xcf\x11\xe0"):
        raise Invalid(f"the {kind} is encrypted or of the old binary format; save it anew without a password")
    try:
        return zipfile.ZipFile(io.BytesIO(raw))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise Invalid(f"the {kind} is damaged: {error}") from None


def _part(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        # The size that the archive states may be a lie, so what comes out is what counts.
        with archive.open(name) as file:
            found = file.read(MAX_PART_BYTES + 1)
    except KeyError:
        raise Invalid(f"the file is damaged: its part {name} is missing") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError) as error:
        raise Invalid(f"the file is damaged: its part {name}: {error}") from None
    if len(found) > MAX_PART_BYTES:
        raise Invalid(f"the file's part {name} has more than {MAX_PART_BYTES:,} bytes; split the document")
    return found


def _parse(source: bytes, start: _Start, end: Callable[[str], None], said: Callable[[str], None]) -> None:
    def refused(*_: object) -> NoReturn:
        raise Invalid("the file's XML declares a document type, which no such file does; it is not read")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, found: start(
        _local(name), {(key if key == "r:id" else _local(key)): value for key, value in found.items()}
    )
    parser.EndElementHandler = lambda name: end(_local(name))
    parser.CharacterDataHandler = said
    parser.StartDoctypeDeclHandler = refused
    try:
        parser.Parse(source, True)
    except expat.ExpatError as error:
        raise Invalid(f"the file's XML is damaged: {error}") from None


def _local(name: str) -> str:
    return name.rpartition(":")[2]


class _Styles:
    """The outline level of each paragraph style; 0 for the title's."""

    def __init__(self) -> None:
        self.levels: dict[str, int] = {}
        self._style = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Take in one element of the styles."""
        value = attributes.get("val", "")
        if name == "style":
            self._style = attributes.get("styleId", "")
        elif name == "name" and (found := _HEADING.fullmatch(value.lower())):
            self.levels[self._style] = int(found[1])
        elif name == "name" and value.lower() == "title":
            self.levels[self._style] = 0
        elif name == "outlineLvl" and value.isdecimal() and int(value) < 9:
            self.levels.setdefault(self._style, int(value) + 1)


class _Rows:
    """The cells of a table's row, as they are read; the first row is its header."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._tables: list[int] = []  # of each table that is open, how many rows it has had
        self._cells: list[list[str]] = []

    @property
    def is_open(self) -> bool:
        """Whether text goes into a cell."""
        return bool(self._cells)

    def start(self, name: str) -> None:
        """Open a table, or a cell in the outermost one."""
        if name == "tbl":
            self._tables.append(0)
        elif name == "tc" and len(self._tables) == 1:
            self._cells.append([])

    def end(self, name: str) -> None:
        """Close a table, or write a row."""
        if name == "tbl" and self._tables:
            self._tables.pop()
        elif name == "tr" and len(self._tables) == 1:
            row = " | ".join(" ".join(" ".join(cell).split()).replace("|", "\\|") for cell in self._cells)
            kind = Kind.ROW if self._tables[0] else Kind.HEADER
            if any(map(any, self._cells)):
                self._sheet.add(kind, row, label=one_line(row) if kind is Kind.HEADER else "")
            self._tables[0] += 1
            self._cells.clear()

    def said(self, text: str) -> None:
        """Add a paragraph to the cell that is open."""
        self._cells[-1].append(text)


class _Word:
    """Writes the paragraphs and tables of a Word document."""

    def __init__(self, levels: dict[str, int]) -> None:
        self.sheet = Sheet()
        self.title = ""
        self._levels = levels
        self._rows = _Rows(self.sheet)
        self._said: list[str] = []
        self._is_text = False
        self._is_hidden = False
        self._is_run = False
        self._style = ""
        self._depth = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Take in the beginning of an element."""
        value = attributes.get("val", "")
        self._rows.start(name)
        if name == "t":
            self._is_text = True
        elif name in ("tab", "br", "cr") and self._is_run:
            self._said.append("\t" if name == "tab" else "\n")
        elif name == "r":
            self._is_run, self._is_hidden = True, False
        elif name == "vanish" and self._is_run:
            self._is_hidden = value not in ("0", "false")
        elif name == "pStyle":
            self._style = value
        elif name == "ilvl" and value.isdecimal():
            self._depth = min(int(value), 8) + 1
        elif name == "numId":
            self._depth = max(self._depth, 1) if value != "0" else 0

    def end(self, name: str) -> None:
        """Take in the end of an element."""
        if name == "t":
            self._is_text = False
        elif name == "r":
            self._is_run = False
        elif name == "p":
            self._paragraph()
        self._rows.end(name)

    def said(self, text: str) -> None:
        """Take in text."""
        if self._is_text and not self._is_hidden:
            self._said.append(text)

    def _paragraph(self) -> None:
        text, style, depth = "".join(self._said).strip(), self._style, self._depth
        self._said.clear()
        self._style, self._depth = "", 0
        level = self._levels.get(style, -1)
        if self._rows.is_open:
            self._rows.said(text)
        elif level >= 0 and text:
            if level == 0:
                self.title = self.title or one_line(text)
            self.sheet.add(Kind.HEADING, " ".join(text.split()), level=level, label=one_line(text))
        elif depth:
            self.sheet.add(Kind.ITEM, text, level=depth)
        else:
            self.sheet.add(Kind.PARAGRAPH, text)


class _Slides:
    """Writes the shapes and tables of slides."""

    def __init__(self) -> None:
        self.sheet = Sheet()
        self._rows = _Rows(self.sheet)
        self._said: list[str] = []
        self._is_text = False
        self._is_title = False
        self._is_hidden = False
        self._depth = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Take in the beginning of an element."""
        self._rows.start(name)
        if name == "sld":
            self._is_hidden = attributes.get("show") in ("0", "false")
        elif name == "sp":
            self._is_title = False
        elif name == "ph":
            self._is_title = attributes.get("type") in ("title", "ctrTitle")
        elif name == "t":
            self._is_text = True
        elif name == "br":
            self._said.append("\n")
        elif name == "pPr":
            level = attributes.get("lvl", "0")
            self._depth = min(int(level), 8) if level.isdecimal() else 0

    def end(self, name: str) -> None:
        """Take in the end of an element."""
        if name == "t":
            self._is_text = False
        elif name == "p":
            text, depth = "".join(self._said).strip(), self._depth
            self._said.clear()
            self._depth = 0
            if self._rows.is_open:
                self._rows.said(text)
            elif self._is_title and text:
                self.sheet.add(Kind.HEADING, " ".join(text.split()), level=1, label=one_line(text))
            else:
                self.sheet.add(Kind.ITEM, text, level=depth + 1)
        self._rows.end(name)

    def said(self, text: str) -> None:
        """Take in text."""
        if self._is_text and not self._is_hidden:
            self._said.append(text)
