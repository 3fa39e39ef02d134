"""Bytes as text. What is not clearly text is refused, never guessed at: wrong characters would be quoted as evidence.

A byte order mark decides (UTF-8, UTF-16, UTF-32); else UTF-8; else, for HTML, the encoding that it declares; else
Windows-1252 (which agrees with Latin-1 on all printable characters), if nothing in it is a control character and at
most three of ten characters are outside ASCII. UTF-8 that is damaged in places is refused, with the place.
"""

from __future__ import annotations

import codecs
import re

from upheld.corpus.blocks import fit
from upheld.errors import Invalid

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_DECLARED = re.compile(rb"""(?i)<meta[^>]{0,200}charset=["']?\s*([a-z0-9_-]{2,20})""")
_SAFE = frozenset(
    "iso8859-1 iso8859-2 iso8859-5 iso8859-7 iso8859-9 iso8859-15 cp1250 cp1251 cp1252 cp1253 cp1254 cp1256 koi8-r "
    "shift_jis euc_jp euc_kr gbk gb2312 gb18030 big5".split()
)
_MOST_FOREIGN = 0.3


def decoded(raw: bytes, *, declared: bool = False) -> str:
    """The text in some bytes, without a byte order mark, line ends as LF. `declared` believes what HTML declares.

    Raises `Invalid` for what is no text.
    """
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            try:
                return _without_nul(raw.decode(encoding))
            except UnicodeDecodeError as error:
                raise Invalid(f"not {encoding.upper().removesuffix('-SIG')} at byte {error.start + 1}") from None
    if b"\0" in raw:
        raise Invalid("it holds NUL bytes: it is no text, or UTF-16 without its mark")
    try:
        return fit(raw.decode())
    except UnicodeDecodeError as error:
        return fit(_legacy(raw, error.start, declared))


def _legacy(raw: bytes, place: int, declared: bool) -> str:
    found = _DECLARED.search(raw[:4096]) if declared else None
    try:
        encoding = codecs.lookup(found[1].decode()).name if found else "cp1252"
        if found and encoding in _SAFE:
            return raw.decode(encoding)
        foreign = sum(map(len, re.findall(rb"[\x80-\xff]+", raw)))
        whole = raw.decode("utf-8", "ignore")
        if _CONTROLS.search(raw) or foreign > _MOST_FOREIGN * len(raw) or not whole.isascii():
            raise Invalid(f"not UTF-8 at byte {place + 1}, and not clearly another text; convert it to UTF-8")
        return raw.decode("cp1252")
    except (UnicodeDecodeError, LookupError):
        raise Invalid(f"not UTF-8 at byte {place + 1}; convert it to UTF-8") from None


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise Invalid("it holds NUL characters: it is no text")
    return fit(text)
