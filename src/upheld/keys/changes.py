"""Changes: *moved (Y) (from W) to Z* states the new value under the key that the old one had."""

from __future__ import annotations

from typing import Final

from upheld.keys.meaning import HELD_NOUNS, MOVES, VALUE_CHANGES, technology_or_place, when
from upheld.keys.result import Extracted, Topic, stated, without_article
from upheld.keys.subjects import about
from upheld.keys.words import DETERMINERS, LEMMAS, NOUNS_TOO

__all__ = ["changed"]

_MANNERS: Final = frozenset(("up", "down", "back", "forward", "over"))


def changed(topic: Topic, lemma: str, rest: list[str]) -> Extracted | None:
    """The new value; None where the words state no change, or deny one.

    Where nothing but the value shows what moved, a date, a plan, a well-known tool or place does; otherwise the
    attribute is *moved to*, a key of its own.
    """
    found = None if topic.denied else _target(lemma, rest)
    if found is None:
        return None
    moved, target = found
    subject, attribute = topic.subject, topic.attribute
    if moved:  # "we moved the meeting to Friday": the meeting did
        whose = about(moved)
        if whose is None:
            return None
        subject, attribute = whose
    purpose = ""
    if lemma in MOVES and "for" in target[1:-1]:
        cut = target.index("for", 1)
        purpose, target = without_article(target[cut + 1 :]), target[:cut]
    if lemma == "rename":
        attribute = f"{attribute} name".lstrip()
    if attribute:
        return stated(subject, attribute, target)
    if kind := when(target):
        return stated(subject, kind, target)
    if target[-1] in HELD_NOUNS and len(target) > 1:
        return stated(subject, target[-1], target[1:-1] if target[0] in DETERMINERS else target[:-1])
    if lemma in VALUE_CHANGES:
        return stated(subject, "is", target)
    if purpose:
        own = subject in ("i", "we")
        return stated(purpose if own else subject, "use for" if own else f"use for {purpose}", target)
    if lemma == "reassign":
        return stated(subject, "assigned to", target)
    phrase = "use" if lemma in ("switch", "migrate", "convert") else technology_or_place(target)
    return stated(subject, phrase or "moved to", target)


def _target(lemma: str, rest: list[str]) -> tuple[list[str], list[str]] | None:
    """What moved, if the words name it, and where to."""
    if lemma in ("go", "push") and rest[0] not in ("up", "down", "from", "back"):
        return None
    source = rest.index("from") if "from" in rest[:-1] else -1
    links = ("to", "for") if lemma in ("set", "reschedule") else ("to",)
    for at in range(source + 1, len(rest) - 1):
        if rest[at] in links:
            break
    else:
        return None
    target = rest[at + 1 :]
    if target[0] in LEMMAS and len(target) > 1 and target[0] not in NOUNS_TOO:
        return None  # "changed the job to run nightly"
    moved = rest[: source if source >= 0 else at]
    if moved[:1] == ["by"]:
        moved = []  # "increased by 5% to 2 euros": the step, not what moved
    moved = [word for word in moved if word not in _MANNERS and word[-2:] != "ly"]
    return moved, target
