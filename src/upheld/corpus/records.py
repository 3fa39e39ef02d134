"""Reads JSON, YAML, TOML and tables of values as lines that say one thing each: `plans.Pro.price: 20`.

An element of a list goes by the name it gives itself (name, id, key, ...), so that its lines stay the same when the
list is reordered, else by its number from 1. A table's row is one line under its header.
"""

from __future__ import annotations

import csv
import io
import json
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from itertools import chain, islice
from typing import Any

from upheld.corpus.blocks import MAX_BLOCKS, Kind, Page, Sheet, one_line
from upheld.errors import Invalid, Misconfigured

MAX_DEPTH = 64

_NAMES = ("name", "id", "key", "slug", "title", "label")
_LONGEST_NAME = 80
_LONGEST_CELL = 1024**2
_FEW = 20  # so many values of a list are one line
_SAMPLE = 64 * 1024


def read_json(text: str) -> Page:
    """The page of a JSON text."""
    try:
        return _page(json.loads(text, parse_constant=str))
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise Invalid(f"the JSON is damaged: {error}") from None


def read_json_lines(text: str) -> Page:
    """The page of a text with one JSON value a line; blank lines count for nothing."""
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                found.append(json.loads(line, parse_constant=str))
            except RecursionError:
                raise _too_deep() from None
            except ValueError as error:
                raise Invalid(f"the JSON of line {number} is damaged: {error}") from None
    return _page(found)


def read_toml(text: str) -> Page:
    """The page of a TOML text."""
    try:
        return _page(tomllib.loads(text))
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise Invalid(f"the TOML is damaged: {error}") from None


def read_yaml(text: str) -> Page:
    """The page of a YAML text, of all its documents. Scalars stay as written; collections are not aliased."""
    try:
        import yaml  # type: ignore[import-untyped]
    except ImportError:
        raise Misconfigured("YAML needs PyYAML: pip install pyyaml") from None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        found = list(_documents(yaml.parse(text, Loader=loader)))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Invalid(f"the YAML is damaged: {' '.join(str(error).split())[:200]}") from None
    return _page(found[0] if len(found) == 1 else found)


def _documents(events: Iterator[Any]) -> Iterator[object]:
    """What each document holds, without building objects of its types: no tag is obeyed, no collection copied."""
    from yaml import events as kinds

    open_nodes: list[list[object]] = []
    is_map: list[bool] = []
    scalars: dict[str, object] = {}
    for count, event in enumerate(events):
        if count > 4 * MAX_BLOCKS:
            raise Invalid("the YAML has too many parts; split it")
        match event:
            case kinds.MappingStartEvent() | kinds.SequenceStartEvent():
                open_nodes.append([])
                is_map.append(isinstance(event, kinds.MappingStartEvent))
                if len(open_nodes) > MAX_DEPTH:
                    raise _too_deep()
                continue
            case kinds.MappingEndEvent() | kinds.SequenceEndEvent():
                parts = open_nodes.pop()
                made: object = parts
                if is_map.pop():
                    made = dict(zip(map(_leaf, parts[::2]), parts[1::2], strict=True))
            case kinds.ScalarEvent():
                made = None if event.implicit[0] and event.value in ("", "~", "null") else event.value
                if event.anchor:
                    scalars[event.anchor] = made
            case kinds.AliasEvent():
                made = scalars.get(event.anchor, f"*{event.anchor}")
            case _:
                continue
        if open_nodes:
            open_nodes[-1].append(made)
        else:
            yield made


def read_table(text: str) -> Page:
    """The page of comma, semicolon or tab separated values; the first row is the header."""
    sample = text[:_SAMPLE]
    first = sample.partition("\n")[0]
    delimiter = max(",;\t|", key=first.count)
    sheet = Sheet()
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    try:
        for number, row in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)):
            cells = [" ".join(cell.split()).replace("|", "\\|") for cell in row]
            line = " | ".join(cells)
            if any(cells):
                kind = Kind.ROW if number else Kind.HEADER
                sheet.add(kind, line, label="" if number else one_line(line))
    except csv.Error as error:
        raise Invalid(f"the table is damaged: {error}") from None
    return sheet.page()


def _page(found: object) -> Page:
    sheet = Sheet()
    for path, value in _lines(found, "", 0):
        sheet.add(Kind.ROW, f"{path}: {value}" if path else value)
    top = found if isinstance(found, Mapping) else {}
    head = {str(name): _leaf(value) for name, value in top.items() if isinstance(value, str | date)}
    return sheet.page(head)


def _lines(value: object, path: str, depth: int) -> Iterator[tuple[str, str]]:
    if depth > MAX_DEPTH:
        raise _too_deep()
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _lines(inner, _join(path, str(name)), depth + 1)
    elif isinstance(value, list):
        if len(value) <= _FEW and not any(isinstance(one, Mapping | list) for one in value):
            yield from [(path, ", ".join(map(_leaf, value)))] if value else []
            return
        for number, inner in enumerate(value, start=1):
            yield from _lines(inner, _join(path, _own_name(inner) or str(number)), depth + 1)
    else:
        yield path, _leaf(value)


def _join(path: str, name: str) -> str:
    return f"{path}.{one_line(name)}" if path else one_line(name)


def _own_name(value: object) -> str:
    if not isinstance(value, Mapping):
        return ""
    named = (value[name] for name in _NAMES if name in value)
    return next((str(one) for one in islice(chain(named), 1) if _is_name(one)), "")


def _is_name(value: object) -> bool:
    return isinstance(value, str | int) and 0 < len(str(value)) <= _LONGEST_NAME and "\n" not in str(value)


def _leaf(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return str(value)


def _too_deep() -> Invalid:
    return Invalid(f"the document is nested more than {MAX_DEPTH} levels deep")
