"""Looks at a store from a process that knows nothing of it, and at all that an answer shows.

Run as a script it is the parent of such processes: a request as a line of JSON on standard input, the answer of a
child as a line of JSON on standard output.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import upheld
from upheld.answer import View
from worlds import Clock, HashEmbedder

if TYPE_CHECKING:
    from upheld import Memory, Recall

SOURCE = Path(upheld.__file__).resolve().parent.parent


def at(text: str) -> datetime:
    """An aware moment from `2026-03-10` (its midnight, UTC) or a full time with its offset."""
    time = datetime.fromisoformat(text)
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time


def embedder_called(name: str) -> Any:
    """What `upheld.open` takes as its embedder: "none", "words" (a stand-in) or "default" (the embedded model)."""
    return {"none": None, "words": HashEmbedder(), "default": "default"}[name]


def log_of(memory: Memory) -> list[object]:
    """All that a store holds, line by line."""
    return list(memory.export())


def said(answer: Recall) -> list[str]:
    """The statements that an answer upholds, best first."""
    return [note.statement for note in answer.upheld]


def all_text(answer: object) -> str:
    """Everything that an answer shows, as one text: what is not in it did not leave the store."""
    text = json.dumps(msgspec.to_builtins(answer), default=str, ensure_ascii=False)
    text += repr([each.label for name in ("withheld", "timeline") for each in getattr(answer, name, ())])
    return text + (answer.prompt() if isinstance(answer, upheld.Recall) else "")


def python(script: str | Path, *arguments: str, stdin: str = "", **environment: str) -> str:
    """What a script prints in a new interpreter; its failure is the test's failure."""
    command = [str(script)] if isinstance(script, Path) else ["-c", script]
    found = subprocess.run(
        [sys.executable, *command, *arguments],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        env={**environment_for_children(), **environment},
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


def environment_for_children() -> dict[str, str]:
    """This process's environment, with the tree first on the path and one thread for arithmetic."""
    path = os.pathsep.join([str(SOURCE), str(Path(__file__).parent)])
    return {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"}


def anew(path: Path, now: str, *calls: tuple[str, Sequence[object], dict[str, object]], embedder: str = "none") -> Any:
    """Open a store in a new process that stands at `now`, call the verbs, and return what they returned, as JSON.

    The verb "prompt" is a recall rendered for a model.
    """
    request = {"path": str(path), "now": now, "embedder": embedder, "calls": calls}
    asked = _parent_of_askers()
    assert asked.stdin is not None
    assert asked.stdout is not None
    asked.stdin.write(json.dumps(request) + "\n")
    asked.stdin.flush()
    found = json.loads(asked.stdout.readline())
    assert "failed" not in found, found["failed"]
    return found["answers"]


@cache
def _parent_of_askers() -> subprocess.Popen[str]:
    """A process that has loaded the library and opened nothing; it forks once for each request."""
    started = subprocess.Popen(
        [sys.executable, str(Path(__file__))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=environment_for_children(),
    )

    def end() -> None:
        started.communicate(timeout=10)

    atexit.register(end)
    return started


def ask_anew(path: Path, now: str, query: str, *, embedder: str = "none", **options: object) -> Any:
    """One recall in a new process; the rendered block is under "prompt"."""
    answer, prompt = anew(path, now, ("recall", [query], options), ("prompt", [query], options), embedder=embedder)
    return {**answer, "prompt": prompt}


def _answer(request: dict[str, Any]) -> list[object]:
    found: list[object] = []
    with upheld.open(
        request["path"], embedder=embedder_called(request["embedder"]), clock=Clock(at(request["now"]))
    ) as memory:
        for verb, arguments, options in request["calls"]:
            if verb == "prompt":
                found.append(memory.recall(*arguments, **options).prompt())
                continue
            result = getattr(memory, verb)(*arguments, **options)
            found.append(_plain(result))
    return found


def _plain(result: object) -> object:
    if isinstance(result, tuple):
        return [_plain(each) for each in result]
    if isinstance(result, View):
        return msgspec.to_builtins(result) | {"label": result.label}
    return msgspec.to_builtins(result) if isinstance(result, msgspec.Struct) else result


def _answer_all() -> None:
    for line in sys.stdin:
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            continue
        try:
            answered = json.dumps({"answers": _answer(json.loads(line))}, default=str)
        except Exception:  # noqa: BLE001 (the asker is told of any)
            answered = json.dumps({"failed": traceback.format_exc()})
        sys.stdout.write(f"{answered}\n")
        sys.stdout.flush()
        os._exit(0)


if __name__ == "__main__":
    _answer_all()
