"""Reads which versions a manifest or lock file states, by the name of the file. Ranges state none.

Names are compared as their own registry does: those of Python and Rust without case and with `-`, `_` and `.` alike,
all others without case.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from upheld.errors import Invalid

FILES = (
    "pyproject.toml", "uv.lock", "poetry.lock", "requirements.txt",
    "package.json", "package-lock.json", "Cargo.toml", "Cargo.lock", "go.mod",
)  # fmt: skip
"""The files that are looked for."""

MAX_BYTES = {"package-lock.json": 32 * 1024**2, "*.lock": 32 * 1024**2}
MAX_OTHER_BYTES = 256 * 1024
_MOST_DOTS = 64  # in the names of one line: tomllib takes time and memory with the square of them

_STRING = re.compile(r'"(?:[^"\\]|\\.)*("?)|\'[^\']*(\'?)')
_MERGE = re.compile(r"^(?:<{7}|={7}|>{7})", re.MULTILINE)
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*\(?([^;@#]*)")
_EXACTLY = re.compile(r"\s*={2,3}\s*([^\s*=]+)\s*")
_SEMVER = re.compile(r"=?\s*v?([0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)")
_CARGO = re.compile(r"=\s*([0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)")
# A lock file as its tool writes it: no line of another shape, so nothing is hidden and no merge was left unfinished.
_LOCK_LINE = re.compile(
    r"""(?: [ \t\]}#].* | (?: \[[^\[\]\n]+\] | \[\[[^\[\]\n]+\]\] ) [ \t]* (?:\#.*)?
          | (?: [A-Za-z0-9_.'-]+ | "[^"\n]*" ) [ \t]* =.* )? \r?""",
    re.VERBOSE,
)
_LOCKED = re.compile(r'(name|version)[ \t]*=[ \t]*"([^"\\]*)"[ \t]*\r?')


@dataclass(frozen=True, slots=True)
class Stated:
    """One statement of a version; `version` None says that the file names the package and leaves the version open.

    `is_own` is a project's word on itself.
    """

    name: str
    version: str | None
    is_own: bool = False


Parse: TypeAlias = Callable[[str], Iterable[Stated]]


def stated(file: str, content: bytes) -> list[Stated]:
    r"""What a file states. Raises `Invalid` for what is not a file of its kind.

    >>> stated("requirements.txt", b"apsw==3.54.1.0  # pinned\nnumpy>=2")
    [Stated(name='apsw', version='3.54.1.0', is_own=False)]
    """
    parse = kind(file)
    try:
        text = content.decode("utf-8")
        if _MERGE.search(text):
            raise Invalid(f"{file} has an unfinished merge in it")
        return list(parse(text))
    except (ValueError, RecursionError, AttributeError, TypeError):
        raise Invalid(f"{file} cannot be read as what it is called") from None


def kind(file: str) -> Parse:
    """How a file of this name is read; `Invalid` for unknown names."""
    name = file.rpartition("/")[2]
    for pattern, parse in _PARSERS.items():
        if fnmatchcase(name, pattern):
            return parse
    raise Invalid(f"{file} is no manifest that is known; known: {', '.join(FILES)} and other .txt files of pins")


def limit(file: str) -> int:
    """How many bytes of a file are read."""
    name = file.rpartition("/")[2]
    return next((most for pattern, most in MAX_BYTES.items() if fnmatchcase(name, pattern)), MAX_OTHER_BYTES)


def same_name(file: str, first: str, second: str) -> bool:
    """Whether two names are one package to the registry that a file is about.

    >>> same_name("uv.lock", "typing_extensions", "Typing-Extensions")
    True
    >>> same_name("package.json", "lodash.merge", "lodash-merge")
    False
    """
    name = file.rpartition("/")[2]
    if name in {"package.json", "package-lock.json", "go.mod"}:
        return first.strip().casefold() == second.strip().casefold()
    return _folded(first) == _folded(second)


def _folded(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name.strip()).casefold()


# --- Python --------------------------------------------------------------------------------------


def _pyproject(text: str) -> Iterator[Stated]:
    table = _toml(text)
    project, poetry = _table(table, "project"), _table(_table(table, "tool"), "poetry")
    for own in (project, poetry):
        if isinstance(name := own.get("name"), str):
            yield Stated(name, _text(own.get("version")), is_own=True)
    groups = [project.get("dependencies"), *_table(project, "optional-dependencies").values()]
    groups += [*_table(table, "dependency-groups").values(), _table(table, "build-system").get("requires")]
    for group in groups:
        for requirement in group if isinstance(group, list) else ():
            if isinstance(requirement, str):
                yield from _pinned(requirement)


def _requirements(text: str) -> Iterator[Stated]:
    for line in re.sub(r"\\\r?\n", " ", text).splitlines():
        if not line.lstrip().startswith(("#", "-")):
            yield from _pinned(line)


def _pinned(requirement: str) -> Iterator[Stated]:
    if (found := _REQUIREMENT.match(requirement)) is not None:
        for part in found[2].partition(" --")[0].rstrip(") ").split(","):
            if (exact := _EXACTLY.fullmatch(part)) is not None:
                yield Stated(found[1], exact[1])


# --- locks in TOML -------------------------------------------------------------------------------


def _locked(text: str) -> Iterator[Stated]:
    """The packages of a lock file, read line by line: a parser of all TOML takes seconds for the size of these."""
    if '"""' in text or "'''" in text:
        raise ValueError
    found: dict[str, str] = {}
    is_package = False
    for line in text.split("\n"):
        if _LOCK_LINE.fullmatch(line) is None:
            raise ValueError
        if line.startswith("["):
            yield from _package(found)
            found = {}
            is_package = line.split("#")[0].strip() == "[[package]]"
        elif is_package and (field := _LOCKED.fullmatch(line)) is not None:
            found.setdefault(field[1], field[2])
    yield from _package(found)


def _package(found: Mapping[str, str]) -> Iterator[Stated]:
    if "name" in found:
        yield Stated(found["name"], found.get("version"))


# --- Rust, JavaScript, Go ------------------------------------------------------------------------


def _cargo(text: str) -> Iterator[Stated]:
    table = _toml(text)
    package, workspace = _table(table, "package"), _table(table, "workspace")
    if isinstance(name := package.get("name"), str):
        version = package.get("version")
        inherited = _table(package, "version").get("workspace") is True
        yield Stated(name, _text(_table(workspace, "package").get("version") if inherited else version), is_own=True)
    places = [table, workspace, *(_table(_table(table, "target"), each) for each in _table(table, "target"))]
    for place in places:
        for group in ("dependencies", "dev-dependencies", "build-dependencies"):
            for name, wanted in _table(place, group).items():
                about = wanted if isinstance(wanted, Mapping) else {"version": wanted}
                if (exact := _CARGO.fullmatch(_text(about.get("version")) or "")) is not None:
                    yield Stated(_text(about.get("package")) or name, exact[1])


def _package_json(text: str) -> Iterator[Stated]:
    table = _json(text)
    if isinstance(name := table.get("name"), str):
        yield Stated(name, _text(table.get("version")), is_own=True)
    for group in ("dependencies", "devDependencies", "optionalDependencies"):
        for name, wanted in _table(table, group).items():
            if isinstance(wanted, str) and (exact := _SEMVER.fullmatch(wanted.strip())) is not None:
                yield Stated(name, exact[1])


def _package_lock(text: str) -> Iterator[Stated]:
    table = _json(text)
    packages = _table(table, "packages")
    for path, about in packages.items():
        if path and isinstance(about, Mapping) and about.get("link") is not True:
            _, below, tail = path.rpartition("node_modules/")
            name = _text(about.get("name")) or (tail if below else None)
            if name is not None:
                yield Stated(name, _text(about.get("version")))
    left = [] if packages else [_table(table, "dependencies")]
    while left:
        listed = left.pop()
        for name in listed:
            yield Stated(name, _text(_table(listed, name).get("version")))
            left.append(_table(_table(listed, name), "dependencies"))


def _go(text: str) -> Iterator[Stated]:
    required: dict[str, str] = {}
    replaced: set[str] = set()
    block = ""
    for line in text.splitlines():
        words = [word.strip('"`') for word in line.partition("//")[0].split()]
        if words == [")"]:
            block = ""
        elif len(words) == 2 and words[1] == "(":
            block = words[0]
        elif words:
            verb, *rest = words if not block else [block, *words]
            if verb == "module" and rest:
                yield Stated(rest[0], None, is_own=True)
            elif verb == "require" and len(rest) == 2:
                required[rest[0]] = rest[1]
            elif verb == "replace" and rest:
                replaced.add(rest[0])
            elif verb not in {"go", "toolchain", "exclude", "retract", "tool", "godebug", "ignore"}:
                raise ValueError
    for name, version in required.items():
        yield Stated(name, None if name in replaced else version)


# --- shapes --------------------------------------------------------------------------------------


def _toml(text: str) -> dict[str, Any]:
    is_simple = '"""' not in text and "'''" not in text
    for line in text.split("\n"):
        dots = line.count(".")
        if dots > _MOST_DOTS and is_simple:  # those in strings name nothing
            dots -= sum(found[0].count(".") for found in _STRING.finditer(line) if found[1] or found[2])
        if dots > _MOST_DOTS:
            raise ValueError
    return tomllib.loads(text)


def _json(text: str) -> Mapping[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise TypeError
    return found


def _table(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = table.get(name)
    return found if isinstance(found, Mapping) else {}


def _text(found: object) -> str | None:
    return found if isinstance(found, str) and found else None


_PARSERS: Mapping[str, Parse] = {
    "pyproject.toml": _pyproject,
    "uv.lock": _locked,
    "poetry.lock": _locked,
    "Cargo.lock": _locked,
    "Cargo.toml": _cargo,
    "package.json": _package_json,
    "package-lock.json": _package_lock,
    "go.mod": _go,
    "*.txt": _requirements,
}
