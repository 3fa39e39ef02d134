"""A document's date, owner and authority are what it states; what it leaves open stays open."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from upheld.corpus.read import read
from upheld.note import Channel

COMMITTED = datetime(2020, 1, 1, tzinfo=UTC)


def day(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=UTC)


DATES: list[tuple[str, str, str | None]] = [
    ("a.md", "---\ndate: 2026-03-12\n---\ntext", "2026-03-12"),
    ("a.md", "---\ndate: 2024-01-01\nupdated: 12 March 2026\n---\ntext", "2026-03-12"),
    ("a.md", "---\nlast_modified: 2026-03-12T23:30:00-02:00\neffective: 2026-07-01 # soon\n---\ntext", "2026-07-01"),
    ("a.md", "---\nlast-modified: 2026-03-12T23:30:00-02:00\n---\ntext", "2026-03-13T01:30:00"),
    ("a.md", "+++\ndate = 2026-03-12\n+++\ntext", "2026-03-12"),
    ("a.md", "# T\n\nLast updated: 12 March 2026\n\ntext", "2026-03-12"),
    ("a.md", "# T\n\n**Last updated:** March 12, 2026 by Ana\n\ntext", "2026-03-12"),
    ("a.md", "# T\n\n_Version 3 · Updated 2026-03-12 · Owner: Ana_\n\ntext", "2026-03-12"),
    ("a.md", "# T\n\n| | |\n|---|---|\n| Effective date | 1 July 2026 |\n", "2026-07-01"),
    ("a.md", "# T\n\nEffective from 1 July 2026.\n\ntext", "2026-07-01"),
    ("a.md", "# T\n\nEffective July 2026\n\ntext", "2026-07-01"),
    ("a.md", "# T\n\nDate: 13/04/2026\n\ntext", "2026-04-13"),
    ("a.md", "# T\n\nDate: 03/04/2026\n\ntext", None),
    ("a.md", "# T\n\nLast updated: recently\n\ntext", None),
    ("a.md", "# T\n\nLast updated: 31 February 2026\n\ntext", None),
    ("a.md", "# T\n\nThe office moved on 12 March 2026.\n", None),
    ("a.md", "# T\n\nEffective from 1 July 2026, the fee is $20.\n", None),
    ("a.md", "# T\n\ntext\n\n## Old\n\nLast updated: 12 March 2026\n", None),
    ("a.md", "# T\n\n" + "line\n\n" * 25 + "Last updated: 12 March 2026\n", None),
    ("a.txt", "Title\n=====\n\nLast updated: 12 March 2026\n", "2026-03-12"),
    ("a.html", "<meta name='last-modified' content='2026-03-12'><p>x", "2026-03-12"),
    ("a.html", "<meta property='article:modified_time' content='2026-03-12T10:00:00Z'><p>x", "2026-03-12T10:00:00"),
    ("a.html", "<p>x <time itemprop=dateModified datetime=2026-03-12>lately</time>", "2026-03-12"),
    ("a.html", "<p>We met at <time datetime=2026-03-12>noon</time>", None),
    ("a.html", "<h1>T</h1><p>Last updated: <b>12 March 2026</b></p>", "2026-03-12"),
    ("a.json", '{"updated": "2026-03-12", "x": {"date": "2030-01-01"}}', "2026-03-12"),
    ("a.json", '{"x": {"date": "2030-01-01"}}', None),
    ("a.py", '"""What it does.\n\nLast updated: 12 March 2026\n"""\n', "2026-03-12"),
]


@pytest.mark.parametrize(("name", "source", "stated"), DATES)
def test_a_document_is_dated_by_its_own_word_else_by_its_commit(name: str, source: str, stated: str | None) -> None:
    assert read(name, source.encode()).dated == day(stated)
    assert read(name, source.encode(), dated=COMMITTED).dated == (day(stated) or COMMITTED)


def test_a_section_is_dated_by_its_own_line_or_heading() -> None:
    source = (
        "---\nupdated: 2026-01-01\n---\n# T\n\nnew\n\n## Old\n\nold one\n\nLast updated: 12 March 2021\n\n### In it\n\n"
        "old two\n\n## 1.2.0 (2022-02-02)\n\nreleased\n\n## Plans for May 2027\n\nplanned\n\n"
        "Effective 1 July 2026, the fee is $20.\n\nAs of 2019, it was $10.\n"
    )
    dates = {chunk.text: chunk.dated for chunk in read("a.md", source.encode()).chunks}
    assert {text: when for text, when in dates.items() if when != day("2026-01-01")} == {
        "old one": day("2021-03-12"),
        "Last updated: 12 March 2021": day("2021-03-12"),
        "old two": day("2021-03-12"),
        "released": day("2022-02-02"),
        "Effective 1 July 2026, the fee is $20.": day("2026-07-01"),
    }
    assert {"new", "planned", "As of 2019, it was $10."} <= dates.keys()


@pytest.mark.parametrize(
    ("name", "source", "owner"),
    [
        ("a.md", "---\nowner: Platform team\nauthor: Bo\n---\nx", "Platform team"),
        ("a.md", "---\nauthors:\n  - Ana\n  - Bo\n---\nx", "Ana, Bo"),
        ("a.md", "---\nauthors: [Ana, 'Bo']\n---\nx", "Ana, Bo"),
        ("a.md", "# T\n\n**Owner:** [Ana](mailto:a@b)\n\nx", "Ana"),
        ("a.md", "# T\n\nMaintained by the platform team\n\nx", "the platform team"),
        ("a.md", "# T\n\n| Owner | Ana |\n|---|---|\n| x | y |", "Ana"),
        ("a.html", "<meta name=author content=Ana><p>x", "Ana"),
        ("a.md", "# T\n\nOwners should be told.\n", None),
        ("a.md", "# T\n\nx\n\n## U\n\nOwner: Ana\n", None),
    ],
)
def test_owners_are_named_by_the_document(name: str, source: str, owner: str | None) -> None:
    assert read(name, source.encode()).owner == owner


@pytest.mark.parametrize("cap", list(Channel))
@pytest.mark.parametrize("stated", [*Channel, "god", ""])
def test_a_document_may_lower_its_authority_and_never_raise_it(cap: Channel, stated: str) -> None:
    ranks = list(Channel)
    found = read("a.md", f"---\nauthority: {stated}\n---\nx".encode(), authority=cap).authority
    wanted = Channel(stated) if stated in set(Channel) else cap
    assert found == (wanted if ranks.index(wanted) > ranks.index(cap) else cap)


@pytest.mark.parametrize(
    ("name", "source", "title"),
    [
        ("a.md", "---\ntitle: 'From the head'\n---\n# T\n\nx", "From the head"),
        ("a.md", "# The *title*\n\nx", "The title"),
        ("a.md", "## Not a title\n\nx", None),
        ("a.html", "<title> The\n title </title><h1>T</h1>", "The title"),
        ("a.txt", "Title\n=====\n\nx", "Title"),
        ("a.txt", "x", None),
    ],
)
def test_titles(name: str, source: str, title: str | None) -> None:
    assert read(name, source.encode()).title == title
