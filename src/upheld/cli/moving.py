"""The commands that move notes in and out: import, export, reembed."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from upheld.cli.command import Command
from upheld.cli.desk import INTERRUPTED, Desk
from upheld.cli.options import option
from upheld.errors import Conflict, Invalid, UpheldError
from upheld.note import Channel, Written

if TYPE_CHECKING:
    from upheld.importers import Entry, Result
    from upheld.memory import Memory

_SHOWN = 20
_SUSPECT = 10


@dataclass(slots=True)
class Tally:
    """What is known to have come of an import so far, so that an interruption can show it."""

    outcomes: Counter[str] = field(default_factory=Counter)
    retracted: int = 0
    dated_today: int = 0
    errors: list[tuple[str, UpheldError]] = field(default_factory=list)

    def count(self, result: Result) -> None:
        """Add one result."""
        self.outcomes[result.outcome] += 1
        self.retracted += len(result.retracted)
        if isinstance(result.taken, Written) and (begun := result.taken.note.event_time) is not None:
            self.dated_today += begun.date() == result.taken.note.recorded_at.date()
        if isinstance(result.taken, UpheldError):
            self.errors.append((result.place, result.taken))

    def shaped(self, *, written: bool) -> dict[str, Any]:
        """As it leaves as JSON."""
        from upheld.wire import error_of

        return {
            "written": written,
            "outcomes": dict(sorted(self.outcomes.items())),
            "retracted": self.retracted,
            "dated_today": self.dated_today,
            "errors": [{"place": place, **error_of(error)} for place, error in self.errors],
        }


def import_(
    desk: Desk,
    *,
    path: Annotated[
        str,
        typer.Argument(
            metavar="FILE|FOLDER",
            help='JSON Lines (also .gz), a Markdown file, or a folder of such; "-" reads lines from standard input.',
            show_default=False,
        ),
    ],
    scope: Annotated[
        str | None, option("--scope", metavar="PREFIX", help="Goes before the scope of each draft, or folder.")
    ] = None,
    trust: Annotated[
        Channel, option("--trust", help="No draft may claim a channel above this one. Default: tool")
    ] = Channel.TOOL,
    strict: Annotated[bool, option("--strict", help="Write nothing if any line is bad.")] = False,
    dry_run: Annotated[bool, option("--dry-run", help="Write nothing; say what would come of it.")] = False,
    again: Annotated[bool, option("--again", help="Take lines that were taken in before as said anew.")] = False,
) -> None:
    """Take in drafts, Markdown entries or a whole log.

    A bad line is reported and the others go on. The same file again changes nothing, so an import of drafts that was
    interrupted goes on with the same command. A log, as export gives it, goes into an empty store; it keeps the
    channels that it has, so it needs --trust system_of_record.
    """
    source = _Source(path, scope)
    if strict or dry_run:
        before = source.fingerprint()
        tally = Tally()
        with desk.trial() as memory:
            _take_in(desk, memory, source.entries(), tally, trust, again=again)
        if dry_run or tally.errors:
            _report(desk, tally, written=False)
            return
        if source.fingerprint() != before:
            raise Conflict(f"{path} changed while it was checked; nothing was written")
    tally, entries = Tally(), source.entries()
    with desk.memory(make=True, embeds=True) as memory:
        try:
            _take_in(desk, memory, entries, tally, trust, again=again)
        except KeyboardInterrupt:
            _report(desk, tally, written=True, ended=False)
            desk.say(
                "interrupted: what is counted above is in the store. The same command goes on; a log needs a new store",
                "yellow",
            )
            raise typer.Exit(INTERRUPTED) from None
    _report(desk, tally, written=True)


class _Source:
    """The files of an import, which may be read twice."""

    def __init__(self, path: str, scope: str | None) -> None:
        self._path = path
        self._scope = scope

    def entries(self) -> Iterator[Entry]:
        from upheld.importers import jsonl, read

        if self._path == "-":
            return jsonl.read_stream(sys.stdin.buffer, "standard input", scope=self._scope)
        if not Path(self._path).exists() and not Path(self._path).is_symlink():
            raise Invalid(f"there is no file or folder {self._path}")
        return read(Path(self._path), scope=self._scope)

    def fingerprint(self) -> list[tuple[str, int, int]]:
        """What tells that a file changed: its size and when it was written."""
        if self._path == "-":
            raise Invalid("standard input can be read only once; --strict and --dry-run need a file")
        path = Path(self._path)
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        found = [(str(file), file.lstat()) for file in files if file.exists()]
        return [(name, stat.st_size, stat.st_mtime_ns) for name, stat in found]


def _take_in(
    desk: Desk, memory: Memory, entries: Iterator[Entry], tally: Tally, trust: Channel, *, again: bool
) -> None:
    from upheld.importers import take_in

    with desk.progress("importing") as tick:
        for result in take_in(memory, entries, trust=trust, again=again, progress=lambda done: tick(done, None)):
            tally.count(result)


def _report(desk: Desk, tally: Tally, *, written: bool, ended: bool = True) -> None:
    desk.show(tally.shaped(written=written), lambda show: show.tallied(tally.outcomes, tally.retracted))
    if not desk.options.as_json:
        for place, error in tally.errors[:_SHOWN]:
            desk.say(f"{place}: {error}", "red")
        if len(tally.errors) > _SHOWN:
            desk.say(f"and {len(tally.errors) - _SHOWN:,} more errors; --json lists them all", "red")
        if tally.dated_today >= _SUSPECT and 2 * tally.dated_today > tally.outcomes.total():
            desk.say(
                f"{tally.dated_today:,} entries are dated today; if that is only when the file was made, "
                "leave their times out: an unknown time never beats a known one",
                "yellow",
            )
        if not written:
            desk.say("nothing was written", "yellow")
    if tally.errors and ended:
        raise typer.Exit(1)


def export(
    desk: Desk,
    *,
    current: Annotated[bool, option("--current", help="Only the notes that are in force now.")] = False,
    output: Annotated[Path | None, option("-o", "--output", metavar="FILE", help="Write there.")] = None,
) -> None:
    """Print the whole log as JSON Lines, oldest first.

    The whole log holds the text of notes that no longer stand: it is for backup and audit, not for a model.
    """
    from upheld.wire import dumps, line_object

    count = 0
    if output is not None:
        desk.destination(output)
    with desk.memory() as memory, _written_to(output) as file:
        for line in memory.export(current=current):
            file.write(dumps(line_object(line)) + "\n")
            count += 1
    if output is not None:
        desk.show({"lines": count, "file": str(output)}, lambda show: show.line(f"{count:,} lines in {output}"))


@contextmanager
def _written_to(path: Path | None) -> Iterator[Any]:
    """Standard output, or a file that is there wholly or not at all."""
    if path is None:
        yield sys.stdout
        return
    special = path.exists() and not (path.is_file() or path.is_dir())
    whole = path.resolve()
    # A device or a pipe is written to, never put away.
    part = path if special else whole.with_name(f"{whole.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            if not special:
                os.fsync(file.fileno())
        if not special:
            part.replace(whole)
    except OSError as error:
        raise Invalid(f"cannot write {path}: {error.strerror}") from None
    finally:
        if not special:
            part.unlink(missing_ok=True)


def reembed(desk: Desk) -> None:
    """Make every vector again with the embedding model.

    Interrupted, it goes on where it stopped.
    """
    from upheld.opening import reembed as make_again

    desk.require_store()
    with desk.progress("embedding") as tick:
        made = make_again(desk.store, progress=tick)
    desk.show({"vectors": made}, lambda show: show.line(f"{made:,} vectors were made"))


COMMANDS = (Command("import", import_), Command("export", export), Command("reembed", reembed))
