"""What is installed, and what is shipped: the locks, the build, the wheel."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = {name: ROOT / "requirements" / f"{name}.txt" for name in ("core", "dev")}


def requirements(lock: str) -> list[str]:
    text = re.sub(r"\\\n\s*", "", LOCKS[lock].read_text())
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def pins(lock: str) -> set[str]:
    return {line.split(" --hash=")[0].strip() for line in requirements(lock)}


def names(lines: list[str] | set[str]) -> set[str]:
    return {re.split(r"[^\w.-]", line, maxsplit=1)[0].replace("_", "-").lower() for line in lines}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_line_of_a_lock_is_pinned_and_hashed(lock: str) -> None:
    assert len(requirements(lock)) > 10
    for line in requirements(lock):
        assert re.fullmatch(r"[\w.-]+==[\w.]+ (; [^#]+ )?(--hash=sha256:[0-9a-f]{64} ?)+", line), line


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_index_and_no_place(lock: str) -> None:
    assert not re.search(r"://|(?<!\w)/\w|--index|--find-links|@ ", LOCKS[lock].read_text())


def test_the_development_lock_holds_the_core_lock_whole() -> None:
    # Development tools may need a package on more platforms than the core does: markers only say where.
    core, dev = ({pin.split(";")[0].strip() for pin in pins(lock)} for lock in ("core", "dev"))
    assert core < dev


def test_the_locks_hold_what_the_project_asks_for() -> None:
    core = names(PROJECT["project"]["dependencies"]) | names(PROJECT["dependency-groups"]["build"])
    dev = names(PROJECT["dependency-groups"]["dev"])
    assert core <= names(pins("core"))
    assert dev <= names(pins("dev"))
    assert not dev & names(pins("core"))


def test_the_project_is_built_with_the_locked_build_tool() -> None:
    [backend] = PROJECT["build-system"]["requires"]
    assert backend in pins("core")


@pytest.mark.slow
def test_the_wheel_carries_every_file_of_the_package_and_the_examples(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    carried = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    places = {ROOT / "src/upheld": "upheld", ROOT / "examples": "upheld/examples"}
    wanted = {
        f"{prefix}/{file.relative_to(folder).as_posix()}"
        for folder, prefix in places.items()
        for file in folder.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert {Path(name).suffix for name in wanted} >= {".py", ".sql", ".toml", ".onnx", ".json", ".md"}
    assert carried == wanted
