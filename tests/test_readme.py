"""What the pages say is run: each Python block, each marked shell session, each link.

The Python blocks of one page share their names, as a reader would type them, and run in an empty folder. A block
that holds `>>>` is checked against the output that it shows. A `console` block is run if the line above its fence is
`<!-- run -->`: each line that begins with `$ ` is a command, the lines below it are what it prints (`...` stands for
anything).
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import pytest

from onlooker import environment_for_children

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_FENCE = re.compile(
    r"^(?P<fence>`{3,})(?P<language>[\w-]*)[^\n]*\n(?P<text>.*?)^(?P=fence)\s*$", re.MULTILINE | re.DOTALL
)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)[^)]*\)|!\[[^\]]*\]\(([^)\s]+)[^)]*\)")
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    text: str
    marked: bool


def blocks(page: Path) -> list[Block]:
    content = page.read_text(encoding="utf-8")
    return [
        Block(
            page=page,
            line=content.count("\n", 0, found.start()) + 2,
            language=found["language"],
            text=found["text"],
            marked=content[: found.start()].rstrip("\n").endswith("<!-- run -->"),
        )
        for found in _FENCE.finditer(content)
    ]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def run_python(page: Path) -> None:
    """Run the Python blocks of a page, top to bottom, with one set of names."""
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.language not in {"python", "pycon"}:
            continue
        where = f"{page.name}:{block.line}"
        if ">>>" in block.text:
            check_session(block.text, names, where)
            continue
        # Padded, so that a failure names the line of the page.
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), names)


def check_session(text: str, names: dict[str, object], where: str) -> None:
    parsed = doctest.DocTestParser().get_doctest(text, names, where, where, 0)
    report = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=_FLAGS)
    runner.run(parsed, out=report.write, clear_globs=False)
    names |= parsed.globs
    assert runner.failures == 0, report.getvalue()


def run_console(page: Path, folder: Path) -> None:
    """Run the marked shell sessions of a page in one folder."""
    for block in blocks(page):
        if not (block.marked and block.language == "console"):
            continue
        for step in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, _, expected = step.partition("\n")
            printed = shell(command, folder)
            ok = doctest.OutputChecker().check_output(expected, printed, _FLAGS)
            assert ok, f"{page.name}:{block.line}: {command}\nexpected:\n{expected}\nprinted:\n{printed}"


def shell(command: str, folder: Path) -> str:
    upheld = f'upheld() {{ {shlex.quote(sys.executable)} -m upheld "$@"; }}; '
    found = subprocess.run(
        ["/bin/sh", "-c", upheld + command],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        env={**environment_for_children(), "NO_COLOR": "1", "COLUMNS": "100", "HOME": str(folder)},
    )
    return found.stdout + found.stderr


def have(page: Path) -> None:
    if not page.is_file():
        pytest.skip(f"{page.name} is not in this tree")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_python_of_a_page_runs_as_it_stands(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    have(page)
    monkeypatch.chdir(tmp_path)
    run_python(page)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_marked_shell_session_prints_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    have(page)
    run_console(page, tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_inside_the_tree_leads_somewhere(page: Path) -> None:
    have(page)
    missing = []
    for found in _LINK.finditer(_FENCE.sub("", page.read_text(encoding="utf-8"))):
        target = unquote(found[1] or found[2])
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            missing.append(target)
    assert missing == []


def anchors(page: Path) -> set[str]:
    """The anchors that a reader's viewer makes of the headings of a page."""
    headings = re.findall(r"^#+ +(.+?)\s*#*$", _FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.replace("`", "")).strip().lower().replace(" ", "-") for heading in headings}


def test_the_front_page_shows_python_that_ran() -> None:
    have(ROOT / "README.md")
    assert any(block.language == "python" for block in blocks(ROOT / "README.md"))


# --- the controls: what these checks would not let pass --------------------------------------------------


def page_of(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


@pytest.mark.parametrize(
    "text",
    [
        "```python\nassert 1 == 2\n```\n",
        "```python\n>>> 1 + 1\n3\n```\n",
        "```python\nx = 1\n```\n\nwords\n\n```python\nassert x == 2\n```\n",
        "````python\nraise RuntimeError\n````\n",
    ],
)
def test_python_that_does_not_hold_is_noticed(tmp_path: Path, text: str) -> None:
    with pytest.raises((AssertionError, RuntimeError)):
        run_python(page_of(tmp_path, text))


def test_names_are_kept_from_block_to_block(tmp_path: Path) -> None:
    run_python(
        page_of(
            tmp_path,
            "```python\nx = 1\n```\n\n```python\n>>> x + 1\n2\n>>> y = x\n```\n```python\nassert y == 1\n```\n",
        )
    )


def test_a_session_that_prints_something_else_is_noticed_and_an_unmarked_one_is_left_alone(tmp_path: Path) -> None:
    good = "<!-- run -->\n```console\n$ echo one two\none ...\n$ echo three\nthree\n```\n"
    run_console(page_of(tmp_path, good), tmp_path)
    with pytest.raises(AssertionError):
        run_console(page_of(tmp_path, good.replace("$ echo three\nthree", "$ echo three\nfour")), tmp_path)
    run_console(page_of(tmp_path, good.replace("<!-- run -->\n", "").replace("one ...", "two")), tmp_path)


def test_the_command_line_can_be_run_from_a_page(tmp_path: Path) -> None:
    assert "upheld" in shell("upheld --help", tmp_path).lower()
    assert list(tmp_path.iterdir()) == []


def test_a_link_to_nowhere_is_noticed(tmp_path: Path) -> None:
    page = page_of(tmp_path, "# A heading, here\n[good](#a-heading-here) [bad](#another) [worse](none.md)\n")
    with pytest.raises(AssertionError, match=r"another.*none"):
        test_every_link_inside_the_tree_leads_somewhere(page)
