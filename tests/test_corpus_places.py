"""Documents are found where they are, by stable names, and nothing leads out of the place that was named."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from upheld.corpus import git, places
from upheld.document import MAX_DOCUMENT_BYTES
from upheld.errors import Invalid, Misconfigured, Refused

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def tree(root: Path, names: str) -> Path:
    for name in names.split():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"text of {name}")
    return root


def found(root: Path) -> dict[str, bytes | type]:
    return {f.name: f.content if isinstance(f.content, bytes) else type(f.content) for f in places.folder(root)}


def test_a_folder_gives_its_documents_sorted_by_name(tmp_path: Path) -> None:
    tree(tmp_path, "b.md a/z.txt a.md B.md a/b/c.html x.png README")
    listed = list(places.folder(tmp_path))
    assert [one.name for one in listed] == ["B.md", "README", "a.md", "a/b/c.html", "a/z.txt", "b.md"]
    assert [one.content for one in listed] == [f"text of {one.name}".encode() for one in listed]
    assert {one.dated for one in listed} == {None}
    assert places.names(tmp_path) == [one.name for one in listed]


def test_what_is_hidden_or_installed_is_passed_over(tmp_path: Path) -> None:
    tree(tmp_path, "a.md .b.md .git/c.md node_modules/d/e.md src/__pycache__/f.md src/g.md src/.h/i.md")
    assert list(found(tmp_path)) == ["a.md", "src/g.md"]


def test_gitignore_is_honoured_below_its_folder(tmp_path: Path) -> None:
    tree(
        tmp_path, "a.md b.md build/c.md d/build/e.md d/f.txt d/g.md h/f.txt h/keep.txt i/deep/er/j.md k.md m1.md m2.md"
    )
    (tmp_path / ".gitignore").write_text(
        "# c\n/b.md\nbuild/\n!/d/build\ni/**/j.md\n[k-l].md\nm?.md\n!m2.md\n[\n  \n\\!x\n"
    )
    (tmp_path / "d/.gitignore").write_text("*.md\n!build\n")
    (tmp_path / "h/.gitignore").write_text("*.txt\n!keep.txt\n")
    assert list(found(tmp_path)) == ["a.md", "d/f.txt", "h/keep.txt", "m2.md"]


@needs_git
def test_gitignore_agrees_with_git(tmp_path: Path) -> None:
    tree(
        tmp_path,
        "a.md b.md build/c.md d/build/e.md d/f.txt d/g.md h/f.txt h/keep.txt i/deep/er/j.md k.md m1.md m2.md a/b/x.md",
    )
    (tmp_path / ".gitignore").write_text("/b.md\nbuild/\n!/d/build\ni/**/j.md\n[k-l].md\nm?.md\n!m2.md\na/b\n")
    (tmp_path / "h/.gitignore").write_text("*.txt\n!keep.txt\n")
    run(tmp_path, "init", "-q")
    listed = run(tmp_path, "ls-files", "--others", "--exclude-standard").split("\n")
    assert list(found(tmp_path)) == sorted(
        name for name in listed if name and not name.rpartition("/")[2].startswith(".")
    )


def test_links_never_lead_out_of_a_folder(tmp_path: Path) -> None:
    outside = tree(tmp_path / "out", "secret.md d/secret.md")
    inside = tree(tmp_path / "in", "a.md d/b.md")
    (inside / "leaves.md").symlink_to(outside / "secret.md")
    (inside / "leaves").symlink_to(outside / "d")
    (inside / "stays.md").symlink_to(inside / "a.md")
    (inside / "stays").symlink_to(inside / "d")
    (inside / "up").symlink_to("..")
    (inside / "circle").symlink_to("circle")
    (inside / "d/loop").symlink_to(inside)
    seen = found(inside)
    assert {name: seen[name] for name in ("leaves.md", "leaves", "up")} == dict.fromkeys(
        ("leaves.md", "leaves", "up"), Refused
    )
    assert {name for name, content in seen.items() if isinstance(content, bytes)} == {"a.md", "d/b.md"}
    assert isinstance(places.file(inside / "leaves.md").content, Refused)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_pipes_and_devices_are_refused_and_do_not_block(tmp_path: Path) -> None:
    tree(tmp_path, "a.md")
    os.mkfifo(tmp_path / "pipe.md")
    assert found(tmp_path) == {"a.md": b"text of a.md", "pipe.md": Refused}
    assert isinstance(places.file("/dev/zero", name="zero.md").content, Refused)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read everything")
def test_what_cannot_be_read_is_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    tree(tmp_path, "a.md b.md c/d.md e.md")
    (tmp_path / "b.md").chmod(0)
    (tmp_path / "c").chmod(0)
    try:
        assert found(tmp_path) == {"a.md": b"text of a.md", "b.md": Invalid, "c": Invalid, "e.md": b"text of e.md"}
    finally:
        (tmp_path / "c").chmod(0o755)


def test_a_file_that_goes_before_its_turn_is_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    tree(tmp_path, "a.md b.md c.md")
    listed = places.folder(tmp_path)
    assert next(listed).content == b"text of a.md"
    (tmp_path / "b.md").unlink()
    assert [(one.name, type(one.content)) for one in listed] == [("b.md", Invalid), ("c.md", bytes)]


def test_files_that_are_too_large_are_reported(tmp_path: Path) -> None:
    with (tmp_path / "a.md").open("wb") as file:
        file.truncate(MAX_DOCUMENT_BYTES + 1)
    assert isinstance(places.file(tmp_path / "a.md").content, Invalid)
    assert found(tmp_path) == {"a.md": Invalid}


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="their file names are Unicode")
def test_names_of_bytes_and_line_ends_are_reported_under_a_name_that_can_be_shown(tmp_path: Path) -> None:
    for name in (b"b\xff.md", b"c\nd.md", b"ok \\ \xc3\xa9.md"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(b"text")
    assert found(tmp_path) == {r"b\udcff.md": Invalid, r"c\x0ad.md": Invalid, "ok \\ é.md": b"text"}


def test_a_place_that_is_not_there_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="no folder"):
        places.folder(tmp_path / "none")
    with pytest.raises(Invalid, match="no folder"):
        places.folder(tree(tmp_path, "a.md") / "a.md")
    assert isinstance(places.file(tmp_path / "none.md").content, Invalid)
    assert isinstance(places.file(tmp_path).content, Refused | Invalid)


def run(root: Path, *arguments: str, at: str = "2024-01-01T00:00:00Z") -> str:
    who = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "n"), ("EMAIL", "e@x"))
    }
    environment = {**os.environ, **who, "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z", "GIT_COMMITTER_DATE": at}
    done = subprocess.run(
        ["git", "-C", str(root), *arguments], env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout


def save(root: Path, at: str) -> None:
    run(root, "add", "-A")
    run(root, "commit", "-q", "-m", at, at=at)


def committed(root: Path, revision: str = "HEAD", under: str = "") -> dict[str, tuple[object, datetime | None]]:
    return {one.name: (one.content, one.dated) for one in places.revision(root, revision, under=under)}


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tree(tmp_path / "repository", "a.md d/é.md d/c.md x.png .hidden.md")
    run(root, "init", "-q", "-b", "main")
    save(root, "2024-01-01T00:00:00Z")
    (root / "a.md").write_text("second")
    save(root, "2024-02-01T01:00:00+01:00")
    run(root, "checkout", "-q", "-b", "other")
    (root / "d/c.md").write_text("of other")
    save(root, "2024-03-01T00:00:00Z")
    run(root, "checkout", "-q", "main")
    (root / "new.md").write_text("new")
    save(root, "2024-04-01T00:00:00Z")
    run(root, "merge", "-q", "--no-ff", "-m", "merge", "other", at="2024-05-01T00:00:00Z")
    run(root, "tag", "v1", "HEAD~1")
    return root


@needs_git
def test_a_revision_gives_its_files_with_the_date_of_their_last_commit(repository: Path) -> None:
    assert committed(repository) == {
        "a.md": (b"second", day("2024-02-01")),
        "d/c.md": (b"of other", day("2024-03-01")),
        "d/é.md": ("text of d/é.md".encode(), day("2024-01-01")),
        "new.md": (b"new", day("2024-04-01")),
    }
    assert committed(repository, "v1")["d/c.md"] == (b"text of d/c.md", day("2024-01-01"))
    assert list(committed(repository, "main~2")) == ["a.md", "d/c.md", "d/é.md"]
    assert list(committed(repository, under="d")) == ["d/c.md", "d/é.md"]
    assert committed(repository / "d") == committed(repository)


@needs_git
def test_a_revision_is_read_without_its_files_on_disk(repository: Path) -> None:
    before = committed(repository)
    (repository / "a.md").write_text("not committed")
    shutil.rmtree(repository / "d")
    assert committed(repository) == before
    bare = repository.parent / "bare.git"
    run(repository, "clone", "-q", "--bare", ".", str(bare))
    assert committed(bare) == before


@needs_git
def test_a_cut_off_history_dates_only_what_it_shows(repository: Path) -> None:
    (repository / "a.md").write_text("third")
    save(repository, "2024-06-01T00:00:00Z")
    shallow = repository.parent / "shallow"
    run(repository, "clone", "-q", "--depth", "2", repository.as_uri(), str(shallow))
    dates = {name: when for name, (_, when) in committed(shallow).items()}
    assert dates == {"a.md": day("2024-06-01"), "d/c.md": None, "d/é.md": None, "new.md": None}


@needs_git
def test_links_and_large_files_of_a_revision_are_not_read(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / "link.md").symlink_to("/etc/hostname")
    (repository / "large.md").write_text("x" * 100)
    save(repository, "2024-06-01T00:00:00Z")
    monkeypatch.setattr(places, "MAX_DOCUMENT_BYTES", 50)
    seen = committed(repository)
    assert "link.md" not in seen
    assert isinstance(seen["large.md"][0], Invalid)
    assert seen["new.md"][0] == b"new"  # after it in the list: the rest goes on


@needs_git
def test_a_repository_runs_none_of_its_programs(repository: Path) -> None:
    mark = repository.parent / "ran"
    program = repository.parent / "program"
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\ncat\n")
    program.chmod(0o755)
    for setting in (
        "core.fsmonitor",
        "gpg.program",
        "core.pager",
        "diff.external",
        "filter.x.smudge",
        "diff.x.textconv",
    ):
        run(repository, "config", setting, str(program))
    run(repository, "config", "log.showSignature", "true")
    run(repository, "config", "diff.relative", "true")
    (repository / ".git/info/attributes").write_text("* filter=x diff=x\n")
    for hook in ("post-checkout", "pre-auto-gc", "reference-transaction"):
        shutil.copy(program, repository / ".git/hooks" / hook)
    assert committed(repository / "d")["a.md"] == (b"second", day("2024-02-01"))
    assert not mark.exists()
    run(repository, "checkout", "-q", "-f", "-B", "x", "HEAD~1")
    assert mark.exists()  # the trap does work


@needs_git
@pytest.mark.parametrize("revision", ["none", "", "--help", "-x", "a\0b", "HEAD:a.md", "0" * 40])
def test_an_unknown_revision_is_refused_at_once(repository: Path, revision: str) -> None:
    with pytest.raises(Invalid, match="revision"):
        places.revision(repository, revision)


@needs_git
def test_what_is_no_repository_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.setattr(git, "environment", lambda: dict(os.environ))
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(Invalid, match=r"cannot read|no folder"):
            places.revision(path)


def test_without_git_the_error_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Misconfigured, match="install git"):
        places.revision(tmp_path)
