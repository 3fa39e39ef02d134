"""Whatever a text is, its chunks lie in it in order, leave out nothing but markup, and do not know their place."""

from __future__ import annotations

import unicodedata
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from upheld.corpus.read import read
from upheld.document import MAX_CHUNK_CHARS, Document
from upheld.errors import Invalid
from upheld.limits import is_visible

WORDS = st.text(st.sampled_from("abcz019 .,:;!?äß漢字שלום-_*`#>|[]()\\\"'"), min_size=1, max_size=40)
LINE = st.one_of(WORDS, st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=20))
MARKED = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "# ", "## ", "- ", "  - ", "1. ", "> ", ">> ", "    ", "\t", "| ", "```", "~~~\n", "***",
                     "---\n", "<!-- ", "<b>", "</div>", "===\n", "[x]: ", "|---|---|\n", "+++\n"]),
    LINE,
    st.sampled_from(["", "\n", "\n\n", "\r\n", " |", " ##", ":\n\n", "  \n", " -->"]),
)  # fmt: skip
MARKDOWN = st.lists(MARKED, max_size=25).map("\n".join)
PROSE = st.text("abcdefgh XYZ0123456789,", min_size=1).map(str.strip).filter(lambda said: any(map(str.isalnum, said)))
"""Words that no reader can take for markup."""

PLAIN_BLOCK = st.one_of(
    PROSE.map("{}\n\n".format),
    PROSE.map("## {}\n\n".format),
    st.lists(PROSE, min_size=1, max_size=4).map(lambda items: "".join(f"- {item}\n" for item in items) + "\n"),
    st.lists(PROSE, min_size=1, max_size=3).map(
        lambda rows: "".join(("| a | b |\n|---|---|\n", *(f"| x | {row} |\n" for row in rows), "\n"))
    ),
)


def checked(document: Document) -> Document:
    for chunk in document.chunks:
        assert document.text[chunk.start : chunk.end] == chunk.text
        assert 0 < len(chunk.text) <= MAX_CHUNK_CHARS
        assert chunk.text.strip() == chunk.text
        assert is_visible(chunk.text)
        assert len(chunk.digest) == 64
    for first, second in pairwise(document.chunks):
        assert first.end <= second.start
    return document


def uncovered(document: Document) -> str:
    """What no chunk holds, visible characters only."""
    covered = bytearray(len(document.text))
    for chunk in document.chunks:
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
    left = (sign for sign, held in zip(document.text, covered, strict=True) if not held)
    return "".join(sign for sign in left if is_visible(sign) and not sign.isspace())


@given(
    st.text(), st.sampled_from(["txt", "md", "html", "py", "ts", "sql", "csv", "yaml", "json", "toml", "jsonl", "eml"])
)
def test_any_text_is_read_or_refused(text: str, suffix: str) -> None:
    try:
        checked(read(f"a.{suffix}", text.encode("utf-8", "replace")))
    except Invalid as error:
        assert str(error).startswith(f"a.{suffix}: ")  # noqa: PT017


@given(st.binary(max_size=300), st.sampled_from(["txt", "md", "html", "py", "csv", "eml", "docx", "pptx"]))
def test_any_bytes_are_read_or_refused(raw: bytes, suffix: str) -> None:
    try:
        checked(read(f"a.{suffix}", raw))
    except Invalid as error:
        assert str(error).startswith(f"a.{suffix}: ")  # noqa: PT017


@given(MARKDOWN)
def test_markdown_chunks_lie_in_their_text(source: str) -> None:
    checked(read("a.md", source.encode()))


@given(st.lists(LINE, max_size=20).map("\n".join))
def test_of_plain_text_only_bullets_rules_and_headings_are_outside_chunks(source: str) -> None:
    document = checked(read("a.txt", source.encode()))
    heads = "".join(heading for chunk in document.chunks for heading in chunk.headings)
    left = "".join(
        sign for sign in uncovered(document) if unicodedata.category(sign)[0] in "LNS" and not sign.isascii()
    )
    assert not Counter(left) - Counter(heads)


@given(st.lists(PLAIN_BLOCK, min_size=1, max_size=8).map("".join))
def test_of_markdown_every_word_is_in_a_chunk_or_its_headings(source: str) -> None:
    document = checked(read("a.md", source.encode()))
    said = " ".join(part for chunk in document.chunks for part in (*chunk.headings, chunk.text))
    heads = {" ".join(line[3:].split())[:100] for line in source.split("\n") if line.startswith("## ")}
    assert all(head in " ".join(said.split()) for head in heads)
    in_body = "\n".join(line for line in source.split("\n") if not line.startswith(("## ", "| a ", "|---")))
    held = Counter("".join(chunk.text for chunk in document.chunks))
    wanted = Counter(sign for sign in in_body if sign.isalnum() or sign == ",")
    assert not wanted - held


@given(st.lists(PLAIN_BLOCK, min_size=1, max_size=8).map("".join), st.lists(PROSE, min_size=1, max_size=3))
def test_text_far_above_changes_no_digest(source: str, inserted: list[str]) -> None:
    before = checked(read("a.md", source.encode()))
    after = checked(read("a.md", ("".join(f"{one}\n\n" for one in inserted) + source).encode()))
    old, new = (Counter(chunk.digest for chunk in document.chunks) for document in (before, after))
    assert not old - new
    assert new.total() == old.total() + len(inserted)


def test_a_digest_does_change_with_words_headings_and_date() -> None:
    sources = [
        "# A\n\ntext",
        "# B\n\ntext",
        "# A\n\ntexts",
        "# A (2026-01-01)\n\ntext",
        "---\ndate: 2026-01-01\n---\n# A\n\ntext",
    ]
    found = [read("a.md", source.encode()).chunks[-1].digest for source in sources]
    assert len(set(found)) == len(sources)


@given(
    st.lists(st.text("abc ", min_size=1, max_size=1500), min_size=1, max_size=8),
    st.sampled_from([". ", "! ", "\n", "。", " "]),
)
def test_a_long_paragraph_is_cut_without_loss(parts: list[str], between: str) -> None:
    source = between.join(part for part in parts if part.strip())
    document = checked(read("a.txt", source.encode()))
    assert uncovered(document) == ""


def test_a_long_paragraph_is_cut_after_a_sentence() -> None:
    sentence = "The fee is 20 euros a month, Dr. Who says. "
    document = checked(read("a.txt", (sentence * 200).encode()))
    assert len(document.chunks) > 4
    assert all(chunk.text.endswith(".") for chunk in document.chunks)


@pytest.mark.parametrize("sign", ["x", "漢", "\u0301", "\U0001f600"])
def test_a_word_without_end_is_cut_where_it_must(sign: str) -> None:
    document = read("a.txt", ("x" + sign * 5000).encode())
    assert "".join(chunk.text for chunk in document.chunks) == document.text or sign == "\u0301"
