"""Every reader finds what a document says, leaves out what it does not, and keeps what belongs to a passage with it."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from itertools import pairwise

import pytest

from upheld.corpus.read import SUFFIXES, is_known, read
from upheld.document import MAX_CHUNK_CHARS, MAX_DOCUMENT_BYTES, Document
from upheld.errors import Invalid, Misconfigured, NaiveTime

Said = list[tuple[str, tuple[str, ...]]]


def said(document: Document) -> Said:
    """The words and headings of each chunk, once its place has been checked."""
    for chunk in document.chunks:
        assert document.text[chunk.start : chunk.end] == chunk.text
        assert chunk.text.strip() == chunk.text != ""
        assert len(chunk.text) <= MAX_CHUNK_CHARS
        assert all(heading.strip() and "\n" not in heading for heading in chunk.headings)
    for first, second in pairwise(document.chunks):
        assert first.end <= second.start
    return [(chunk.text, chunk.headings) for chunk in document.chunks]


def archive(**parts: str | bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, part in parts.items():
            # At a fixed time: tests are named for the bytes, and all workers must know them by the same names.
            entry = zipfile.ZipInfo(name.replace("__", "/"))
            file.writestr(entry, part, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def named_archive(parts: dict[str, str | bytes]) -> bytes:
    return archive(**{name.replace("/", "__"): part for name, part in parts.items()})


def pdf(*lines: str) -> bytes:
    """A PDF of one page with one line of text below the other."""
    shown = " ".join(f"({line}) Tj 0 -20 Td" for line in lines)
    stream = f"BT /F1 12 Tf 72 720 Td {shown} ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    made, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return made + (
        b"xref\n0 6\n0000000000 65535 f \n%strailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (table, len(made))
    )


MARKDOWN: list[tuple[str, Said]] = [
    ("One.\n\nTwo,\nand more.\n", [("One.", ()), ("Two,\nand more.", ())]),
    ("# A\n\n## B\n\ntext\n\n# C\n\nother\n", [("text", ("A", "B")), ("other", ("C",))]),
    ("A\n=\n\ntext\n\nB\n-\n\nother", [("text", ("A",)), ("other", ("A", "B"))]),
    ("# A **bold** [link](x) `snake_case` #\n\nx y", [("x y", ("A bold link snake_case",))]),
    ("# Orders was shut down\n\n# B\n\ntext", [("Orders was shut down", ()), ("text", ("B",))]),
    ("# A\n\n## Orders was shut down ##\n", [("Orders was shut down", ("A",))]),
    (
        "We keep:\n\n- orders\n- billing\n\nText.\n\n- other",
        [("We keep:", ()), ("orders", ("We keep:",)), ("billing", ("We keep:",)), ("Text.", ()), ("other", ())],
    ),
    (
        "It has plans. They are these:\n\n1. Pro\n2. Team",
        [("It has plans. They are these:", ()), ("Pro", ("They are these:",)), ("Team", ("They are these:",))],
    ),
    (
        "- orders\n  - port 80\n    - by TLS\n\n  more of orders\n- billing\n",
        [
            ("orders", ()),
            ("port 80", ("orders",)),
            ("by TLS", ("orders", "port 80")),
            ("more of orders", ("orders",)),
            ("billing", ()),
        ],
    ),
    (
        "Prices:\n\n| Plan | Price |\n|---|--:|\n| **Pro** | $20 |\n| Team \\| x | > $50 |\n\nafter",
        [
            ("Prices:", ()),
            ("**Pro** | $20", ("Prices:", "Plan | Price")),
            ("Team \\| x | > $50", ("Prices:", "Plan | Price")),
            ("after", ()),
        ],
    ),
    ("a | b\n--|--\n", [("a | b", ())]),
    ("> quoted\n> more\n\n> - item", [("quoted\n> more", ()), ("item", ())]),
    ("Run:\n\n```sh\nrun me\n\nnow\n```\n", [("Run:", ()), ("run me\n\nnow", ("Run:",))]),
    ("    indented code\n", [("indented code", ())]),
    ("<!-- unseen -->\n\n<img src=x>\n\nseen\n\n<b>seen too</b>", [("seen", ()), ("<b>seen too</b>", ())]),
    ("<script>\nunseen\n</script>\n\n<style>\nx\n</style>\n", []),
    ("text\n\n---\n\n***\n", [("text", ())]),
    ("[ref]: http://x 'said here'\n", [("[ref]: http://x 'said here'", ())]),
    ("Plan: Pro\nPrice: $20\n", [("Plan: Pro", ()), ("Price: $20", ())]),
    ("Plan: Pro\nand more\n", [("Plan: Pro\nand more", ())]),
    ("---\ntitle: T\n---\ntext", [("title: T", ()), ("text", ())]),
    ("---\n\nA rule, and text.\n\n---\n", [("A rule, and text.", ())]),
    (">" * 30 + " deep", [("deep", ())]),
    (
        "# " + "long " * 60 + "\n\ntext",
        [(("long " * 60).strip(), ()), ("text", (("long " * 40)[:199].rstrip() + "…",))],
    ),
]


@pytest.mark.parametrize(("source", "expected"), MARKDOWN)
def test_markdown_falls_into_passages_with_what_they_stand_under(source: str, expected: Said) -> None:
    assert said(read("a.md", source.encode())) == expected


@pytest.mark.parametrize(("source", "expected"), MARKDOWN)
def test_line_ends_and_byte_order_marks_change_nothing_but_the_version(source: str, expected: Said) -> None:
    plain = read("a.md", source.encode())
    for raw in (
        source.replace("\n", "\r\n").encode(),
        source.replace("\n", "\r").encode(),
        source.encode("utf-8-sig"),
        ("\ufeff" + source).encode("utf-16-le"),
        ("\ufeff" + source).encode("utf-16-be"),
        ("\ufeff" + source).encode("utf-32-le"),
    ):
        other = read("a.md", raw)
        assert said(other) == expected
        assert (other.text, other.chunks) == (plain.text, plain.chunks)
        assert other.version != plain.version or raw == source.encode()


TEXT: list[tuple[str, Said]] = [
    ("One\nmore.\n\n\nTwo.", [("One\nmore.", ()), ("Two.", ())]),
    ("Title\n=====\n\nText.\n\nSub\n---\n\nMore.", [("Text.", ("Title",)), ("More.", ("Title", "Sub"))]),
    ("=====\nTitle\n=====\n\nText.", [("Text.", ("Title",))]),
    (
        "We have:\n\n- one\n  more\n  * nested\n- two",
        [
            ("We have:", ()),
            ("one\n  more", ("We have:",)),
            ("nested", ("We have:", "one more")),
            ("two", ("We have:",)),
        ],
    ),
    ("1. one\n2) two\n(3) three\n\na word", [("one", ()), ("two", ()), ("three", ()), ("a word", ())]),
    ("Plan: Pro\nPrice: $20", [("Plan: Pro", ()), ("Price: $20", ())]),
    ("-----\n~~~~\n", []),
]


@pytest.mark.parametrize(("source", "expected"), TEXT)
def test_plain_text_falls_into_passages(source: str, expected: Said) -> None:
    assert said(read("a.txt", source.encode())) == expected


HTML: list[tuple[str, Said]] = [
    ("<p>a &amp; b <b>c</b>d</p><p>e", [("a & b cd", ()), ("e", ())]),
    ("<h1>A</h1>x<h2>B</h2><div>y</div>", [("x", ("A",)), ("y", ("A", "B"))]),
    (
        "<p>Kinds:<ul><li>a<ul><li>b</ul><li>c</ul>",
        [("Kinds:", ()), ("a", ("Kinds:",)), ("b", ("Kinds:", "a")), ("c", ("Kinds:",))],
    ),
    (
        "<table><thead><tr><th>Plan<th>Price</thead><tr><td>Pro<td><p>$20</p> now<tr><td><td>$5|6</table>",
        [("Pro | $20 now", ("Plan | Price",)), ("| $5\\|6", ("Plan | Price",))],
    ),
    ("<table><tr><td>a<td>b</table>", [("a | b", ())]),
    ("<dl><dt>Port<dd>5432</dl>after", [("Port", ()), ("5432", ("Port",)), ("after", ())]),
    ("<pre>a\n  b</pre>", [("a\n  b", ())]),
    ("one<br>two", [("one\ntwo", ())]),
    (
        "seen<script>if (a</b) x</script><style>x</style><nav>x</nav><template>x</template><!-- x -->",
        [("seen", ())],
    ),
    ("<p hidden>x<p>seen<div style='display: NONE'>x<p>x</div><span aria-hidden=true>x</span>", [("seen", ())]),
    ("<ul><li hidden>x<li>seen</ul>", [("seen", ())]),
    ("<title>x</title>seen", [("seen", ())]),
    ("seen <a href='>'>too</a> < not a tag", [("seen too < not a tag", ())]),
    ("seen<!-- never closed", [("seen", ())]),
    ("seen<a href='never closed", [("seen", ())]),
    ("<p>caf&eacute; &#x20AC;20 &#xD800; &#0;", [("café €20 \ufffd \ufffd", ())]),
    ("</p></p></div>seen</html>", [("seen", ())]),
]


@pytest.mark.parametrize(("source", "expected"), HTML)
def test_html_is_read_as_its_reader_sees_it(source: str, expected: Said) -> None:
    assert said(read("a.html", source.encode())) == expected


def test_values_stand_beside_their_whole_path() -> None:
    found = {
        "plans": [{"name": "Pro", "price": 20}, {"price": 5.5}],
        "on": True,
        "none": None,
        "regions": ["eu", "us"],
        "matrix": [[1, 2], [3]],
        "text": "two\nlines",
    }
    lines = [
        "plans.Pro.name: Pro",
        "plans.Pro.price: 20",
        "plans.2.price: 5.5",
        "on: true",
        "none: null",
        "regions: eu, us",
        "matrix.1: 1, 2",
        "matrix.2: 3",
        "text: two\nlines",
    ]
    assert [text for text, _ in said(read("a.json", json.dumps(found).encode()))] == lines
    # A list with names keeps its lines in any order.
    found["plans"].reverse()  # type: ignore[attr-defined]
    assert "plans.Pro.price: 20" in [text for text, _ in said(read("a.json", json.dumps(found).encode()))]


def test_yaml_says_what_is_written_and_obeys_no_tag() -> None:
    source = (
        "# unseen\nversion: 1.20\non: no\nwhen: 2026-03-01\nempty:\nt: &t 30 s\nsame: *t\nlist: &l [a]\nother: *l\n"
        "run: !!python/object/apply:os.system [x]\n---\nsecond: 1\n"
    )
    assert [text for text, _ in said(read("a.yaml", source.encode()))] == [
        "1.version: 1.20", "1.on: no", "1.when: 2026-03-01", "1.empty: null", "1.t: 30 s", "1.same: 30 s",
        "1.list: a", "1.other: *l", "1.run: x", "2.second: 1",
    ]  # fmt: skip


def test_toml_and_json_lines_read_like_json() -> None:
    toml = b"[db]\nport = 5432\nsince = 2026-03-01\n[[plan]]\nid = 'pro'\nprice = 1.5\n"
    assert [text for text, _ in said(read("a.toml", toml))] == [
        "db.port: 5432", "db.since: 2026-03-01", "plan.pro.id: pro", "plan.pro.price: 1.5",
    ]  # fmt: skip
    lines = b'{"id": "a", "x": 1}\n\n{"id": "b", "x": 2}\n'
    assert [text for text, _ in said(read("a.jsonl", lines))] == ["a.id: a", "a.x: 1", "b.id: b", "b.x: 2"]


@pytest.mark.parametrize(("name", "mark"), [("a.csv", ","), ("a.csv", ";"), ("a.tsv", "\t")])
def test_a_row_of_a_table_goes_with_its_header(name: str, mark: str) -> None:
    source = f'Plan{mark}Price\nPro{mark}"$20{mark}\n a month"\n\nA|B{mark}\n'
    header = ("Plan | Price",)
    assert said(read(name, source.encode())) == [
        (f"Pro | $20{mark} a month".replace("\t", ""), header),
        ("A\\|B |", header),
    ]


CODE: list[tuple[str, str, Said]] = [
    (
        "a.py",
        '#!/bin/py\n"""Module.\n\nMore.\n"""\n# one\n#\n# two\n# three\nX = 30  # seconds\nS = "# no"  # noqa: E1\n',
        [("Module.", ()), ("More.", ()), ("one", ()), ("two\n  three", ()), ("seconds", ("X = 30",))],
    ),
    (
        "a.py",
        "class A:\n  '''Doc.'''\n  async def f(self):\n    r'Raw.'\n    # inside\n    return 1\n  # after\n\n"  # noqa: ISC004
        "def g(): return 2\nif g:\n    x = '''no'''\n# last\n",
        [("Doc.", ("A",)), ("Raw.", ("A", "f")), ("inside", ("A", "f")), ("after", ("A",)), ("last", ())],
    ),
    ("a.py", "def broken(:\n  ((( # still read\n", [("still read", ("(((",))]),
    (
        "a.ts",
        "// one\n// two\nlet a = 'http://no'; // here\n/**\n * Block.\n *\n * - item\n */\nx = `// no`; /* in */ y()\n",
        [
            ("one\n   two", ()),
            ("here", ("let a = 'http://no';",)),
            ("Block.", ()),
            ("item", ()),
            ("in", ("x = `// no`;",)),
        ],
    ),
    (
        "a.rs",
        "/// Doc of 'a.\nfn f<'a>(c: char) { let q = '\"'; } // tail\n",
        [("Doc of 'a.", ()), ("tail", ("fn f<'a>(c: char) { let q = '\"'; }",))],
    ),
    (
        "a.sql",
        "-- all\nselect '-- no', 'it''s' /* yes */ from t;\n",
        [("all", ()), ("yes", ("select '-- no', 'it''s'",))],
    ),
    ("a.sh", "#!/bin/sh\n# said\necho ${x#no} 'a # no' # tail\n", [("said", ()), ("tail", ("echo ${x#no} 'a # no'",))]),
    ("a.lisp", ';; said\n(f "; no") ; tail\n', [("said", ()), ("tail", ('(f "; no")',))]),
    ("Dockerfile", "# said\nFROM x\n", [("said", ())]),
    ("a.css", "/* said */ a { color: red }\n", [("said", ())]),
    ("a.c", "/* never closed", [("never closed", ())]),
]


@pytest.mark.parametrize(("name", "source", "expected"), CODE)
def test_code_speaks_by_its_comments_alone(name: str, source: str, expected: Said) -> None:
    document = read(name, source.encode())
    assert said(document) == expected
    assert len(document.text) == len(source)  # so lines and columns are those of the file
    assert document.text.count("\n") == source.count("\n")


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def docx(body: str, **more: str) -> bytes:
    styles = (
        f'<w:styles xmlns:w="{WORD}"><w:style w:styleId="U1"><w:name w:val="heading 1"/></w:style>'
        '<w:style w:styleId="T"><w:name w:val="Title"/></w:style></w:styles>'
    )
    document = f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    return named_archive({"word/document.xml": document, "word/styles.xml": styles, **more})


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_word_files_have_headings_lists_and_tables() -> None:
    def row(*cells: str) -> str:
        return f"<w:tr>{''.join(f'<w:tc>{paragraph(cell)}</w:tc>' for cell in cells)}</w:tr>"

    listed = '<w:numPr><w:ilvl w:val="{}"/><w:numId w:val="1"/></w:numPr>'
    body = (
        paragraph("The prices", '<w:pStyle w:val="T"/>')
        + paragraph("Plans", '<w:pStyle w:val="U1"/>')
        + paragraph("We sell:")
        + paragraph("Pro", listed.format(0))
        + paragraph("monthly", listed.format(1))
        + f"<w:tbl>{row('Plan', 'Price')}{row('Pro', 'a|b &amp; c')}</w:tbl>"
        + "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>kept</w:t><w:tab/></w:r></w:ins>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r></w:p>"
    )
    notes = f'<w:footnotes xmlns:w="{WORD}"><w:footnote>{paragraph("A note.")}</w:footnote></w:footnotes>'
    found = read("a.docx", docx(body, **{"word/footnotes.xml": notes}))
    above = ("The prices", "Plans")
    assert said(found) == [
        ("We sell:", above),
        ("Pro", (*above, "We sell:")),
        ("monthly", (*above, "We sell:", "Pro")),
        ("Pro | a\\|b & c", (*above, "We sell:", "Plan | Price")),
        ("kept", above),
        ("A note.", above),
    ]
    assert (found.title, found.dated) == ("The prices", None)


def test_slides_stand_in_the_order_shown_under_their_titles() -> None:
    def slide(title: str, text: str, show: str = "") -> str:
        return (
            f'<p:sld xmlns:p="p" xmlns:a="a"{show}>'
            f'<p:sp><p:ph type="title"/><a:p><a:r><a:t>{title}</a:t></a:r></a:p></p:sp>'
            f"<p:sp><a:p><a:r><a:t>{text}</a:t></a:r></a:p>"
            f'<a:p><a:pPr lvl="1"/><a:r><a:t>below</a:t></a:r></a:p></p:sp></p:sld>'
        )

    listed = "".join(f'<p:sldId id="{n}" r:id="r{n}"/>' for n in (2, 3, 1))
    links = "".join(f'<Relationship Id="r{n}" Target="slides/slide{n}.xml"/>' for n in (1, 2, 3))
    found = read(
        "a.pptx",
        named_archive(
            {
                "ppt/presentation.xml": f'<p:presentation xmlns:p="p" xmlns:r="r">{listed}</p:presentation>',
                "ppt/_rels/presentation.xml.rels": f"<Relationships>{links}</Relationships>",
                "ppt/slides/slide1.xml": slide("Last", "one"),
                "ppt/slides/slide2.xml": slide("First", "two"),
                "ppt/slides/slide3.xml": slide("Hidden", "three", ' show="0"'),
            }
        ),
    )
    assert said(found) == [
        ("two", ("First",)),
        ("below", ("First", "two")),
        ("one", ("Last",)),
        ("below", ("Last", "one")),
    ]


MAIL = (
    b"From: Ana <ana@example.com>\r\nSubject: =?utf-8?q?Pri=C3=A7es?=\r\nDate: Thu, 12 Mar 2026 10:00:00 +0100\r\n"
    b"MIME-Version: 1.0\r\n%s"
)


def test_mail_says_what_its_sender_wrote_and_not_what_was_quoted() -> None:
    body = (
        b"Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
        b"The fee is =A320.\r\n\r\n> It was 10.\r\n\r\nBye\r\n\r\nOn Mon, 2 Mar 2026, Bo wrote:\r\n\r\nIt was 10.\r\n"
    )
    found = read("a.eml", MAIL % body)
    assert said(found) == [("The fee is £20.", ()), ("Bye", ())]
    assert (found.title, found.owner) == ("Priçes", "Ana")
    assert found.dated is not None
    assert found.dated.isoformat() == "2026-03-12T09:00:00+00:00"


def test_mail_prefers_plain_text_and_reads_no_attachment() -> None:
    parts = (
        b"Content-Type: multipart/alternative; boundary=b\r\n\r\n"
        b"--b\r\nContent-Type: text/html\r\n\r\n<p>html<nav>x</nav>\r\n%s--b--\r\n"
    )
    plain = b"--b\r\nContent-Type: text/plain\r\n\r\nplain\r\n"
    attached = b"--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment\r\n\r\nattached\r\n"
    assert said(read("a.eml", MAIL % (parts % plain))) == [("plain", ())]
    assert said(read("a.eml", MAIL % (parts % attached))) == [("html", ())]


def test_pdf_says_its_text_layer() -> None:
    pytest.importorskip("pypdf", reason="the docs extra is not installed")
    found = read("a.pdf", pdf("The fee is 20 euros a mon-", "th, and not more."))
    assert said(found) == [("The fee is 20 euros a month, and not more.", ())]


def test_pdf_without_the_extra_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(Misconfigured, match=r"a\.pdf: .*pip install 'upheld\[docs\]'"):
        read("a.pdf", pdf("text"))


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("Le café coûte 20 \u20ac.".encode("cp1252"), "Le café coûte 20 \u20ac."),
        ("\ufeffשלום 20".encode("utf-16-le"), "שלום 20"),
        ("המחיר הוא 20.".encode(), "המחיר הוא 20."),
    ],
)
def test_characters_that_are_certain_are_read(raw: bytes, text: str) -> None:
    assert [found for found, _ in said(read("a.txt", raw))] == [text]


def test_html_may_declare_its_characters() -> None:
    raw = '<meta charset="windows-1251"><p>цена 20'.encode("cp1251")
    assert said(read("a.html", raw)) == [("цена 20", ())]


def test_media_goes_before_the_suffix() -> None:
    for media in ("text/html; charset=utf-8", "html", ".HTML"):
        assert said(read("https://example.com/page", b"<p>a", media=media)) == [("a", ())]
    with pytest.raises(Invalid, match="has no reader; known: "):
        read("https://example.com/page", b"<p>a")


def test_every_suffix_reads_an_empty_file_and_says_nothing() -> None:
    binary = {"pdf", "docx", "pptx"}
    for suffix in SUFFIXES - binary:
        assert read(f"a.{suffix}", b"").chunks == ()
        assert read(f"a.{suffix}", b"\xef\xbb\xbf \r\n").chunks == ()
    for suffix in binary:
        with pytest.raises(Invalid, match="damaged"):
            read(f"a.{suffix}", b"")


def test_a_document_of_the_largest_size_is_read_and_one_more_byte_is_not() -> None:
    assert len(read("a.txt", b"x" * 1000 + b" " * (MAX_DOCUMENT_BYTES - 1000)).chunks) == 1
    with pytest.raises(Invalid, match=r"33,554,433 bytes; at most 33,554,432"):
        read("a.txt", b" " * (MAX_DOCUMENT_BYTES + 1))


@pytest.mark.parametrize("name", ["", " ", "a\0.md", "a\nb.md", "x" * 510 + ".md", "\ud800.md"])
def test_names_that_no_store_can_hold_are_refused(name: str) -> None:
    with pytest.raises(Invalid):
        read(name, b"text", media="md")


def test_a_date_without_offset_is_refused() -> None:
    from datetime import datetime

    with pytest.raises(NaiveTime):
        read("a.md", b"text", dated=datetime(2026, 3, 1))  # noqa: DTZ001


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("a.MD", True),
        ("x/README", True),
        (".md", False),
        ("a.png", False),
        ("Makefile", True),
        ("a", False),
        ("md", False),
    ],
)
def test_known_names(name: str, known: bool) -> None:
    assert is_known(name) is known
