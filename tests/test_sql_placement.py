"""SQL stands in .sql files, or named beside the store, whole; and it reads no clock."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest

from tree import QUERIES, every_module, floor, label

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SQL = re.compile(
    r"""^\s*(select\b.+\bfrom\b | insert\s+(or\s+\w+\s+)?into\b | replace\s+into\b | update\s+\w+\s+set\b
          | delete\s+from\b | with\s+(recursive\s+)?\w+\s*(\([^)]*\)\s*)?as\s*\( | pragma\s+\w+
          | (create|drop|alter)\s+(unique\s+|virtual\s+|temp\s+)?(table|index|view|trigger)\b )""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
# Where a transaction begins and ends is for the store's own code to say.
TURN = re.compile(r"^(begin( immediate)?|commit|rollback)$")
SQL_CLOCK = re.compile(
    r"\b(current_(date|time|timestamp)|now\s*\(|clock_timestamp|random(blob)?\s*\()|'now'", re.IGNORECASE
)


def text_of(node: ast.expr) -> str:
    """The literal text of a string or f-string, holes as a question mark; "" for anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) or "?" for part in node.values)
    return ""


def docstrings(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr):
                yield first.value


def named_constants(tree: ast.Module) -> Iterator[ast.expr]:
    """The string values of module-level UPPER_CASE names."""
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = getattr(node, "value", None)
        if value is not None and all(isinstance(name, ast.Name) and name.id.isupper() for name in targets):
            yield from (part for part in ast.walk(value) if isinstance(part, ast.Constant))


def stray_sql(source: str, *, beside_the_store: bool) -> list[str]:
    """SQL that stands where it must not: in the middle of code, or put together from pieces."""
    tree = ast.parse(source)
    excused = {id(node) for node in docstrings(tree)}
    if beside_the_store:
        excused |= {id(node) for node in named_constants(tree)}
    excused |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    literals = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.expr) and id(node) not in excused and SQL.match(text_of(node))
    ]
    composed = [
        node.args[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"execute", "executemany", "executescript"}
        and node.args
        and made_on_the_spot(node.args[0], beside_the_store=beside_the_store)
    ]
    found = {(node.lineno, ast.unparse(node)[:60]) for node in [*literals, *composed]}
    return [f"line {line}: {text}" for line, text in sorted(found)]


def made_on_the_spot(statement: ast.expr, *, beside_the_store: bool) -> bool:
    """Whether what is executed is neither one word, the name of a statement, nor a name or a look-up."""
    if isinstance(statement, ast.Constant):
        words = text_of(statement)
        return not (words.isidentifier() or (beside_the_store and TURN.match(words)))
    return isinstance(statement, ast.JoinedStr | ast.BinOp | ast.Call)


@every_module
def test_sql_stands_in_sql_files_or_in_named_constants_beside_the_store(module: Path) -> None:
    source = module.read_text(encoding="utf-8")
    assert stray_sql(source, beside_the_store=floor(module) == "db") == []


@pytest.mark.parametrize(
    "source",
    [
        'db.execute(f"select * from {table}")',
        'db.execute("select 1")',
        'db.execute("delete from " + table)',
        'db.execute("delete from {}".format(table))',
        'query = "SELECT id FROM note WHERE id = ?"',
        'QUERY = f"select {columns} from note"',
        'def f():\n    return "insert or ignore into note values (?)"',
        'db.executemany("x ?", rows)',
        'db.execute("pragma integrity_check")',
        'x = "with recursive seen(id) as (select 1) select id from seen"',
    ],
)
def test_stray_sql_is_noticed(source: str) -> None:
    assert stray_sql(source, beside_the_store=True)


NAMED = """
"Select the notes from a store."
HEAD = "select max(seq) from log"
db.execute("begin immediate")
db.execute(HEAD)
db.execute(STATEMENTS[name], wanted)
session.execute("links_at", wanted)
advice = "update it, then begin"
"""


def test_named_statements_pass_beside_the_store_and_nowhere_else() -> None:
    assert stray_sql(NAMED, beside_the_store=True) == []
    assert len(stray_sql(NAMED, beside_the_store=False)) == 2


def clocks_in_sql(text: str) -> list[str]:
    statements = re.sub(r"--[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    return [found.group() for found in SQL_CLOCK.finditer(statements)]


@pytest.mark.parametrize("queries", QUERIES, ids=label)
def test_no_sql_reads_a_clock_or_rolls_a_die(queries: Path) -> None:
    assert clocks_in_sql(queries.read_text(encoding="utf-8")) == []


def test_a_clock_in_sql_is_noticed() -> None:
    for text in ("select now()", "select CURRENT_TIMESTAMP", "select datetime('now')", "order by random()"):
        assert clocks_in_sql(text)
    assert clocks_in_sql("-- known by now\nselect known_at from note") == []
