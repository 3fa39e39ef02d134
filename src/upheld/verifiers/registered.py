"""The verifiers of a store, from its policy's [verifiers] tables and from what it is opened with.

Each source has one verifier: however its attributes were registered, it is asked once about a subject.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, TypeAlias, TypeGuard, cast

from upheld import limits
from upheld.errors import Invalid, Misconfigured
from upheld.owners import Anchor, Owners
from upheld.policy import duration
from upheld.ports import Verifier
from upheld.values import canonical_name
from upheld.verifiers.function import reading, sure_function
from upheld.verifiers.http_json import TIMEOUT_S, HttpJson
from upheld.verifiers.joined import Joined

Given: TypeAlias = Verifier | Callable[[str], object]
"""A verifier, or a function from a subject to the value that its system holds for it."""

# What a table may hold, by the key that says what it is.
KEYS: Mapping[str, frozenset[str]] = MappingProxyType({
    "use": frozenset({"source"}),
    "http": frozenset({"pointer", "token_env", "header", "allow_private", "timeout", "source"}),
    "sql": frozenset({"database", "database_env", "timeout", "source"}),
    "manifest": frozenset({"source"}),
    "cites": frozenset({"at", "source"}),
})  # fmt: skip


def owners(tables: Mapping[str, Mapping[str, Any]], given: Mapping[str, Given] | None = None) -> Owners:
    """Make the verifiers that a policy's tables describe, and add those in `given`, which win.

    Both are by attribute; of a table for what notes cite, the name is free. `use` imports a module that the policy
    names, and runs it: a policy is code, and comes from whoever runs the store. Raises `Misconfigured`, naming the
    table, the key and the fix, for whatever cannot work; asks no system yet.

    >>> found = owners({"plan_tier": {"http": "https://billing.example/users/{subject}", "pointer": "/plan"}},
    ...     {"seats": lambda subject: 12})
    >>> {name: verifier.source for name, verifier in found.by_attribute.items()}
    {'plan tier': 'billing.example', 'seats': 'seats'}
    """
    if given is not None and not isinstance(given, Mapping):
        raise Misconfigured("verifiers must be a mapping from attributes to verifiers or functions")
    in_code = _by_name(given or {}, "verifiers[{!r}]")
    in_tables = {name: each for name, each in _by_name(tables, "[verifiers.{}]").items() if name not in in_code}
    made: dict[str, Verifier] = _from_tables(in_tables)
    for name, (where, each) in in_code.items():
        made[name] = _verifier(where, name, each)
    anchors: list[Anchor] = [each for each in made.values() if _is_anchor(each)]
    by_attribute = {name: each for name, each in made.items() if not _is_anchor(each)}
    _sure_sources_differ(by_attribute, anchors)
    return Owners(by_attribute=_one_for_each_source(by_attribute), anchors=tuple(anchors))


def _by_name(listed: Mapping[str, Any], where: str) -> dict[str, tuple[str, Any]]:
    """What is registered by canonical attribute, with where it stands."""
    found: dict[str, tuple[str, Any]] = {}
    for name, each in listed.items():
        place = where.format(name)
        canonical = canonical_name(name) if isinstance(name, str) else ""
        if not canonical:
            raise Misconfigured(f"{place} needs the name of an attribute")
        if canonical in found:
            raise Misconfigured(f"{place} and {found[canonical][0]} are one attribute, {canonical!r}; keep one of them")
        found[canonical] = (place, each)
    return found


# --- in code -------------------------------------------------------------------------------------


def _verifier(where: str, source: str, given: object) -> Verifier:
    """A verifier as it is; a function as a verifier of this source."""
    if _is_verifier(given):
        with _at(where):
            limits.name(given.source, "source")
        return given
    with _at(where):
        sure_function(given)
        return reading(cast("Callable[[str], object]", given), source=source)


def _is_verifier(given: object) -> TypeGuard[Verifier]:
    return not isinstance(given, type) and callable(getattr(given, "verify", None)) and hasattr(given, "source")


def _is_anchor(given: object) -> TypeGuard[Anchor]:
    return callable(getattr(given, "covers", None))


# --- in tables -----------------------------------------------------------------------------------


def _from_tables(tables: Mapping[str, tuple[str, Mapping[str, Any]]]) -> dict[str, Verifier]:
    made: dict[str, Verifier] = {}
    same: dict[str, Verifier] = {}  # by settings: one query may answer several attributes
    # Attributes of one URL and one way to ask it share a verifier, so that one request answers all of them.
    asked_alike: dict[tuple[str, tuple[tuple[str, Any], ...]], list[str]] = {}
    for name, (where, table) in tables.items():
        form = _form(where, table)
        with _at(where):
            if form == "http":
                if not isinstance(table.get("pointer"), str):  # an empty one is the whole document
                    _needed(table, "pointer", "a JSON pointer to the value, like '/plan/tier'")
                alike = (_needed(table, "http", "a URL"), tuple(_http_settings(table).items()))
                asked_alike.setdefault(alike, []).append(name)
            else:
                key = repr(sorted(table.items()))
                made[name] = same[key] = same.get(key) or _MAKERS[form](table)
    for (url, settings), names in asked_alike.items():
        pointers = {name: tables[name][1]["pointer"] for name in names}
        with _at(" and ".join(tables[name][0] for name in names)):
            made |= dict.fromkeys(names, HttpJson(url, pointers, **dict(settings)))
    return {name: made[name] for name in tables}


def _form(where: str, table: Mapping[str, Any]) -> str:
    """The key that says what a table is; refuses keys that mean nothing beside it."""
    forms = [form for form in KEYS if form in table]
    if len(forms) != 1:
        said = f"has {' and '.join(forms)}; keep one" if forms else f"says no way to ask; give one of {', '.join(KEYS)}"
        raise Misconfigured(f"{where} {said}")
    known = KEYS[forms[0]] | {forms[0]}
    if unknown := sorted(set(table) - known):
        raise Misconfigured(f"{where} has an unknown key {unknown[0]!r}; known beside {forms[0]}: {sorted(known)}")
    return forms[0]


def _http_settings(table: Mapping[str, Any]) -> dict[str, Any]:
    private = table.get("allow_private", False)
    if not isinstance(private, bool):
        raise Misconfigured("allow_private must be true or false")
    named = {key: _text(table, key) for key in ("token_env", "header", "source")}
    return {**named, "allow_private": private, "timeout_s": _timeout_s(table)}


def _timeout_s(table: Mapping[str, Any]) -> float:
    if "timeout" not in table:
        return TIMEOUT_S
    length = duration(_needed(table, "timeout", "a duration like '2s'"))
    if length is None:
        raise Misconfigured("timeout must be a duration like '2s'; 'never' would wait without end")
    return length.total_seconds()


def _used(table: Mapping[str, Any]) -> Verifier:
    named = _needed(table, "use", "'module:name'")
    module_name, _, name = named.partition(":")
    if not all(part.isidentifier() for part in [*module_name.split("."), *name.split(".")]):
        raise Misconfigured(f"use = {named!r} must be 'module:name'")
    found = _imported(module_name)
    for part in name.split("."):
        if not hasattr(found, part):
            raise Misconfigured(f"use = {named!r}: {module_name} has no {name!r}")
        found = getattr(found, part)
    source = _text(table, "source")
    if _is_verifier(found) and source is not None:
        raise Misconfigured(f"source: the verifier {named!r} has a source of its own, {found.source!r}; leave it out")
    return _verifier(f"use = {named!r}", source or module_name, found)


def _imported(module: str) -> object:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = error.name or module
        needs = "" if module == missing or module.startswith(f"{missing}.") else f", which {module} needs"
        raise Misconfigured(f"there is no module {missing!r}{needs}; install it, or put it on PYTHONPATH") from error
    except Exception as error:
        raise Misconfigured(f"the module {module!r} cannot be imported ({type(error).__name__})") from error


def _sql(table: Mapping[str, Any]) -> Verifier:
    from upheld.verifiers.sql import Sql

    given = [key for key in ("database", "database_env") if key in table]
    if len(given) != 1:
        raise Misconfigured("sql needs either database or database_env (an environment variable with its address)")
    database = _needed(table, given[0], "the address of a database")
    if given[0] == "database_env":
        variable, database = database, os.environ.get(database, "")
        if not database:
            raise Misconfigured(f"database_env: the environment variable {variable} is not set")
    query = _needed(table, "sql", "a query")
    return Sql(database, query, source=_text(table, "source"), timeout_s=_timeout_s(table))


def _manifest(table: Mapping[str, Any]) -> Verifier:
    from upheld.verifiers.manifests import ManifestVersion

    return ManifestVersion(
        _needed(table, "manifest", "the path of a file or folder"), source=_text(table, "source") or ""
    )


def _cites(table: Mapping[str, Any]) -> Verifier:
    from upheld.verifiers.files import FileAnchor

    folder = _needed(table, "cites", "the path of a folder")
    return FileAnchor(folder, at=_text(table, "at"), source=_text(table, "source") or "")


_MAKERS: Mapping[str, Callable[[Mapping[str, Any]], Verifier]] = MappingProxyType(
    {"use": _used, "sql": _sql, "manifest": _manifest, "cites": _cites}
)


def _text(table: Mapping[str, Any], key: str) -> str | None:
    return None if key not in table else _needed(table, key, "a text")


def _needed(table: Mapping[str, Any], key: str, what: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value.strip():
        raise Misconfigured(f"{key} must be {what}" if key in table else f"{key} is missing: {what}")
    return value


# --- together ------------------------------------------------------------------------------------


def _one_for_each_source(by_attribute: Mapping[str, Verifier]) -> dict[str, Verifier]:
    """The same attributes, with one verifier for all of a source."""
    parts: dict[str, dict[str, Verifier]] = {}
    for name, each in by_attribute.items():
        parts.setdefault(each.source, {})[name] = each
    asked_as = {
        source: next(iter(each.values())) if len({id(part) for part in each.values()}) == 1 else Joined(source, each)
        for source, each in parts.items()
    }
    return {name: asked_as[each.source] for name, each in by_attribute.items()}


def _sure_sources_differ(by_attribute: Mapping[str, Verifier], anchors: Sequence[Anchor]) -> None:
    """Refuse a source that is asked by attribute and by what notes cite, or by that twice: its window would be one."""
    taken = {each.source for each in by_attribute.values()}
    for anchor in anchors:
        if anchor.source in taken:
            raise Misconfigured(f"two verifiers have the source {anchor.source!r}; give one of them another")
        taken.add(anchor.source)


@contextmanager
def _at(where: str) -> Iterator[None]:
    """Say in an error where the setting stands."""
    try:
        yield
    except (Invalid, Misconfigured) as error:
        raise Misconfigured(f"{where}: {error}") from error.__cause__
