"""The source tree, as the tests about its shape look at it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "upheld"
MODULES = sorted(PACKAGE.rglob("*.py"))
QUERIES = sorted(PACKAGE.rglob("*.sql"))


def floor(module: Path) -> str:
    """The direct child of the package that a module is or belongs to."""
    return module.relative_to(PACKAGE).parts[0].removesuffix(".py")


def label(module: Path) -> str:
    return module.relative_to(PACKAGE).as_posix()


def dotted(node: ast.expr) -> str:
    """`a.b.c` of an attribute chain, "" for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return ""


every_module = pytest.mark.parametrize("module", MODULES, ids=label)
