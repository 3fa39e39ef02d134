"""What comes in from files: which files, which lines, and what of them the store takes."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

import upheld
from upheld import wire
from upheld.errors import Conflict, EvidenceMissing, Invalid, NaiveTime, Refused, UpheldError
from upheld.importers import Entry, files, jsonl, markdown, read, take_in
from upheld.note import Channel, Draft, Note, Standing, Verb

if TYPE_CHECKING:
    from collections.abc import Iterator

    from worlds import Clock, Counter

unix_only = pytest.mark.skipif(os.name == "nt", reason="links, pipes and devices of Unix")


@pytest.fixture
def memory(clock: Clock, ids: Counter) -> Iterator[upheld.Memory]:
    with upheld.open(":memory:", embedder=None, clock=clock, ids=ids) as opened:
        yield opened


def lines(path: Path, **more: str) -> list[Any]:
    return [entry.line for entry in read(path, **more)]


def statements(path: Path) -> list[str]:
    found = lines(path)
    assert all(isinstance(line, Draft) for line in found), found
    return [line.statement for line in found]


def written(folder: Path, raw: bytes | str, name: str = "notes.jsonl") -> Path:
    path = folder / name
    path.write_bytes(raw if isinstance(raw, bytes) else raw.encode())
    return path


def line(statement: str, **fields: object) -> str:
    return json.dumps({"statement": statement, **fields}) + "\n"


# --- which lines ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [
        line("one") + line("two"),
        line("one") + line("two").rstrip("\n"),
        "\ufeff" + line("one") + line("two"),
        (line("one") + line("two")).replace("\n", "\r\n"),
        "\ufeff" + line("one").replace("\n", "\r\n") + "\r\n\n" + line("two").rstrip(),
        "\n\n" + line("one") + "   \n" + line("two") + "\n",
    ],
    ids=["plain", "no last line end", "BOM", "CRLF", "BOM and CRLF", "empty lines"],
)
def test_lines_are_read_whatever_their_ends(tmp_path: Path, raw: str) -> None:
    assert statements(written(tmp_path, raw)) == ["one", "two"]


def test_lines_end_with_lf_alone(tmp_path: Path) -> None:
    text = "a\u2028b\u2029c\x85d\x0be"
    raw = json.dumps({"statement": text}, ensure_ascii=False) + "\n" + line("two")
    assert statements(written(tmp_path, raw)) == [text, "two"]


def test_lines_ended_by_cr_alone_are_one_bad_line(tmp_path: Path) -> None:
    [bad] = lines(written(tmp_path, (line("one") + line("two")).replace("\n", "\r")))
    assert isinstance(bad, Invalid)
    assert "more than one JSON value" in str(bad)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_are_refused_by_name(tmp_path: Path, encoding: str) -> None:
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    path = written(tmp_path, mark + line("one").encode(encoding))
    with pytest.raises(Invalid, match=encoding[:6].upper()):
        lines(path)


def test_utf_16_without_a_mark_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="UTF-16"):
        lines(written(tmp_path, line("one").encode("utf-16-le")))


def test_a_line_that_is_not_utf_8_is_bad_and_the_others_go_on(tmp_path: Path) -> None:
    raw = line("one").encode() + b'{"statement": "caf\xe9"}\n' + line("two").encode()
    found = lines(written(tmp_path, raw))
    assert [type(each) for each in found] == [Draft, Invalid, Draft]
    assert "not UTF-8 at byte 19" in str(found[1])


def test_line_numbers_count_every_line(tmp_path: Path) -> None:
    raw = "\n" + line("one") + "nonsense\n\n" + line("two", odd=1)
    found = [(entry.place, type(entry.line)) for entry in read(written(tmp_path, raw))]
    assert found == [("notes.jsonl:2", Draft), ("notes.jsonl:3", Invalid), ("notes.jsonl:5", Invalid)]


def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    assert lines(written(tmp_path, b"")) == []


def test_a_line_over_the_cap_is_bad_and_the_others_go_on(tmp_path: Path) -> None:
    size = files.MAX_LINE_BYTES
    fits = line("one").rstrip("\n").ljust(size) + "\n"
    over = line("two").rstrip("\n").ljust(size + 1) + "\n"
    much = "x" * (3 * size) + "\n"
    found = lines(written(tmp_path, fits.rstrip("\n")[: size - 1] + "\n" + over + much + line("three")))
    assert [type(each) for each in found] == [Draft, Invalid, Invalid, Draft]
    assert f"more than {size:,} bytes" in str(found[1])


@pytest.mark.parametrize("cap", ["MAX_LINES", "MAX_BYTES"])
def test_a_file_over_the_cap_ends_with_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cap: str) -> None:
    path = written(tmp_path, line("one") * 10)
    assert len(lines(path)) == 10
    monkeypatch.setattr(files, cap, 3 if cap == "MAX_LINES" else 3 * len(line("one")))
    found = lines(path)
    assert [type(each) for each in found] == [Draft, Draft, Draft, Invalid]
    assert "split it" in str(found[3])


# --- compressed ----------------------------------------------------------------------------------


def test_compressed_lines_are_read_member_after_member(tmp_path: Path) -> None:
    raw = gzip.compress(line("one").encode()) + gzip.compress(b"") + gzip.compress(line("two").encode() * 500)
    assert statements(written(tmp_path, raw, "notes.jsonl.gz")) == ["one", *["two"] * 500]


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda raw: raw[:-20], "ends in the middle"),
        (lambda raw: raw[:-6] + b"\0" + raw[-5:], "damaged"),
        (lambda raw: raw + b"not gzip at all", "damaged"),
    ],
    ids=["cut short", "bad checksum", "trailing garbage"],
)
def test_a_damaged_compressed_file_ends_with_an_error(tmp_path: Path, spoil: Any, says: str) -> None:
    raw = gzip.compress("".join(line(f"number {n}") for n in range(10_000)).encode())
    assert len(lines(written(tmp_path, raw, "whole.gz"))) == 10_000
    *good, bad = lines(written(tmp_path, spoil(raw), "spoilt.gz"))
    assert len(good) > 1000
    assert all(isinstance(each, Draft) for each in good)
    assert isinstance(bad, Invalid)
    assert says in str(bad)


def test_a_compressed_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    packer = zlib.compressobj(9, wbits=31)
    megabyte = b" " * 1024**2
    bomb = b"".join(packer.compress(megabyte) for _ in range(96)) + packer.flush()
    assert len(bomb) < 128 * 1024
    path = written(tmp_path, gzip.compress(line("one").encode()) + bomb, "bomb.gz")
    found = lines(path)
    assert isinstance(found[0], Draft)
    assert isinstance(found[-1], Invalid)
    assert "times its size" in str(found[-1]) or "bytes" in str(found[-1])
    assert any("times its size" in str(each) for each in found)


def test_a_small_compressed_file_that_is_damaged_is_one_error(tmp_path: Path) -> None:
    raw = gzip.compress(line("one").encode())
    assert len(lines(written(tmp_path, raw, "whole.gz"))) == 1
    [bad] = lines(written(tmp_path, raw[:-6] + b"\0" + raw[-5:], "spoilt.gz"))
    assert isinstance(bad, Invalid)


@pytest.mark.endurance(seconds=1)
def test_text_that_compresses_well_is_no_bomb(tmp_path: Path) -> None:
    raw = "".join(line(f"The port of service number {n} is 5432.") for n in range(20_000)).encode()
    packed = gzip.compress(raw)
    assert len(raw) / len(packed) > 10
    assert len(lines(written(tmp_path, packed, "notes.jsonl.gz"))) == 20_000


# --- which files ---------------------------------------------------------------------------------


@unix_only
@pytest.mark.parametrize("suffix", ["jsonl", "md"])
def test_a_symbolic_link_is_refused(tmp_path: Path, suffix: str) -> None:
    real = written(tmp_path, line("one"), f"real.{suffix}")
    link = tmp_path / f"link.{suffix}"
    link.symlink_to(real)
    if suffix == "md":
        [found] = lines(link)
        assert isinstance(found, Refused)
        assert "symbolic link" in str(found)
    else:
        with pytest.raises(Refused, match="symbolic link"):
            lines(link)


@unix_only
def test_a_pipe_that_nobody_writes_to_is_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    with pytest.raises(Refused, match="not a plain file"):
        lines(pipe)


@unix_only
def test_a_device_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (Path("/dev/zero"), tmp_path):
        with pytest.raises(Refused, match="not a plain file"):
            list(jsonl.read(path))


@pytest.mark.parametrize("name", ["absent.jsonl", "absent.md", "nul\0.jsonl"])
def test_a_file_that_cannot_be_read_is_invalid(tmp_path: Path, name: str) -> None:
    try:
        found = lines(tmp_path / name)
    except Invalid as error:
        found = [error]
    assert [str(each)[:11] for each in found] == ["cannot read"]


@unix_only
def test_links_inside_a_folder_lead_nowhere(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    inside = tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    written(outside, "+++\n+++\nSecret.", "secret.md")
    written(inside, "+++\n+++\nOpen.", "open.md")
    (inside / "folder").symlink_to(outside)
    (inside / "file.md").symlink_to(outside / "secret.md")
    found = {entry.place: entry.line for entry in read(inside)}
    assert set(found) == {"open.md", "file.md"}
    assert isinstance(found["open.md"], Draft)
    assert isinstance(found["file.md"], Refused)


# --- Markdown ------------------------------------------------------------------------------------

ENTRY = """+++
id = "stockholm"
date = 2026-09-08T09:30:00Z
observed = 2026-09-07
expires = 2027-01-01T00:00:00+01:00
by = "document:contracts.pdf"
kind = "decision"
certainty = "confirmed"
supersedes = ["managed"]
depends_on = ["contract"]
retracts = ["draft"]
reason = "two contracts ask for it"
applies_when = { environment = "production" }
+++

Bookings live in Stockholm.

Nothing leaves the Nordic countries.
"""


@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_an_entry_is_read_whole_and_cites_its_own_file(tmp_path: Path, ends: str) -> None:
    (tmp_path / "operations").mkdir()
    text = ENTRY.replace("\n", ends)
    written(tmp_path / "operations", "\ufeff" + text, "2026-09-08-stockholm.md")
    [entry] = read(tmp_path, scope="pierhead")
    draft = entry.line
    assert isinstance(draft, Draft)
    body = "Bookings live in Stockholm.\n\nNothing leaves the Nordic countries.".replace("\n", ends)
    assert (draft.statement, draft.scope, draft.id) == (body, "pierhead/operations", "stockholm")
    assert (draft.by, draft.kind, draft.certainty) == ("document:contracts.pdf", "decision", "confirmed")
    assert (draft.supersedes, draft.depends_on, draft.reason) == (
        ("managed",),
        ("contract",),
        "two contracts ask for it",
    )
    assert draft.applies_when == {"environment": "production"}
    assert [wire.time_text(time) for time in (draft.valid_from, draft.observed_at, draft.expires_at) if time] == [
        "2026-09-08T09:30:00Z",
        "2026-09-07T00:00:00Z",
        "2026-12-31T23:00:00Z",
    ]
    [cited] = draft.sources
    assert isinstance(cited, upheld.Citation)
    assert cited.original == text
    assert cited.original[cited.start : cited.end] == body
    assert (cited.ref, cited.channel) == ("operations/2026-09-08-stockholm.md", Channel.DOCUMENT)
    assert entry.retracts == ("draft",)
    assert entry.place == "operations/2026-09-08-stockholm.md"


def test_an_entry_needs_nothing_but_its_statement(tmp_path: Path) -> None:
    written(tmp_path, "+++\n+++\nBookings live in Stockholm.", "2026-09-08-stockholm.md")
    [draft] = lines(tmp_path)
    assert (draft.id, draft.scope, draft.valid_from) == ("2026-09-08-stockholm", "default", None)


def test_files_are_filed_by_name_whatever_their_folder_and_others_are_passed_over(tmp_path: Path) -> None:
    for name in ("b/1.md", "a/2.md", "3.md", "a/deep/0.md", ".hidden/4.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        written(tmp_path, "+++\n+++\nText.", name)
    written(tmp_path, "# A page without a head", "README.md")
    written(tmp_path, line("one"), "notes.jsonl")
    found = [(entry.place, getattr(entry.line, "scope", None)) for entry in read(tmp_path)]
    assert found == [("a/deep/0.md", "a/deep"), ("b/1.md", "b"), ("a/2.md", "a"), ("3.md", "default")]


def test_one_file_can_be_read_alone(tmp_path: Path) -> None:
    path = written(tmp_path, "+++\n+++\nText.", "one.md")
    [draft] = lines(path, scope="s")
    assert (draft.id, draft.scope) == ("one", "s")


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("+++\ndate = 2026-01-01T10:00:00\n+++\nx", NaiveTime, "date"),
        ('+++\ndate = "2026-01-01"\n+++\nx', Invalid, "date must be a date"),
        ("+++\ndate = 5\n+++\nx", Invalid, "date must be a date"),
        ("+++\nauthor = 'x'\n+++\nx", Invalid, "unknown field 'author'"),
        ("+++\nscope = 'x'\n+++\nx", Invalid, "unknown field 'scope'"),
        ("+++\nby = 'x'\n+++\nx", Invalid, "by='x'"),
        ("+++\nby = 5\n+++\nx", Invalid, "by must be text"),
        ("+++\nretracts = 'x'\n+++\nx", Invalid, "retracts must be a list"),
        ("+++\nsupersedes = 'x'\n+++\nx", Invalid, "supersedes must be a list"),
        ("+++\na = \n+++\nx", Invalid, "not valid TOML"),
        ("+++\na = 1\na = 2\n+++\nx", Invalid, "not valid TOML"),
        (f"+++\na = {'9' * 5000}\n+++\nx", Invalid, "TOML"),
        (f"+++\na = {'[' * 50_000}\n+++\nx", Invalid, "TOML"),
        ("+++\nid = 'x'\nText without an end of the head", Invalid, "not closed"),
        ("+++\nconfidence = nan\n+++\nx", Invalid, "confidence"),
        (b"+++\n+++\ncaf\xe9", Invalid, "not UTF-8"),
        ("+++\n+++\nx".encode("utf-16"), Invalid, "UTF-16"),
        (b"+++\n+++\n" + b"x" * markdown.MAX_FILE_BYTES, Invalid, "more than"),
    ],
    ids=lambda value: repr(value[:24]) if isinstance(value, str | bytes) else None,
)
def test_a_bad_entry_is_an_error_at_its_place_and_the_others_go_on(
    tmp_path: Path, text: str | bytes, kind: type[UpheldError], says: str
) -> None:
    written(tmp_path, text, "1.md")
    written(tmp_path, "+++\n+++\nGood.", "2.md")
    bad, good = read(tmp_path)
    assert isinstance(bad.line, kind)
    assert says in str(bad.line)
    assert bad.place == "1.md"
    assert isinstance(good.line, Draft)


def test_an_entry_without_a_statement_is_refused_where_it_is_taken_in(tmp_path: Path, memory: upheld.Memory) -> None:
    written(tmp_path, "+++\n+++\n\n", "1.md")
    [result] = take_in(memory, read(tmp_path))
    assert isinstance(result.taken, Invalid)
    assert "empty" in str(result.taken)


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown, "MAX_FILES", 2)
    for name in ("1.md", "2.md", "3.md"):
        written(tmp_path, "+++\n+++\nx", name)
    with pytest.raises(Invalid, match="more than 2"):
        lines(tmp_path)


# --- scopes --------------------------------------------------------------------------------------


def test_a_prefix_goes_before_the_scope_that_a_draft_has(tmp_path: Path) -> None:
    path = written(tmp_path, line("one") + line("two", scope="orders"))
    assert [draft.scope for draft in lines(path)] == ["default", "orders"]
    assert [draft.scope for draft in lines(path, scope="project")] == ["project", "project/orders"]


def test_a_log_takes_no_prefix(tmp_path: Path, memory: upheld.Memory) -> None:
    memory.remember("one")
    path = written(tmp_path, "".join(wire.dumps(wire.line_object(each)) + "\n" for each in memory.export()))
    assert isinstance(lines(path)[0], Note)
    assert isinstance(lines(path, scope="p")[0], Invalid)


# --- taking in -----------------------------------------------------------------------------------


def outcomes(memory: upheld.Memory, path: Path, **more: Any) -> list[str]:
    return [result.outcome for result in take_in(memory, read(path), **more)]


def log(memory: upheld.Memory) -> list[Any]:
    return list(memory.export())


def test_the_same_file_again_changes_nothing(tmp_path: Path, memory: upheld.Memory) -> None:
    first, second = line("The port of orders is 1."), line("The port of orders is 2.")
    path = written(tmp_path, first + second + first + line("We use Kafka.", id="kafka"))
    assert outcomes(memory, path) == ["added", "superseded", "superseded", "added"]
    before = log(memory)
    assert outcomes(memory, path) == ["repeated"] * 4
    assert log(memory) == before
    [answer] = memory.recall("port of orders", limit=1).upheld
    assert answer.statement == "The port of orders is 1."


def test_a_file_that_grew_gives_its_new_lines_only(tmp_path: Path, memory: upheld.Memory) -> None:
    path = written(tmp_path, line("The port of orders is 1."))
    outcomes(memory, path)
    written(tmp_path, line("The port of orders is 1.") + line("The port of orders is 2."))
    assert outcomes(memory, path) == ["repeated", "superseded"]


def test_said_again_counts_where_that_is_asked_for(tmp_path: Path, memory: upheld.Memory) -> None:
    path = written(tmp_path, line("The port of orders is 1."))
    outcomes(memory, path)
    memory.remember("The port of orders is 2.", by="tool:probe")
    assert outcomes(memory, path) == ["repeated"]
    assert outcomes(memory, path, again=True) == ["superseded"]


def test_a_key_of_the_file_itself_is_kept(tmp_path: Path, memory: upheld.Memory) -> None:
    path = written(tmp_path, line("one", idempotency_key="k") + line("two", idempotency_key="k"))
    first, second = take_in(memory, read(path))
    assert first.outcome == "added"
    assert isinstance(second.taken, Conflict)


@pytest.mark.endurance(seconds=1)
def test_a_bad_line_5_of_1000_stops_no_other(tmp_path: Path, memory: upheld.Memory) -> None:
    raw = [line(f"Fact number {n} was noted.") for n in range(1, 1001)]
    raw[4] = "{broken\n"
    path = written(tmp_path, "".join(raw))
    results = list(take_in(memory, read(path)))
    assert [result.place for result in results if result.outcome == "failed"] == ["notes.jsonl:5"]
    assert sum(result.outcome == "added" for result in results) == 999
    assert memory.scopes() == {"default": 999}
    assert set(outcomes(memory, path)) == {"repeated", "failed"}
    assert memory.scopes() == {"default": 999}


def test_what_the_store_refuses_is_reported_at_its_place(tmp_path: Path, memory: upheld.Memory) -> None:
    path = written(tmp_path, line("") + line("x", supersedes=["nowhere"]) + line("x", kind="odd") + line("y"))
    results = list(take_in(memory, read(path)))
    assert [type(result.taken).__name__ for result in results] == ["Invalid", "NotFound", "Invalid", "Written"]


def test_trust_is_capped_whatever_a_line_says_of_itself(tmp_path: Path, memory: upheld.Memory) -> None:
    path = written(tmp_path, line("The port of orders is 1.", by="system:billing", id="capped"))
    outcomes(memory, path)
    assert memory.get("capped").note is not None
    assert memory.get("capped", mode="history").note.channel is Channel.TOOL  # type: ignore[union-attr]
    other = written(tmp_path, line("The port of payments is 1.", by="system:billing", id="trusted"), "other.jsonl")
    outcomes(memory, other, trust=Channel.SYSTEM_OF_RECORD)
    assert memory.get("trusted").note.channel is Channel.SYSTEM_OF_RECORD  # type: ignore[union-attr]


def test_retractions_stand_between_what_is_written_before_and_after(tmp_path: Path, memory: upheld.Memory) -> None:
    for name, head, text in (
        ("1.md", 'id = "old"', "The port of orders is 1."),
        ("2.md", 'id = "draft"\nsupersedes = ["old"]\nreason = "moved"', "Orders moved."),
        ("3.md", 'id = "vote"\nretracts = ["draft"]\nreason = "it was never agreed"', "The board has not met."),
        ("4.md", 'id = "next"\nsupersedes = ["vote"]\nreason = "they met"', "The board has met."),
    ):
        written(tmp_path, f'+++\nby = "person:hanne"\n{head}\n+++\n{text}', name)
    results = list(take_in(memory, read(tmp_path), trust=Channel.PERSON))
    assert [result.outcome for result in results] == ["added", "superseded", "added", "superseded"]
    assert results[2].retracted == ("draft",)
    view = memory.get("draft")
    assert (view.standing, view.reason) == (Standing.RETRACTED, "it was never agreed")
    assert memory.get("next").standing is Standing.IN_FORCE
    before = log(memory)
    assert set(outcomes(memory, tmp_path, trust=Channel.PERSON)) == {"repeated"}
    assert log(memory) == before


def test_a_retraction_is_no_more_trusted_than_the_import(tmp_path: Path, memory: upheld.Memory) -> None:
    kept = memory.remember("The board meets in May.", by="person:ana", id="kept")
    head = '+++\nby = "person:hanne"\nretracts = ["kept"]\nreason = "no"\n+++\nThe board does not meet.'
    [result] = take_in(memory, read(written(tmp_path, head, "1.md")), trust=Channel.TOOL)
    assert isinstance(result.taken, Refused)
    assert memory.get(kept.id).standing is Standing.IN_FORCE
    [result] = take_in(memory, read(written(tmp_path, head, "2.md")), trust=Channel.PERSON)
    assert result.retracted == ("kept",)
    assert memory.get(kept.id).standing is Standing.RETRACTED
    retracted = [each for each in log(memory) if getattr(each, "verb", None) is Verb.RETRACTED]
    assert [each.actor for each in retracted] == ["person:hanne"]


def test_a_quote_that_is_not_in_its_original_is_refused_at_its_place(tmp_path: Path, memory: upheld.Memory) -> None:
    cited = {"original": "The port is 5432.", "ref": "ports.md", "quote": "port is 5433"}
    path = written(
        tmp_path, line("The port is 5433.", sources=[cited]) + line("x", sources=[{**cited, "quote": "5432"}])
    )
    results = list(take_in(memory, read(path)))
    assert isinstance(results[0].taken, EvidenceMissing)
    assert results[1].outcome == "added"


# --- logs ----------------------------------------------------------------------------------------


def a_year(memory: upheld.Memory, clock: Clock) -> None:
    """A log with something of everything."""
    old = memory.remember("Orders stores its data in MongoDB.", scope="p", kind="decision", valid_from="2026-01-01")
    clock.move(days=1)
    rests = memory.remember("Backups of MongoDB run at night.", scope="p", depends_on=[old.id])
    memory.supersede(old.id, "Orders moved to PostgreSQL.", reason="two outages", by="document:adr-7.md")
    memory.remember("The port of orders is 5432.", scope="p", by="document:a.md", observed_at="2026-01-02")
    memory.remember("The port of orders is 6432.", scope="p", by="agent:x")
    clock.move(days=1)
    memory.remember("The port of orders is 5432.", scope="p", by="document:b.md", observed_at="2026-01-02T01:00:00Z")
    wrong = memory.remember("Deploys are on Fridays.", scope="q", sources=[upheld.Citation(
        original="Deploys are on Fridays. They say.", ref="w.md", quote="Deploys are on Fridays")])  # fmt: skip
    memory.retract(wrong.id, reason="nobody said so")
    memory.restore(wrong.id, reason="they did")
    memory.confirm(wrong.id)
    memory.remember("My guess is that the cache is cold.", scope="q")
    assert memory.get(rests.id).standing is Standing.NEEDS_CHECK


def observed(memory: upheld.Memory) -> list[str]:
    """What anybody can see of a store."""
    notes = [each for each in log(memory) if isinstance(each, Note)]
    seen: list[object] = [log(memory), memory.scopes()]
    for note in notes:
        seen += [memory.get(note.id), memory.get(note.id, mode="history"), memory.history(note.id)]
        seen += [memory.explain(note.id), memory.get(note.id, valid_at="2026-01-01", known_at=note.seq)]
        seen.append(memory.recall(note.statement, scope=["p", "q"]))
    seen += [memory.list(["p", "q"], mode=mode) for mode in ("answer", "history")]
    return [wire.dumps(each) for each in seen]


def exported(memory: upheld.Memory, folder: Path, name: str = "log.jsonl") -> Path:
    return written(folder, "".join(wire.dumps(wire.line_object(each)) + "\n" for each in log(memory)), name)


def test_an_exported_log_makes_the_same_store_again(tmp_path: Path, memory: upheld.Memory, clock: Clock) -> None:
    a_year(memory, clock)
    path = exported(memory, tmp_path)
    with upheld.open(":memory:", embedder=None, clock=clock) as other:
        assert set(outcomes(other, path, trust=Channel.SYSTEM_OF_RECORD)) == {"restored"}
        assert observed(other) == observed(memory)
        assert len(observed(other)) > 40
        assert set(outcomes(other, path, trust=Channel.SYSTEM_OF_RECORD)) == {"repeated"}
        assert log(other) == log(memory)


@pytest.mark.endurance(seconds=2)
def test_a_long_log_is_taken_over_whole_and_a_part_of_one_is_not_gone_on_with(
    tmp_path: Path, memory: upheld.Memory, clock: Clock
) -> None:
    memory.remember_many([Draft(statement=f"Fact {number} was noted.") for number in range(1200)])
    path = exported(memory, tmp_path)
    entries = list(read(path))
    entries.insert(700, Entry(source="log.jsonl", place="log.jsonl:0", line=Invalid("not a line")))
    with upheld.open(":memory:", embedder=None, clock=clock) as other:
        done: list[int] = []
        results = list(take_in(other, entries, trust=Channel.SYSTEM_OF_RECORD, progress=done.append))
        assert [result.outcome for result in results].count("restored") == 1200
        assert [result.place for result in results if result.outcome == "failed"] == ["log.jsonl:0"]
        assert done == sorted(done)
        assert done[-1] == 1201
        assert log(other) == log(memory)
    with upheld.open(":memory:", embedder=None, clock=clock) as other:
        list(take_in(other, entries[:7], trust=Channel.SYSTEM_OF_RECORD))
        again = [result.outcome for result in take_in(other, entries[:20], trust=Channel.SYSTEM_OF_RECORD)]
        assert again == ["repeated"] * 7 + ["failed"] * 13
        assert len(log(other)) == 7


def test_a_file_may_hold_drafts_and_then_more_drafts_after_bad_lines(tmp_path: Path, memory: upheld.Memory) -> None:
    path = written(tmp_path, "".join(line(f"Fact {n} was noted.") + "{\n" for n in range(600)))
    done: list[int] = []
    results = [result.outcome for result in take_in(memory, read(path), progress=done.append)]
    assert results == ["added", "failed"] * 600
    assert done == [512, 1024, 1200]


def test_a_log_is_not_taken_in_on_less_trust_than_it_claims(
    tmp_path: Path, memory: upheld.Memory, clock: Clock
) -> None:
    a_year(memory, clock)
    path = exported(memory, tmp_path)
    with upheld.open(":memory:", embedder=None, clock=clock) as other:
        for trust in Channel:
            if trust is not Channel.SYSTEM_OF_RECORD:
                results = list(take_in(other, read(path), trust=trust))
                assert {type(result.taken) for result in results} == {Refused}
        assert log(other) == []


def test_a_log_does_not_go_into_a_store_that_has_its_own(tmp_path: Path, memory: upheld.Memory, clock: Clock) -> None:
    a_year(memory, clock)
    path = exported(memory, tmp_path)
    with upheld.open(":memory:", embedder=None, clock=clock) as other:
        for number in range(len(log(memory)) + 1):
            other.remember(f"Own note {number} was there first.")
        before = log(other)
        results = list(take_in(other, read(path), trust=Channel.SYSTEM_OF_RECORD))
        assert {type(result.taken) for result in results} == {Refused}
        assert log(other) == before


def test_a_stream_is_read_as_a_file_is() -> None:
    raw = io.BytesIO((line("one") + "nonsense\n").encode())
    found = list(jsonl.read_stream(raw, "standard input", scope="s"))
    assert [entry.place for entry in found] == ["standard input:1", "standard input:2"]
    assert isinstance(found[0], Entry)
    assert found[0].line == replace(Draft(statement="one"), scope="s")


@unix_only
def test_a_slow_stream_gives_each_line_when_it_comes() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as source:
        os.write(writing, line("one").encode())
        entries = jsonl.read_stream(source, "pipe")
        assert isinstance(next(entries).line, Draft)
        os.write(writing, line("two").encode())
        assert isinstance(next(entries).line, Draft)
        os.close(writing)
        assert list(entries) == []


def test_no_head_makes_the_reader_slow(tmp_path: Path) -> None:
    """A head that never ends is looked through once, not once for every line in it."""
    written(tmp_path, "+++\n" + "+++ \t x\n" * 100_000, "1.md")
    [entry] = read(tmp_path)
    assert isinstance(entry.line, Invalid)
    assert sys.getrecursionlimit() < 100_000
