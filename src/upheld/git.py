"""How git is started wherever it is read: no command can write, ask, fetch, or run what a repository names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

_SAFELY = (
    "--no-pager",
    "-c", f"core.hooksPath={os.devnull}",
    "-c", "core.fsmonitor=false",
    "-c", "diff.relative=false",
    "-c", "protocol.allow=never",
)  # fmt: skip
_QUIETLY = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}


def command(repository: Path, arguments: Sequence[str]) -> list[str]:
    """A git command on a repository, with the settings off by which that can name programs to run, or fetch."""
    return ["git", "-C", str(repository), *_SAFELY, *arguments]


def environment() -> dict[str, str]:
    """This process's environment without what steers git."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, **_QUIETLY}
