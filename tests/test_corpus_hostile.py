"""Documents made to break their reader are read or refused, each within a bound of time, and obeyed never."""

from __future__ import annotations

import time

import pytest

from test_corpus_readers import docx, named_archive, pdf
from upheld.corpus import blocks, chunks
from upheld.corpus.read import read
from upheld.errors import Invalid

# Far above what they take on a busy machine, far below what a quadratic reader would.
SECONDS = 20.0

READ: list[tuple[str, bytes]] = [
    ("a.md", b"\xef\xbb\xbf"),
    ("a.md", b"word " * 1_000_000),
    ("a.md", b"x" * 5_000_000),
    ("a.html", b"x" * 5_000_000),
    ("a.md", b"# " + b"x y " * 200_000 + b"\n" + b"p\n\n" * 500),
    ("a.md", b">" * 300_000),
    ("a.md", b"- " * 300_000),
    ("a.md", b"# " + b"[" * 200_000),
    ("a.md", b"<div>\n" + b"<!--" * 200_000),
    ("a.md", b"---\n" * 3_000),
    ("a.html", b"<a " * 50_000),
    ("a.html", b"<a x='" * 50_000),
    ("a.html", b"<!--" * 200_000),
    ("a.html", b"</" * 200_000),
    ("a.html", b"<b><p>" * 5_000),
    ("a.html", b"<div>" * 10_000 + b"</div>" * 10_000),
    ("a.json", b'{"a": "\\ud800\\u0000"}'),
    ("a.json", b'{"' + b"k" * 100_000 + b'": {' + b",".join(b'"%d": 1' % n for n in range(1000)) + b"}}"),
    (
        "a.yaml",
        b"a: &a [x,x]\n" + b"".join(b"%c: &%c [*%c,*%c]\n" % (98 + n, 98 + n, 97 + n, 97 + n) for n in range(20)),
    ),
    ("a.py", b"(" * 10_000 + b"\n# said\n"),
    ("a.py", b"-" * 10_000 + b"1  # said\n"),
    ("a.ts", b"/*" * 20_000),
    ("a.ts", b"`" * 50_001),
    ("a.ts", b"x//" * 100_000),
    ("a.txt", "".join(" " * (n % 300) + "- x\n" for n in range(5000)).encode()),
    ("a.eml", b"Subject: " + b"=?utf-8?q?x?= " * 50_000 + b"\n\nbody\n"),
    ("a.docx", docx("<a>" * 100_000 + "</a>" * 100_000)),
]
REFUSED: list[tuple[str, bytes, str]] = [
    ("a.txt", b"ab\0c", "NUL"),
    ("a.txt", b"\xff\xfe\0\xd8", "not UTF-16"),
    ("a.txt", b"\xef\xbb\xbfa\xff", "not UTF-8 at byte 2"),
    ("a.txt", "цена двадцать".encode("cp1251"), "not UTF-8"),
    ("a.txt", "ça caf\u00e9".encode()[:-1], "not UTF-8 at byte 8"),
    ("a.md", b"\x89PNG\r\n\x1a\n\xff", "not UTF-8"),
    ("a.json", b"[" * 100_000, "64 levels"),
    ("a.json", b'{"a":' * 100 + b"1" + b"}" * 100, "64 levels"),
    ("a.json", b"{", "damaged"),
    ("a.json", b"[" + b"9" * 10_000 + b"]", "damaged"),
    ("a.jsonl", b'{"a": 1}\n{', "line 2"),
    ("a.toml", b"a = " + b"[" * 5000, "64 levels"),
    ("a.toml", b".".join([b"a"] * 100) + b" = 1", "64 levels"),
    ("a.yaml", b"[" * 5000, "damaged"),
    ("a.yaml", b"\n".join(b" " * n + b"a:" for n in range(100)), "64 levels"),
    ("a.yaml", b"a: *b: c", "damaged"),
    ("a.csv", b"x" * 2_000_000, "damaged"),
    ("a.docx", b"PK\3\4", "damaged"),
    ("a.docx", b"\xd0\xcf\x11\xe0", "password"),
    ("a.docx", named_archive({"x": b""}), "part word/document.xml is missing"),
    ("a.docx", named_archive({"word/document.xml": b"<a>" + b" " * 70_000_000}), "more than 67,108,864 bytes"),
    ("a.docx", named_archive({"word/document.xml": b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}), "document type"),
    ("a.docx", named_archive({"word/document.xml": b"<a>"}), "XML is damaged"),
    ("a.pptx", named_archive({"ppt/presentation.xml": b"<a/>"}), "missing"),
    (
        "a.eml",
        b"".join(b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (n, n) for n in range(1100)),
        "damaged",
    ),
    ("a.png", b"\x89PNG", "has no reader"),
    ("a", b"text", "has no reader"),
]


def shown(value: object) -> str | None:
    return f"{len(value)} bytes {value[:24]!r}" if isinstance(value, bytes) else None


@pytest.mark.parametrize(("name", "raw"), READ, ids=shown)
def test_what_is_strange_is_read_in_good_time(name: str, raw: bytes) -> None:
    began = time.process_time()
    document = read(name, raw)
    assert time.process_time() - began < SECONDS
    assert all(document.text[chunk.start : chunk.end] == chunk.text for chunk in document.chunks)
    document.text.encode()  # no lone surrogates
    assert "\0" not in document.text


@pytest.mark.parametrize(("name", "raw", "why"), REFUSED, ids=shown)
def test_what_is_broken_is_refused_with_the_reason(name: str, raw: bytes, why: str) -> None:
    began = time.process_time()
    with pytest.raises(Invalid, match=f"^{name}: .*{why}"):
        read(name, raw)
    assert time.process_time() - began < SECONDS


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("a.csv", b"a\n" * 50),
        ("a.txt", b"a: b\n" * 50),
        ("a.html", b"<p>a" * 50),
        ("a.json", b"[{}" + b",1" * 50 + b"]"),
    ],
)
def test_too_many_passages_are_refused(name: str, raw: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(read(name, raw).chunks) >= 49
    for module in (blocks, chunks):
        monkeypatch.setattr(module, "MAX_BLOCKS", 40)
    with pytest.raises(Invalid, match="split it"):
        read(name, raw)


@pytest.mark.parametrize("cut", [0, 20, 200, 400])
def test_pdf_that_is_cut_short_is_refused_or_read(cut: int) -> None:
    pytest.importorskip("pypdf", reason="the docs extra is not installed")
    whole = pdf("said")
    assert [chunk.text for chunk in read("a.pdf", whole).chunks] == ["said"]
    with pytest.raises(Invalid, match="damaged"):
        read("a.pdf", whole[:cut])
