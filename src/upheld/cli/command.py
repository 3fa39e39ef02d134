"""Commands: functions, made into those of typer with the shared options and one way to end; and groups of them."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import typer
from typer.core import TyperGroup

from upheld.cli.desk import BROKEN_PIPE, INTERRUPTED, Desk
from upheld.cli.options import COMMON, GROUPS, Options
from upheld.errors import Unavailable

_CONTEXT = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)


@dataclass(frozen=True, slots=True)
class Command:
    """A function whose parameters are options and arguments; `desk` and the names of groups stand for options."""

    name: str
    function: Callable[..., None]

    @property
    def parameters(self) -> tuple[inspect.Parameter, ...]:
        """What the command takes: its own first, the common options last."""
        own = inspect.signature(self.function, eval_str=True).parameters.values()
        expanded = [each for one in own if one.name != "desk" for each in GROUPS.get(one.name, (one,))]
        return (*(one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in expanded), *COMMON)

    def add_to(self, app: typer.Typer) -> None:
        """Give the command to an application."""
        app.command(self.name)(self._called())

    def _called(self) -> Callable[..., None]:
        taken = inspect.signature(self.function).parameters

        @wraps(self.function)
        def call(context: typer.Context, **given: Any) -> None:
            common = Options(**{one.name: given.pop(one.name) for one in COMMON})
            for group in GROUPS.keys() & taken.keys():
                given[group] = {one.name: given.pop(one.name) for one in GROUPS[group]}
            run(Desk(common.over(context.obj)), self.function, given)

        parameters = (_CONTEXT, *self.parameters)
        call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {one.name: one.annotation for one in parameters}
        return call


@dataclass(frozen=True, slots=True)
class Group:
    """Commands under one name. Where no command is named after it, `alone` is meant."""

    name: str
    help: str
    commands: tuple[Command, ...]
    alone: str | None = None

    def add_to(self, app: typer.Typer) -> None:
        """Give the commands to an application."""
        group = typer.Typer(
            name=self.name,
            help=self.help,
            cls=_group(self.alone),
            no_args_is_help=self.alone is None,
            rich_markup_mode=None,
        )
        for command in self.commands:
            command.add_to(group)
        app.add_typer(group)


def _group(alone: str | None) -> type[TyperGroup]:
    class Named(TyperGroup):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            option_first = args[:1] and args[0].startswith("-") and args[0] not in ctx.help_option_names
            # A shell that completes asks what could follow.
            if alone is not None and not ctx.resilient_parsing and (not args or option_first):
                args = [alone, *args]
            return super().parse_args(ctx, args)

    return Named


def run(desk: Desk, function: Callable[..., None], given: dict[str, Any]) -> None:
    """Run a command at a desk; every error becomes one line on stderr and an exit code."""
    try:
        function(desk, **given)
        sys.stdout.flush()
    except (typer.Exit, typer.Abort, typer.BadParameter):
        raise
    except BrokenPipeError:
        # The reader went away. What is still buffered has nowhere to go, and must not fail once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(BROKEN_PIPE) from None
    except KeyboardInterrupt:
        desk.say("interrupted", "yellow")
        raise typer.Exit(INTERRUPTED) from None
    except OSError as error:
        # The disk that the output goes to is full, or a file that a command reads cannot be read: no fault of ours.
        where = "" if error.filename is None else f" {error.filename}"
        desk.end(Unavailable(f"cannot read or write{where or ' the output'}: {error.strerror}"))
    except Exception as error:  # noqa: BLE001 - the last line of defence: nobody should see a stack trace
        desk.end(error)
