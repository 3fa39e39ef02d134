"""The skeleton of one clause: where its subject ends, what its verb is, and where its value ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from upheld.keys.beside import told
from upheld.keys.copula import been
from upheld.keys.meaning import CHANGES, when
from upheld.keys.subjects import in_title
from upheld.keys.verbs import acted
from upheld.keys.words import (
    ADVERBS,
    BASE,
    BE,
    CAN,
    DEGREES,
    DETERMINERS,
    DO,
    END,
    HAVE,
    JOIN,
    KINDS,
    NOUNS_TOO,
    PARTICIPLES,
    PAST,
    PREPOSITIONS,
    PRONOUN,
    RELATIVE,
    THAN,
    THIRD,
    VERB,
    WILL,
)  # fmt: skip

if TYPE_CHECKING:
    from upheld.keys.result import Extracted

__all__ = ["parse"]

_AFTER_VERB: Final = frozenset(("on", "at", "in", "to", "for", "with"))
_AFTER_NOUN: Final = frozenset(("for", "with", "during"))
_MONEY: Final = frozenset("$€£")
# Of the nouns that are verbs too, those that go with *for* and *with* as verbs; "support for" and "limits with" do not.
_ACTS_FOR: Final = frozenset((
    "work", "vote", "pay", "play", "stand", "wait", "search", "run", "swim", "charge", "start", "end", "ship", "talk",
    "trade",
))  # fmt: skip
# "passed by", "rose by": forms that are no passive participle in front of *by*
_PASSING_BY: Final = CHANGES | {"pass", "stand", "come", "go", "live", "stop", "sit", "run", "fly", "walk", "swim"}
_BEFORE_VERB: Final = ADVERBS | {"no", "longer", "never"}
_SELF: Final = frozenset(("I", "i", "We", "we"))


def parse(words: list[str]) -> Extracted | None:
    """The key of one clause, or None. Final punctuation and openers are gone; the words are as written.

    The last *is* or *was* outside a reason clause splits the clause, so that titles may hold one; a full verb
    counts where it comes first. A second statement behind *and*, a comparison or an unknown person ends it.
    """
    kinds = list(map(KINDS.get, words))
    frame = _scan(words, kinds)
    if frame is None:
        return None
    main, be, relative, end = frame
    if end < 0:  # "the database we use is ...", without its "that"
        return parse([*words[:main], "that", *words[main:]])
    if end < len(words) and kinds[end - 1] == JOIN:
        end -= 1
    return told(_read(words, kinds, (main, be, relative, end)), words, main, be)


def _read(words: list[str], kinds: list[int | None], frame: tuple[int, int, int, int]) -> Extracted | None:
    """The key of a clause whose skeleton is known."""
    main, be, relative, end = frame
    if be < 0:
        return acted(words, kinds, main, end) if relative < 0 or in_title(words, relative) else None
    if main == be:
        return been(words, be, be, end, relative)
    kind = kinds[main]
    if kind == WILL:
        return _as_planned(been(words, main, be, end, relative))
    if kind == HAVE:
        return been(words, main, be, end, relative)
    if kind in (DO, CAN) or (relative < 0 and (words[main + 1] in DETERMINERS or JOIN in kinds[main:be])):
        return None  # "Bob confirmed the port is 5432"
    return been(words, be, be, end, relative)


def _scan(words: list[str], kinds: list[int | None]) -> tuple[int, int, int, int] | None:  # noqa: PLR0912
    """Positions of the first verb or auxiliary, the last *be*, the first relative word, and where the value ends.

    One pass, a branch for each kind of word, since every statement goes through it. None where there is no verb, or
    more than one statement. An end of -1: a *that* is missing in front of the first position.
    """
    be = main = relative = -1
    end = len(words)
    for i, kind in enumerate(kinds):
        if kind is None:
            continue
        if kind == BASE:
            if main < 0:
                main = i if i and _acts(words, i) else main
            elif kinds[i - 1] == JOIN and _goes_on_with(words, i):
                return None
        elif kind <= VERB:
            if DO <= kind <= CAN and words[i + 1 : i + 2] and words[i + 1][0].isupper():
                continue  # "Copa do Brasil"
            before = i - 2 if words[i - 1] in ADVERBS else i - 1  # "and now works"
            if main >= 0 and (kinds[before] == JOIN or words[before][-1] == ","):
                return None
            if kind == BE:
                if be >= 0 and relative < 0 and _goes_on(words, kinds, be, i):
                    return None
                if words[i] == "be" and (main < 0 or kinds[main] != WILL):
                    return None
                be = i
                main = i if main < 0 else main
            elif main < 0:
                if kind != VERB or _is_verb(words, kinds, i):
                    main = i
            elif kind != VERB and relative < 0:
                return None
        elif kind == RELATIVE:
            if main < 0:
                relative = i if i and relative < 0 else relative
            elif i > main + 1 and words[i - 1][-1] == ",":
                end = i
                break
            elif not in_title(words, i):
                return None
        elif kind == END:
            if main >= 0 and i > main + 1 and _ends_value(words, i, main):
                end = i
                break
        elif kind == PRONOUN:
            if main >= 0:
                end = _before_aside(words, main, i)
                if end < 0:
                    return None
                break
            if i > 1 and relative < 0 and words[0] == "The":
                return i, be, relative, -1
        elif kind == THAN:
            return None
    return (main, be, relative, end) if main > 0 else None


def _as_planned(found: Extracted | None) -> Extracted | None:
    """What *will be* is known of dates and places that are set, and of nothing else."""
    if found is None or found.attribute in ("located in", "is at") or when(found.value.split(), year=True):
        return found
    return None


def _goes_on(words: list[str], kinds: list[int | None], be: int, i: int) -> bool:
    """Whether the clause of the first of two *is* is whole, and no title ("Life is Beautiful was directed by")."""
    between = words[be + 1 : i]
    first = between[0] if between else ""
    return first in DETERMINERS or first in DEGREES or JOIN in kinds[be:i] or any(word[-1] == "," for word in between)


def _goes_on_with(words: list[str], i: int) -> bool:
    """Whether the base form behind *and* is a second verb ("is sent to a queue and stay there"), no second noun."""
    after = words[i + 1] if i + 1 < len(words) else ""
    return after != "" and (words[i] not in NOUNS_TOO or after in DETERMINERS or after in ("there", "it", "them"))


def _before_aside(words: list[str], main: int, pronoun: int) -> int:
    """Where the value ends if *we* belongs to an aside ("in a database, on the two servers we rent"), else -1.

    Nothing may follow that the value could be corrected by: "5432, in staging we use 6543" is two statements.
    """
    tail = words[pronoun + 1 :]
    bare = len(tail) < 2 or KINDS.get(tail[1]) == JOIN or tail[1] in PREPOSITIONS
    if not bare or words[pronoun - 1] in PREPOSITIONS or any(map(_finite, tail[1:])):
        return -1
    for at in range(pronoun - 2, main + 1, -1):
        if words[at - 1][-1] == "," and words[at] in PREPOSITIONS and words[at + 1] in DETERMINERS:
            return at
    return -1


def _finite(word: str) -> bool:
    """Whether the word is, without looking at its neighbours, an auxiliary or a finite verb."""
    return BE <= KINDS.get(word, 0) <= VERB


def _acts(words: list[str], i: int) -> bool:
    """Whether the base form at ``i`` is the verb of I, we, or a plural."""
    if words[0] in _SELF:
        return i <= 3 and all(word in _BEFORE_VERB for word in words[1:i])
    at = i - 1
    while at and words[at] in _BEFORE_VERB:
        at -= 1
    before = words[at]
    if before[-1] != "s" or before.endswith(("ss", "'s", "us", "is")):
        return False
    after = words[i + 1] if i + 1 < len(words) else ""
    if words[i] not in NOUNS_TOO or after[:1].isdigit() or after[:1] in _MONEY:
        return True
    return after in _AFTER_VERB and (after not in _AFTER_NOUN or words[i] in _ACTS_FOR)


def _is_verb(words: list[str], kinds: list[int | None], i: int) -> bool:
    """Whether a finite form is one, and no plural or participle ("left fielder", "for orders over 500 units")."""
    if not i:
        return False
    word, before = words[i], words[i - 1] if i > 1 else words[0].lower()
    if before[-2:] in ("'s", "s'"):
        return False  # "Globex's paid plan"
    if word in PAST and word not in THIRD:
        if words[i + 1 : i + 2] == ["by"] and PARTICIPLES.get(word, "go") not in _PASSING_BY:
            return False  # "a code sent by SMS"
        return before not in DETERMINERS and before not in PREPOSITIONS
    if THIRD.get(word) not in NOUNS_TOO:
        return True
    follower = kinds[i + 1] if i + 1 < len(words) else None
    if i + 1 < len(words) and words[i + 1] in _AFTER_NOUN and THIRD[word] not in _ACTS_FOR:
        return False  # "limits with", "support calls during"
    acts = follower == VERB or (follower == BASE and words[i + 1] not in NOUNS_TOO)  # "reviews require"
    return not (acts or before in PREPOSITIONS or before in DETERMINERS)


def _ends_value(words: list[str], i: int, main: int) -> bool:
    word, following = words[i], words[i + 1 : i + 2]
    if word == "until":
        return i > main + 2  # but "valid until Friday"
    if word in ("starting", "effective"):
        return following in (["immediately"], ["from"], ["in"], ["on"]) or when(following) != ""
    if word == "once":
        return following not in (["a"], ["per"], ["every"])
    return word != "rather" or following == ["than"]
