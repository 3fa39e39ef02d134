"""A copy of the workshop script to try out, with stand-ins for the programs that it starts."""

from __future__ import annotations

import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Finished = subprocess.CompletedProcess[str]

ROOT = Path(__file__).resolve().parent.parent

# Stand-ins that write down how they were called. A call that holds the text of $FAILING fails, with the
# status after its colon.
FAKE_PYTHON = """#!/bin/sh
printf 'python' >> "$CALLS"; for word; do printf ' [%s]' "$word" >> "$CALLS"; done; echo >> "$CALLS"
case "$*" in *"${FAILING%:*}"*) exit "${FAILING#*:}";; esac
"""
FAKE_UV = """#!/bin/sh
echo "uv $*" >> "$CALLS"
case "$*" in *"${FAILING%:*}"*) echo "$SAYING"; exit "${FAILING#*:}";; esac
if [ "$1" = venv ]; then
  for last; do :; done
  mkdir -p "$last/bin"; cp "$FAKES/python" "$last/bin/python"
  echo 'version_info = 3.11.7' > "$last/pyvenv.cfg"
fi
"""


class Checkout:
    """A copy of the script in a folder with a space in its name, and a PATH that leads to stand-ins."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "a check out"
        self.calls_file = folder / "calls"
        fakes = folder / "fakes"
        for made in (self.root / "requirements", self.root / ".ci", fakes):
            made.mkdir(parents=True)
        for name in ("run", ".ci/run"):
            shutil.copy(ROOT / name, self.root / name)
        for name in ("requirements/core.txt", "requirements/dev.txt", "pyproject.toml"):
            (self.root / name).write_text("")
        for name, text in {"python": FAKE_PYTHON, "uv": FAKE_UV}.items():
            (fakes / name).write_text(text)
            (fakes / name).chmod(stat.S_IRWXU)
        # The script under test is started by this Python, whatever python3 is on the machine.
        (fakes / "python3").symlink_to(sys.executable)
        self.environment = {
            "PATH": f"{fakes}:/usr/bin:/bin",
            "CALLS": str(self.calls_file),
            "FAKES": str(fakes),
            "FAILING": "nothing at all:0",
            "SAYING": "",
        }

    def run(self, *arguments: str, script: str = "run", **environment: str) -> subprocess.CompletedProcess[str]:
        self.calls_file.write_text("")
        return subprocess.run(
            [str(self.root / script), *arguments],
            cwd=self.root.parent,
            env=self.environment | environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    @property
    def calls(self) -> list[str]:
        return self.calls_file.read_text().splitlines()

    def called(self, *words: str) -> bool:
        return any(all(word in call for word in words) for call in self.calls)
