"""The figures as a person reads them: one table, a row a figure, a column a size."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table


def print_figures(suite: str, figures: Mapping[str, Any], facts: Mapping[str, Any], rows: Path) -> None:
    """Print a run's figures, what it ran on, and where its rows are."""
    console = Console(highlight=False, markup=False, emoji=False)
    sizes: Mapping[str, Mapping[str, Any]] = figures.get("sizes", {"": figures})
    table = Table(title=suite, title_justify="left", show_header="" not in sizes)
    table.add_column("")
    for size in sizes:
        table.add_column(size, justify="right")
    for name in dict.fromkeys(name for found in sizes.values() for name in found):
        table.add_row(name, *(shown(found.get(name)) for found in sizes.values()))
    console.print(table)
    console.print("; ".join(f"{name}: {shown(value)}" for name, value in facts.items()), style="dim", soft_wrap=True)
    console.print(f"rows: {rows}", style="dim", soft_wrap=True)


_FEW = 3


def shown(value: object) -> str:
    """A figure in a cell: numbers with separators, an interval with both ends, longer lists as how many.

    >>> shown(1234567), shown(0.25), shown(None), shown(["a", "b"]), shown([0, 0.09]), shown({"a": 1})
    ('1,234,567', '0.25', '-', '2 listed', '0 to 0.09', 'a 1')
    """
    if value is None:
        return "-"
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {shown(each)}" for name, each in value.items())
    if isinstance(value, list | tuple):
        numbers = len(value) <= _FEW and all(isinstance(each, int | float) for each in value)
        return " to ".join(map(shown, value)) if value and numbers else f"{len(value)} listed"
    return str(value)
