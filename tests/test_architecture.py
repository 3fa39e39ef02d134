"""The house keeps its shape: floors, sizes, names, and where clocks and chance may be."""

from __future__ import annotations

import ast
import inspect
import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tree import MODULES, PACKAGE, QUERIES, ROOT, dotted, every_module, floor, label

if TYPE_CHECKING:
    from pathlib import Path

LONGEST = 350

# What a module must not be called: words that say that somebody did not know what it is for.
VAGUE = frozenset(
    {"base", "common", "core", "data", "handler", "handlers", "helper", "helpers", "manager", "managers"}
    | {"misc", "process", "processor", "shared", "util", "utils"}
)

# The floors from db up: these may use third-party packages.
ABOVE_PURE = frozenset(
    {
        "__init__",
        "__main__",
        "asynchronous",
        "bench",
        "check",
        "cli",
        "corpus",
        "db",
        "documents",
        "embed",
        "uses",
        "verifiers",
        "writers",
        "extractors",
        "importers",
        "inbox",
        "judges",
        "judging",
        "memory",
        "opening",
        "retrieved",
        "wire",
    }
)

# Where a clock, chance and fresh identifiers come from; everything else is handed them.
MAY_ASK = frozenset({"bench", "cli", "opening"})
CLOCKS = frozenset({
    "datetime.now", "datetime.utcnow", "datetime.today", "date.today",
    "time.time", "time.time_ns", "time.localtime", "time.gmtime",
})  # fmt: skip
CHANCE = frozenset({"os.urandom", "uuid.uuid1", "uuid.uuid4", "uuid.uuid7", "uuid1", "uuid4", "uuid7", "urandom"})
CHANCE_MODULES = frozenset({"random", "secrets"})


def test_there_are_modules_and_queries_to_look_at() -> None:
    assert {"errors.py", "note.py", "standing.py"} <= {label(module) for module in MODULES}
    assert QUERIES


# --- size and names ------------------------------------------------------------------------------


@every_module
def test_a_module_can_be_read_in_one_sitting(module: Path) -> None:
    assert len(module.read_text(encoding="utf-8").splitlines()) <= LONGEST


@every_module
def test_a_module_is_named_for_what_it_is_about(module: Path) -> None:
    assert not VAGUE & {part.removesuffix(".py") for part in module.relative_to(PACKAGE).parts}


def vague_classes(source: str) -> list[str]:
    vague = re.compile(r"(Base|Handler|Helper|Manager|Processor|Utils?)$")
    return [
        node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef) and vague.search(node.name)
    ]


@every_module
def test_a_class_is_named_for_what_it_is(module: Path) -> None:
    assert vague_classes(module.read_text(encoding="utf-8")) == []


def test_a_vague_class_name_is_noticed() -> None:
    assert vague_classes("class NoteManager: ...\nclass Managed: ...") == ["NoteManager"]


# --- the public names ----------------------------------------------------------------------------


def test_the_package_says_what_it_offers() -> None:
    import upheld

    offered = list(upheld.__all__)
    found = {
        name
        for name in dir(upheld)
        if not name.startswith("_") and name != "annotations" and not inspect.ismodule(getattr(upheld, name))
    }
    assert offered == sorted(set(offered))
    assert {name for name in offered if not name.startswith("__")} == found


# --- time, chance, identifiers -------------------------------------------------------------------


def asks_the_world(source: str) -> list[str]:
    """Where a module reads a clock, chance or a fresh identifier by itself."""
    asked = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            tail = ".".join(dotted(node).split(".")[-2:])
            if tail in CLOCKS | CHANCE or tail.startswith(("np.random", "numpy.random")):
                asked.append(f"line {node.lineno}: {tail}")
        elif isinstance(node, ast.Import):
            asked += [f"line {node.lineno}: {name.name}" for name in node.names if name.name in CHANCE_MODULES]
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{name.name}" for name in node.names}
            if node.module in CHANCE_MODULES or names & (CLOCKS | CHANCE):
                asked.append(f"line {node.lineno}: {node.module}")
    return asked


@every_module
def test_only_the_top_reads_a_clock_or_chance(module: Path) -> None:
    if floor(module) not in MAY_ASK:
        assert asks_the_world(module.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "datetime.now(UTC)",
        "datetime.datetime.utcnow()",
        "date.today()",
        "time.time()",
        "from time import time",
        "import random",
        "from random import choice",
        "import secrets",
        "uuid.uuid4()",
        "from uuid import uuid4",
        "os.urandom(8)",
        "np.random.default_rng()",
        "field(default_factory=datetime.now)",
    ],
)
def test_a_clock_or_chance_is_noticed(source: str) -> None:
    assert asks_the_world(source)


def test_measuring_and_waiting_are_not_telling_the_time() -> None:
    assert asks_the_world("import time\ntime.sleep(1)\ntime.monotonic()\nclock.now()\nnote.random_access") == []


# --- floors --------------------------------------------------------------------------------------


def foreign_imports(source: str) -> set[str]:
    """The third-party packages that a module imports when it runs, wherever in it."""
    tree = ast.parse(source)
    for_types = {
        id(inside)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and dotted(node.test).endswith("TYPE_CHECKING")
        for branch in node.body
        for inside in ast.walk(branch)
    }
    found = set()
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(str(node.module).split(".")[0])
    return found - sys.stdlib_module_names - {"upheld"}


@every_module
def test_below_the_store_there_is_only_the_standard_library_and_what_makes_nouns(module: Path) -> None:
    if floor(module) not in ABOVE_PURE:
        assert foreign_imports(module.read_text(encoding="utf-8")) <= {"msgspec"}


def test_a_foreign_import_is_noticed() -> None:
    source = "import numpy as np\ndef f():\n    from rich.console import Console\nimport json, upheld.note"
    assert foreign_imports(source) == {"numpy", "rich"}
    assert foreign_imports("if TYPE_CHECKING:\n    import numpy\nelse:\n    import apsw") == {"apsw"}


def lint_imports(sources: Path) -> subprocess.CompletedProcess[str]:
    program = "from importlinter.cli import lint_imports_command as main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, "--no-logo", "--no-cache"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(sources)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_imports_go_down() -> None:
    linted = lint_imports(ROOT / "src")
    assert linted.returncode == 0, linted.stdout + linted.stderr


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("note.py", "import upheld.standing", "Imports go down only"),
        ("errors.py", "def f():\n    from upheld.note import Note", "Imports go down only"),
        ("policy.py", "from upheld.values import relation", "Imports go down only"),
        ("note.py", "def f():\n    import numpy", "the standard library and msgspec only"),
        ("weather.py", "", "Imports go down only"),
    ],
)
def test_an_import_that_goes_up_is_noticed(tmp_path: Path, module: str, line: str, contract: str) -> None:
    copy = tmp_path / "upheld"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("*.onnx", "*.json", "__pycache__"))
    with (copy / module).open("a", encoding="utf-8") as text:
        text.write(f"\n{line}\n")
    linted = lint_imports(tmp_path)
    assert linted.returncode == 1
    assert re.search(rf"{contract}.*BROKEN", linted.stdout), linted.stdout
