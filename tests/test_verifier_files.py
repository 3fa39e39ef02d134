"""A note that cites a file is upheld while what it cites stands there, and by nothing outside the folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import upheld
from upheld.errors import Misconfigured
from upheld.evidence import cite
from upheld.note import Channel, Citation, Note, Source
from upheld.verification import Agreed, Asked, Unavailable
from upheld.verifiers import files, inside
from upheld.verifiers.files import FileAnchor

AUTH = "RETRIES = 10\n\n\ndef login(user):\n    return token(user, minutes=30)\n"
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
needs_links = pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src/auth.py").write_bytes(AUTH.encode())
    return root


def source(ref: str = "src/auth.py", original: str = AUTH, quote: str = "minutes=30") -> Source:
    return cite(Citation(original=original, ref=ref, quote=quote))


def asked(*sources: Source) -> Asked:
    return Asked(
        note="n1",
        scope="default",
        subject="token",
        attribute="lifetime",
        value="30 minutes",
        statement="Tokens live for 30 minutes.",
        sources=sources,
        recorded_at=datetime(2026, 1, 14, tzinfo=UTC),
    )


def reply(anchor: FileAnchor, *sources: Source) -> object:
    [found] = anchor.verify([asked(*(sources or (source(),)))])
    return found


def note(memory: upheld.Memory, *offered: Citation | Source) -> Note:
    return memory.remember(f"Tokens live as {[each.ref for each in offered]} says.", sources=offered).note


# --- while it stands, and when it does not -------------------------------------------------------


def test_a_file_that_is_the_same_agrees(root: Path) -> None:
    anchor = FileAnchor(root)
    assert anchor.source == "files of project"
    assert FileAnchor(root, source="the code").source == "the code"
    assert reply(anchor) == Agreed()


def test_a_file_that_changed_elsewhere_agrees(root: Path) -> None:
    (root / "src/auth.py").write_text(AUTH.replace("10", "20"))
    assert reply(FileAnchor(root)) == Agreed()
    assert reply(FileAnchor(root), source(quote="RETRIES = 10")) == Unavailable(
        "src/auth.py changed since this note cites it: read it again"
    )


def test_a_file_whose_cited_words_changed_must_be_read_again(root: Path) -> None:
    (root / "src/auth.py").write_text(AUTH.replace("30", "45"))
    found = reply(FileAnchor(root))
    assert found == Unavailable("src/auth.py changed since this note cites it: read it again")
    (root / "src/auth.py").write_text(AUTH)
    assert reply(FileAnchor(root)) == Agreed()


def test_a_file_that_is_gone_says_so(root: Path) -> None:
    (root / "src/auth.py").rename(root / "src/login.py")
    assert reply(FileAnchor(root)) == Unavailable("src/auth.py is gone")
    assert reply(FileAnchor(root), source("src/login.py")) == Agreed()
    (root / "src/login.py").unlink()
    (root / "src").rmdir()
    (root / "src").write_text("a file where the folder was")
    assert reply(FileAnchor(root)) == Unavailable("src/auth.py is gone")


def test_all_that_a_note_cites_must_stand(root: Path) -> None:
    (root / "limits.toml").write_text("minutes=30")
    both = (source(), source("limits.toml", "minutes=30"))
    assert reply(FileAnchor(root), *both) == Agreed()
    (root / "limits.toml").write_text("minutes=31")
    assert reply(FileAnchor(root), *both) == Unavailable("limits.toml changed since this note cites it: read it again")
    [first, second] = FileAnchor(root).verify([asked(both[0]), asked(*both)])
    assert first == Agreed()
    assert isinstance(second, Unavailable)


def test_one_of_two_passages_of_a_file_is_not_enough(root: Path) -> None:
    both = (source(quote="RETRIES = 10"), source())
    (root / "src/auth.py").write_text(AUTH.replace("RETRIES = 10", "RETRIES = 7"))
    assert isinstance(reply(FileAnchor(root), *both), Unavailable)
    assert reply(FileAnchor(root), both[1]) == Agreed()


@pytest.mark.parametrize(
    ("original", "quote", "now", "expected"),
    [
        ("max = 10", "max = 10", "# new\nmax = 10\n", True),
        ("max = 10", "max = 10", "max = 100", False),
        ("max = 10", "max = 10", "max = 10.5", False),
        ("max = 10", "max = 10", "max = 10%", False),
        ("max = 10", "max = 10", "max = 10. Then", True),
        ("max = 10", "max = 10", "max = 10, min = 1", True),
        ("max = 10", "max = 10", "max = 100\nmax = 10", True),
        ("max = 10", "max = 10", "climax = 10", False),
        ("10 users", "10 users", "we have 10 users", True),
        ("10 users", "10 users", "2.10 users", False),
        ("10 users", "10 users", "-10 users", False),
        ("10 users", "10 users", "$10 users", False),
        ("10 users", "10 users", "210 users", False),
        ("10 users", "10 users", "Hello.\n10 users", True),
        ("use Postgres", "use Postgres", "we use PostgresXL", False),
        ("use Postgres", "use Postgres", "Use Postgres", False),
        ("a\r\nb", "a\r\nb", "x\na\nb\n", True),
        ("a\nb", "a\nb", "a\r\nb", True),
        ("日本語の値は十", "値は十", "今の値は十。", False),  # no spaces: where a word ends cannot be seen
        ("x \n ", " \n ", "y \n z", False),
    ],
)
def test_an_excerpt_stands_as_a_whole_or_not_at_all(original: str, quote: str, now: str, expected: bool) -> None:
    assert files.stands(source(original=original, quote=quote), original.encode())
    assert files.stands(source(original=original, quote=quote), now.encode()) is expected


def test_an_excerpt_that_is_everywhere_costs_no_more(root: Path) -> None:
    (root / "src/auth.py").write_text("a" * 1_000_000)
    assert isinstance(reply(FileAnchor(root), source(original="a" * 8000, quote="a" * 8000)), Unavailable)


def test_bytes_that_are_no_text_are_compared_as_they_are(root: Path) -> None:
    raw = bytes(range(256)) * 10
    (root / "logo.png").write_bytes(raw)
    same = Source(channel=Channel.DOCUMENT, ref="logo.png", version=files.sha256(raw).hexdigest())
    assert reply(FileAnchor(root), same) == Agreed()
    (root / "logo.png").write_bytes(raw + b"\xff")
    assert isinstance(reply(FileAnchor(root), same), Unavailable)


def test_a_file_over_the_limit_is_not_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_DOCUMENT_BYTES", len(AUTH))
    assert reply(FileAnchor(root)) == Agreed()
    monkeypatch.setattr(files, "MAX_DOCUMENT_BYTES", len(AUTH) - 1)
    assert reply(FileAnchor(root)) == Unavailable(f"src/auth.py has more than {len(AUTH) - 1} bytes")


# --- which notes it covers -----------------------------------------------------------------------


def test_it_covers_notes_that_cite_a_file_of_the_folder(root: Path, tmp_path: Path) -> None:
    (root / "Makefile").write_text("all:")
    anchor = FileAnchor(root)
    with upheld.open(tmp_path / "a.db", embedder=None) as memory:

        def covers(ref: str) -> bool:
            return anchor.covers(note(memory, Citation(original=AUTH, ref=ref, quote="minutes=30")))

        for ref in ("src/auth.py", "./src/auth.py", "src//auth.py", "src/auth.py:5", "src/auth.py#L5-L6", "Makefile"):
            assert covers(ref), ref
        assert covers("src/gone.py")
        outside = [
            str(root / "src/auth.py"), "../project/src/auth.py", "src/../src/auth.py", "~/auth.py", "/etc/passwd",
            "https://example.org/auth.py", "file:src/auth.py", "the meeting of 14 January", "Rakefile", "notes v1.2",
        ]  # fmt: skip
        for ref in outside:
            assert not covers(ref), ref
        assert not anchor.covers(note(memory))
        assert not anchor.covers(note(memory, Source(channel=Channel.DOCUMENT, ref="src/other.py")))


def test_who_is_asked_about_a_note_without_a_file_does_not_answer(root: Path) -> None:
    assert isinstance(reply(FileAnchor(root), source("https://example.org/auth.py")), Unavailable)
    assert FileAnchor(root).verify([asked()]) == [Unavailable("it cites no file of this folder")]
    assert FileAnchor(root).verify([]) == []


@pytest.mark.parametrize(
    "ref", ["", ".", "./", "..", "a/../../b", "a\0b", "a\nb", "C:/x", "c:x", "//host/x", "~", "\ud800"]
)
def test_what_leads_out_of_the_folder_is_no_path(ref: str) -> None:
    assert inside.below(ref) is None
    assert inside.below("a/b.c") == "a/b.c"


@needs_links
def test_links_are_followed_inside_the_folder_and_not_out_of_it(root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text(AUTH)
    (root / "out.py").symlink_to(tmp_path / "secret.py")
    (root / "away").symlink_to(tmp_path)
    (root / "in.py").symlink_to("src/auth.py")
    (root / "lib").symlink_to("src")
    (root / "circle.py").symlink_to("circle.py")
    anchor = FileAnchor(root)
    assert reply(anchor, source("in.py")) == Agreed()
    assert reply(anchor, source("lib/auth.py")) == Agreed()
    assert reply(anchor, source("out.py")) == Unavailable("out.py is a link that leads out of the folder")
    assert isinstance(reply(anchor, source("away/secret.py")), Unavailable)
    assert isinstance(reply(anchor, source("circle.py")), Unavailable)


@needs_links
def test_what_is_no_plain_file_is_not_read(root: Path) -> None:
    os.mkfifo(root / "pipe.py")
    assert reply(FileAnchor(root), source("pipe.py")) == Unavailable("pipe.py is not a plain file")
    assert isinstance(reply(FileAnchor(root), source("src")), Unavailable)
    (root / "src/auth.py").write_text(AUTH)
    assert reply(FileAnchor(root)) == Agreed()


@needs_links
def test_a_link_put_in_the_way_while_reading_is_not_followed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "else").mkdir()
    (tmp_path / "else/auth.py").write_text(AUTH)
    real = os.path.realpath(root / "src/auth.py")
    assert inside.content(root, "src/auth.py", 1000) == AUTH.encode()
    shutil.rmtree(root / "src")
    (root / "src").symlink_to(tmp_path / "else")  # after the path was looked at
    monkeypatch.setattr(os.path, "realpath", lambda path: real if "auth" in str(path) else str(path))
    with pytest.raises(upheld.UpheldError):
        inside.content(Path(os.path.abspath(root)), "src/auth.py", 1000)  # noqa: PTH100


@pytest.mark.parametrize(
    "wrong", [{"root": "no such folder"}, {"at": "--all"}, {"at": "a b"}, {"at": ""}, {"source": "a\nb"}]
)
def test_what_cannot_be_an_anchor_is_refused_at_once(root: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(Misconfigured):
        FileAnchor(**{"root": root, **wrong})


# --- at a revision -------------------------------------------------------------------------------


def git(root: Path, *arguments: str) -> None:
    settings = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", "-C", str(root), *settings, *arguments], check=True, capture_output=True)


@needs_git
def test_at_a_revision_what_was_committed_counts(root: Path) -> None:
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    git(root, "tag", "v1")
    path = root / "src/auth.py"
    path.write_text(AUTH.replace("30", "45"))
    committed, now = FileAnchor(root, at="HEAD"), FileAnchor(root)
    assert reply(committed) == Agreed()
    assert isinstance(reply(now), Unavailable)
    git(root, "commit", "-q", "-am", "two")
    assert reply(committed) == Unavailable("src/auth.py changed since this note cites it: read it again")
    assert reply(FileAnchor(root, at="v1")) == Agreed()
    assert reply(FileAnchor(root, at="HEAD~1")) == Agreed()
    git(root, "rm", "-q", "src/auth.py")
    git(root, "commit", "-q", "-m", "three")
    assert reply(committed) == Unavailable("src/auth.py is gone")
    assert isinstance(reply(FileAnchor(root, at="no-such")), Unavailable)


@needs_git
def test_a_folder_inside_a_repository_has_names_of_its_own(root: Path) -> None:
    git(root, "init", "-q")
    (root / "src/größe 1.py").write_text(AUTH)
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    anchor = FileAnchor(root / "src", at="HEAD")
    assert reply(anchor, source("auth.py")) == Agreed()
    assert reply(anchor, source("größe 1.py")) == Agreed()
    assert isinstance(reply(anchor, source("src/auth.py")), Unavailable)
    assert isinstance(reply(FileAnchor(root, at="HEAD"), source("src")), Unavailable)


@needs_git
def test_a_committed_link_is_not_what_it_leads_to(root: Path, tmp_path: Path) -> None:
    git(root, "init", "-q")
    (tmp_path / "secret.py").write_text(AUTH)
    (root / "out.py").symlink_to(tmp_path / "secret.py")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    assert isinstance(reply(FileAnchor(root, at="HEAD"), source("out.py")), Unavailable)
    assert reply(FileAnchor(root, at="HEAD")) == Agreed()


@needs_git
def test_a_folder_that_is_no_repository_is_not_answered_from(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(root.parent))
    assert "git cannot read" in str(reply(FileAnchor(root, at="HEAD")))
    git(root, "init", "-q")
    assert "no revision" in str(reply(FileAnchor(root, at="HEAD")))


def test_without_git_nothing_is_verified_at_a_revision(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert "install git" in str(reply(FileAnchor(root, at="HEAD")))
    assert reply(FileAnchor(root)) == Agreed()
