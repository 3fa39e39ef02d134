"""Per kind of note: how long it lives, how fast it is doubted, how it may be used. Read from TOML.

Kinds are the user's to add. A file given to `load` is laid over the defaults, table by table, so it holds only
what differs. A name or value that means nothing is refused: a policy that is silently ignored is a policy off.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

from upheld.errors import Invalid, Misconfigured, shown
from upheld.note import Band, Certainty, Channel
from upheld.wording import load as load_wording

_DURATION = re.compile(r"(\d{1,9})\s*(ms|[smhdwy])")
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 365 * 86400}
_LONGEST = timedelta(days=36500)


def duration(text: str) -> timedelta | None:
    """Read "90d", "12h", "250ms"; "never" is None. At most 36,500 days.

    >>> duration("90d")
    datetime.timedelta(days=90)
    >>> duration("never") is None
    True
    """
    if text == "never":
        return None
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise Invalid(f"{shown(text)} is not a duration: write a whole number and ms, s, m, h, d, w or y, or 'never'")
    seconds = int(match[1]) * _UNITS[match[2]]
    if not 0 < seconds <= _LONGEST.total_seconds():
        raise Invalid(f"the duration {shown(text)} must be above 0 and at most {_LONGEST.days} days")
    return timedelta(seconds=seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class KindPolicy:
    """The rules of one kind. Confidences are from 0 to 1; a None duration means never.

    `unverified` says what becomes of a note whose owner was not heard in time: "hedge" or "withhold". `use_check` is
    the share of answers, from 0 to 1, whose notes are held against the documents that the caller retrieved.
    `dependencies` says who may say what a note rests on: "anyone", or with "person" what others say waits for one.
    """

    ttl: timedelta | None = None
    half_life: timedelta | None = None
    verify_after: timedelta | None = None
    assert_from: float = 0.75
    hedge_from: float = 0.5
    ask_from: float = 0.2
    attribute_source: str = "hedged"
    unverified: str = "hedge"
    use_check: float = 0.1
    dependencies: str = "anyone"

    def band(self, confidence: float) -> Band | None:
        """The band that a confidence falls in; None below the floor."""
        if confidence >= self.assert_from:
            return Band.ASSERT
        if confidence >= self.hedge_from:
            return Band.HEDGE
        return Band.ASK if confidence >= self.ask_from else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPolicy:
    """How many notes documents may retire in one run without a person's word."""

    share: float = 0.1
    number: int = 500
    few: int = 10

    def allowed(self, living: int) -> int:
        """How many of so many living notes.

        >>> [SweepPolicy().allowed(living) for living in (5, 100, 1_000_000)]
        [10, 10, 500]
        """
        return min(self.number, max(self.few, int(self.share * living)))


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyPolicy:
    """How values are read from the systems that own them.

    `within` is how long one recall waits for all of them together. `after` is the window of kinds that set none.
    """

    within: timedelta = timedelta(seconds=2)
    after: timedelta = timedelta(seconds=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidatePolicy:
    """How often what was made from notes may be made from again, counted from the notes that nothing was made from."""

    generations: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """All rules that a user may set."""

    kinds: Mapping[str, KindPolicy] = field(default_factory=lambda: {"default": KindPolicy()})
    rank: tuple[Channel, ...] = tuple(Channel)
    first_confidence: Mapping[Certainty, float] = field(default_factory=dict)
    cardinality: str = "grammar"
    one: frozenset[str] = frozenset()
    many: frozenset[str] = frozenset()
    sweep: SweepPolicy = SweepPolicy()
    verify: VerifyPolicy = VerifyPolicy()
    consolidate: ConsolidatePolicy = ConsolidatePolicy()
    verifiers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    language: str = "en"

    def kind(self, name: str) -> KindPolicy:
        """The rules of a kind; an unknown kind is an error that names the known ones."""
        try:
            return self.kinds[name]
        except KeyError:
            known = ", ".join(sorted(self.kinds))
            raise Invalid(
                f"no kind {name!r} in the policy; known: {known}. Add [kinds.{name}] to your policy file"
            ) from None

    def rules_of(self, kind: str) -> KindPolicy:
        """The rules of a kind that a note already has: those of "default" where the policy no longer knows it."""
        return self.kinds.get(kind) or self.kind("default")

    def outranks(self, first: Channel, second: Channel) -> bool:
        """Whether `first` is trusted more than `second`."""
        return first is not second and self.rank.index(first) < self.rank.index(second)

    def is_single(self, attribute_key: str, grammar: bool) -> bool:
        """Whether an extracted attribute holds one value at a time."""
        if attribute_key in self.one:
            return True
        if attribute_key in self.many:
            return False
        return grammar if self.cardinality == "grammar" else self.cardinality == "one"


def load(source: str | Path | Mapping[str, Any] | None = None) -> Policy:
    """The default policy with `source` (a TOML file or a mapping of the same shape) laid over it.

    >>> load({"kinds": {"ticket": {"ttl": "30d"}}}).kind("ticket").ttl
    datetime.timedelta(days=30)
    """
    table = tomllib.loads(files("upheld").joinpath("policy.toml").read_text(encoding="utf-8"))
    if source is not None:
        table = _overlay(table, source if isinstance(source, Mapping) else _read(Path(source)))
    try:
        return _policy(table)
    except (Invalid, KeyError, TypeError, ValueError, AttributeError) as error:
        raise Misconfigured(f"the policy is not usable: {error}") from error


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Misconfigured(f"cannot read the policy file {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Misconfigured(f"the policy file {path} is not valid TOML: {error}") from error


def _overlay(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for name, value in over.items():
        below = merged.get(name)
        merged[name] = _overlay(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged


def _policy(table: Mapping[str, Any]) -> Policy:
    known = {"channels", "certainty", "attributes", "sweep", "verify", "consolidate", "verifiers", "answer", "kinds"}
    if unknown := set(table) - known:
        raise Invalid(f"unknown tables {sorted(unknown)}; known: {sorted(known)}")
    rank = tuple(Channel(name) for name in table["channels"]["rank"])
    if sorted(rank) != sorted(Channel):
        raise Invalid(f"channels.rank must name each of {[c.value for c in Channel]} once")
    attributes = table["attributes"]
    for name, settings, known_settings in (
        ("channels", table["channels"], {"rank"}),
        ("attributes", attributes, {"cardinality", "one", "many"}),
        ("attributes.one", attributes["one"], {"names"}),
        ("attributes.many", attributes["many"], {"names"}),
        ("sweep", table["sweep"], set(SweepPolicy.__dataclass_fields__)),
        ("verify", table["verify"], set(VerifyPolicy.__dataclass_fields__)),
        ("consolidate", table["consolidate"], set(ConsolidatePolicy.__dataclass_fields__)),
        ("answer", table["answer"], {"language"}),
    ):
        if unknown := set(settings) - known_settings:
            raise Invalid(f"unknown settings {sorted(unknown)} in [{name}]")
    for name in ("one", "many"):
        listed = attributes[name]["names"]
        if not isinstance(listed, list | tuple) or not all(isinstance(each, str) for each in listed):
            raise Invalid(f"[attributes.{name}] names must be a list of texts")
    if attributes["cardinality"] not in {"grammar", "one", "many"}:
        raise Invalid("attributes.cardinality must be 'grammar', 'one' or 'many'")
    default = table["kinds"]["default"]
    return Policy(
        kinds={name: _kind(name, {**default, **rules}) for name, rules in table["kinds"].items()},
        rank=rank,
        first_confidence={Certainty(name): _share(name, value) for name, value in table["certainty"].items()},
        cardinality=attributes["cardinality"],
        one=frozenset(attributes["one"]["names"]),
        many=frozenset(attributes["many"]["names"]),
        sweep=SweepPolicy(
            share=_share("sweep.share", table["sweep"]["share"]),
            number=_whole("sweep.number", table["sweep"]["number"]),
            few=_whole("sweep.few", table["sweep"]["few"]),
        ),
        verify=VerifyPolicy(
            within=_finite("verify.within", table["verify"]["within"]),
            after=_finite("verify.after", table["verify"]["after"]),
        ),
        consolidate=ConsolidatePolicy(
            generations=_whole("consolidate.generations", table["consolidate"]["generations"])
        ),
        verifiers=_tables("verifiers", table["verifiers"]),
        language=load_wording(table["answer"]["language"]).language,
    )


def _kind(name: str, rules: Mapping[str, Any]) -> KindPolicy:
    if unknown := set(rules) - set(KindPolicy.__dataclass_fields__):
        raise Invalid(f"unknown settings {sorted(unknown)} in [kinds.{name}]")
    if rules["attribute_source"] not in {"always", "hedged", "never"}:
        raise Invalid(f"[kinds.{name}] attribute_source must be 'always', 'hedged' or 'never'")
    if rules["unverified"] not in {"hedge", "withhold"}:
        raise Invalid(f"[kinds.{name}] unverified must be 'hedge' or 'withhold'")
    if rules["dependencies"] not in {"anyone", "person"}:
        raise Invalid(f"[kinds.{name}] dependencies must be 'anyone' or 'person'")
    bands = [_share(f"kinds.{name}.{band}", rules[band]) for band in ("assert_from", "hedge_from", "ask_from")]
    if bands != sorted(bands, reverse=True):
        raise Invalid(f"[kinds.{name}] needs assert_from >= hedge_from >= ask_from")
    return KindPolicy(
        ttl=duration(rules["ttl"]),
        half_life=duration(rules["half_life"]),
        verify_after=duration(rules["verify_after"]),
        assert_from=bands[0],
        hedge_from=bands[1],
        ask_from=bands[2],
        attribute_source=rules["attribute_source"],
        unverified=rules["unverified"],
        use_check=_share(f"kinds.{name}.use_check", rules["use_check"]),
        dependencies=rules["dependencies"],
    )


def _finite(name: str, text: str) -> timedelta:
    found = duration(text)
    if found is None:
        raise Invalid(f"{name} must be a duration, not {shown(text)}")
    return found


def _tables(name: str, listed: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    if wrong := [each for each, table in listed.items() if not isinstance(table, Mapping)]:
        raise Invalid(f"[{name}.{wrong[0]}] must be a table")
    return dict(listed)


def _share(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise Invalid(f"{name} must be a number from 0 to 1, not {shown(value)}")
    return float(value)


def _whole(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Invalid(f"{name} must be a whole number of at least 0, not {shown(value)}")
    return value
