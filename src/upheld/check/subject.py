"""What stands above a statement and above a passage, and whether it shows that they speak of different things.

"Database: MongoDB" below *Orders* and "Database: PostgreSQL" below *Billing* do not contradict each other, though
their own words do. Headings that name no thing of their own (*Setup*, *Commands*) tell nothing apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from upheld.judges.lexicon import LIGHT, NEUTRAL
from upheld.judges.tokens import stem, tokens

_WHOLE = """
    about adr adrs agent agents api apis app application applications apps architecture basic basics best build building
    changelog changes claude code codebase coding command commands common component components config configuration
    context convention conventions cursorrules data database databases decision decisions default defaults dependencies
    dependency deploy deploying deployment deployments design details dev developer developers developing development
    doc docs documentation document documents env environment environments fact facts faq general getting guide
    guideline guidelines guides handbook how important index infra infrastructure info information install installation
    instruction instructions introduction issues key known library libraries limit limits local log logging main manual
    memories memory misc miscellaneous module modules monitoring networking note notes operations ops option options
    other overview package packages page performance policies policy port ports practices preferences prerequisites
    process project projects quick readme record records reference release releases repo repository requirement
    requirements rule rules run runbook running section security server servers service services setting settings setup
    spec specification specs stack standard standards start started state status storage style styles summary system
    systems team tech technologies technology test testing tests thing things timeout timeouts tool toolchain tooling
    tools usage use using version versions workflow workflows
"""
# Words of headings that name no thing of their own.
_TELLS_NOTHING = frozenset(map(stem, (*_WHOLE.split(), *LIGHT, *NEUTRAL)))
_NAME_PARTS = re.compile(r"[\W_]+")
_MOST_LEAD_WORDS = 4


@lru_cache(maxsize=4096)
def told(text: str) -> frozenset[str]:
    """The stems of a text that may tell one thing from another.

    >>> sorted(told("Setup of the orders service"))
    ['order']
    """
    return frozenset(token.key for token in tokens(text[:4096]) if token.is_content) - _TELLS_NOTHING


def named(headings: Sequence[str]) -> str | None:
    """The innermost heading that names a thing; table headers and lead-ins do not.

    >>> named(("Acme shop", "Orders service", "Storage", "Setting | Value"))
    'Orders service'
    """
    return next((label for label in map(_label, reversed(headings)) if label and told(label)), None)


def of_file(name: str) -> str:
    """What a file's name says, as words; numbers and parts of one or two letters say nothing.

    >>> of_file("docs/2026-05_billing-limits.v2.md")
    'billing limits'
    """
    return " ".join(part for part in _NAME_PARTS.split(PurePosixPath(name).stem) if part.isalpha() and len(part) > 2)


def apart(
    statement: str, above: Sequence[str], file: str, *, label: bool, passage: str, over: Sequence[str]
) -> str | None:
    """The heading that shows that a statement and a passage speak of different things, if one does.

    `above` are the headings of the statement and `over` those of the passage, its document's name among them. `label`
    says that the statement names no subject of its own ("Port: 8080"): then a passage that nothing stands over, and
    that does not name the statement's heading, is no match either.
    """
    heading = named(above)
    mine = heading if heading is not None else of_file(file)
    wanted = told(mine)
    if not wanted or wanted & (told(passage) | _all_told(over)):
        return None
    others = _all_told(label for label in map(_label, over) if label) - told(statement)
    alone = label and heading is not None and heading != above[0]
    return mine if others or alone else None


def _all_told(labels: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*map(told, labels))


def _label(heading: str) -> str | None:
    """A heading as a name: not the header of a table, and not a sentence that leads over to what follows."""
    if " | " in heading:
        return None
    if heading.endswith(":"):
        heading = heading[:-1].rstrip("*_ ")
        return heading if len(heading.split()) <= _MOST_LEAD_WORDS else None
    return heading
