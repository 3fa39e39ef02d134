"""Watching tells of every change of bytes once, and of nothing else; no test here sleeps."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from upheld.corpus import watch
from upheld.errors import Invalid

Step = Callable[[], object]


class Script:
    """A sleep that takes the next step instead, and says to stop once there is none left."""

    def __init__(self, *steps: Step) -> None:
        self.steps = list(steps)
        self.slept: list[float] = []

    def is_set(self) -> bool:
        return not self.steps

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.steps.pop(0)()


def nothing() -> None:
    """A look at which nothing has changed."""


def seen(root: Path, script: Script, *, notices: bool = False) -> list[tuple[str, ...]]:
    return list(watch.changes(root, stop=script, sleep=script.sleep, every=7.0, notices=notices))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "d").mkdir()
    for name in ("a.md", "b.md", "d/c.md"):
        (tmp_path / name).write_text(name)
    return tmp_path


def test_files_added_changed_and_removed_come_in_one_batch_each_look(folder: Path) -> None:
    def several() -> None:
        (folder / "a.md").write_text("other")
        (folder / "b.md").unlink()
        (folder / "d/new.md").write_text("new")

    script = Script(nothing, several, nothing, lambda: (folder / "d/new.md").write_text("newer"), nothing)
    assert seen(folder, script) == [("a.md", "b.md", "d/new.md"), ("d/new.md",)]
    assert script.slept == [7.0] * 5


def test_a_change_that_keeps_the_size_is_seen_by_its_time(folder: Path) -> None:
    def same_size() -> None:
        (folder / "a.md").write_text("A.MD")
        os.utime(folder / "a.md", ns=(1, 1))

    assert seen(folder, Script(same_size, nothing)) == [("a.md",)]


def test_what_leaves_the_bytes_as_they_are_is_no_change(folder: Path) -> None:
    def touch() -> None:
        os.utime(folder / "a.md", ns=(1, 1))

    def save_again() -> None:
        (folder / "new").write_text("b.md")
        (folder / "new").replace(folder / "b.md")

    changed = [("b.md",)]
    assert seen(folder, Script(touch, save_again, nothing)) == []
    assert seen(folder, Script(touch, lambda: (folder / "b.md").write_text("x"))) == changed


def test_hidden_ignored_and_unknown_files_do_not_count(folder: Path) -> None:
    (folder / ".gitignore").write_text("ignored.md\n")

    def noise() -> None:
        for name in (".hidden.md", "ignored.md", "picture.png"):
            (folder / name).write_text("x")

    assert seen(folder, Script(noise, lambda: (folder / "e.md").write_text("x"))) == [("e.md",)]


def test_a_folder_that_goes_away_takes_its_names_with_it(folder: Path) -> None:
    def move() -> None:
        (folder / "d").rename(folder / "e")

    assert seen(folder, Script(move, nothing)) == [("d/c.md", "e/c.md")]


def test_no_folder_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="no folder"):
        watch.changes(tmp_path / "none", stop=threading.Event(), sleep=nothing)


def test_without_watchfiles_it_looks_again_and_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    script = Script(lambda: (folder / "a.md").write_text("x"))
    assert seen(folder, script, notices=True) == [("a.md",)]


def test_where_notices_fail_it_looks_again_and_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> Iterator[object]:
        (folder / "a.md").write_text("x")
        yield {"something"}
        raise OSError("no space left for watches")

    monkeypatch.setattr(watch, "_notices", failing)
    script = Script(lambda: (folder / "b.md").write_text("x"))
    assert seen(folder, script, notices=True) == [("a.md",), ("b.md",)]
    assert script.slept == [7.0]


def test_notices_of_the_system_bring_changes(folder: Path) -> None:
    pytest.importorskip("watchfiles", reason="the watch extra is not installed")
    stop = threading.Event()

    def no_sleep(_: float) -> None:
        raise AssertionError("it polls where it could be told")

    watched = watch.changes(folder, stop=stop, sleep=no_sleep)
    (folder / "a.md").write_text("before the first notice")
    assert next(watched) == ("a.md",)
    (folder / "b.md").write_text("after it")
    assert next(watched) == ("b.md",)
    stop.set()
    assert list(watched) == []
