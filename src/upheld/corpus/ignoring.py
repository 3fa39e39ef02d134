"""What a folder asks to be left out: hidden names, installed packages, and the patterns of its `.gitignore` files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_SKIPPED = frozenset(("node_modules", "__pycache__", "site-packages"))
_LONGEST_PATTERN = 500
_MOST_STARS = 8


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a `.gitignore`, for paths from its folder; `keeps` where it begins with an exclamation mark."""

    pattern: re.Pattern[str]
    keeps: bool
    folders_only: bool


def is_hidden(name: str) -> bool:
    """Whether a file or folder of this name is passed over wherever it is."""
    return name.startswith(".") or name in _SKIPPED


def is_hidden_path(path: str) -> bool:
    """Whether any part of a relative path is passed over."""
    return any(is_hidden(part) for part in path.split("/"))


def rules(text: str) -> tuple[Rule, ...]:
    """The rules in the text of a `.gitignore`; lines that are no pattern, or a wild one, are passed over."""
    return tuple(rule for line in text.splitlines() if (rule := _rule(line)) is not None)


def is_ignored(path: str, levels: Iterable[tuple[str, Sequence[Rule]]], *, is_folder: bool) -> bool:
    """Whether the rules of a path's folders leave it out; the last that matches decides.

    `levels` are the folders with rules, outermost first, each as its path with a slash at the end ("" for the root).
    """
    found = False
    for folder, listed in levels:
        below = path[len(folder) :]
        for rule in listed:
            if (is_folder or not rule.folders_only) and rule.pattern.fullmatch(below):
                found = not rule.keeps
    return found


def _rule(line: str) -> Rule | None:
    line = re.sub(r"(?<!\\)[ \t]+$", "", line)
    keeps = line.startswith("!")
    line = line.removeprefix("!")
    if not line or line.startswith("#") or len(line) > _LONGEST_PATTERN or line.count("*") > _MOST_STARS:
        return None
    folders_only = line.endswith("/")
    line = line.rstrip("/")
    if not line:
        return None
    anchored = "/" in line
    try:
        pattern = re.compile(("" if anchored else "(?:.*/)?") + _translated(line.removeprefix("/")), re.DOTALL)
    except re.error:
        return None
    return Rule(pattern, keeps, folders_only)


def _translated(glob: str) -> str:
    parts: list[str] = []
    at = 0
    while at < len(glob):
        if glob.startswith("**/", at):
            parts.append("(?:.*/)?")
            at += 3
        elif glob.startswith("**", at):
            parts.append(".*")
            at += 2
        elif glob[at] == "*":
            parts.append("[^/]*")
            at += 1
        elif glob[at] == "?":
            parts.append("[^/]")
            at += 1
        elif glob[at] == "[" and (close := glob.find("]", at + 2)) > 0:
            inner = glob[at + 1 : close].replace("\\", "\\\\").replace("[", "\\[")
            parts.append(f"[{'^' + inner[1:] if inner[0] in '!^' else inner}]")
            at = close + 1
        else:
            at += glob[at] == "\\" and at + 1 < len(glob)
            parts.append(re.escape(glob[at]))
            at += 1
    return "".join(parts)
