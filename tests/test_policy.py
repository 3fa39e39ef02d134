"""Policies: laid over the defaults table by table, and refused by name where they mean nothing."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import upheld
from onlooker import said
from upheld import Band, Certainty, Channel, Invalid, Key, Misconfigured
from upheld.policy import duration, load
from worlds import Clock

DEFAULT_KINDS = {
    "default", "entitlement", "attribute", "preference", "relationship", "decision", "constraint", "episode",
    "immutable", "hypothesis", "summary",
}  # fmt: skip


def test_the_defaults_name_the_kinds_of_the_design_and_rank_every_channel() -> None:
    policy = load()
    assert set(policy.kinds) >= DEFAULT_KINDS
    assert policy.rank == tuple(Channel)
    assert set(policy.first_confidence) == set(Certainty)


def test_a_file_holds_only_what_differs(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text('[kinds.entitlement]\nhalf_life = "1y"\n[kinds.ticket]\nttl = "30d"\n', encoding="utf-8")
    policy, default = load(file), load()
    assert policy.kind("entitlement").half_life == timedelta(days=365)
    assert policy.kind("entitlement").verify_after == default.kind("entitlement").verify_after
    assert policy.kind("ticket").ttl == timedelta(days=30)
    assert policy.kind("ticket").assert_from == default.kind("default").assert_from
    assert policy.kind("preference") == default.kind("preference")
    assert load(str(file)) == policy


def test_a_new_default_is_the_ground_of_every_kind() -> None:
    policy = load({"kinds": {"default": {"attribute_source": "always"}}})
    assert policy.kind("decision").attribute_source == "always"


def test_a_file_with_nothing_in_it_changes_nothing(tmp_path: Path) -> None:
    empty = tmp_path / "empty.toml"
    empty.write_text("", encoding="utf-8")
    assert load(empty) == load()


BAD: dict[str, dict[str, Any]] = {
    "unknown table": {"kindz": {}},
    "unknown setting": {"kinds": {"decision": {"tll": "1d"}}},
    "kind not a table": {"kinds": {"decision": 5}},
    "kinds not a table": {"kinds": 5},
    "ttl zero": {"kinds": {"decision": {"ttl": "0d"}}},
    "ttl negative": {"kinds": {"decision": {"ttl": "-1d"}}},
    "ttl a number": {"kinds": {"decision": {"ttl": 90}}},
    "ttl with a fraction": {"kinds": {"decision": {"ttl": "1.5d"}}},
    "ttl without a unit": {"kinds": {"decision": {"ttl": "90"}}},
    "ttl of a billion days": {"kinds": {"decision": {"ttl": "1000000000d"}}},
    "ttl of too many years": {"kinds": {"decision": {"ttl": "200y"}}},
    "ttl none": {"kinds": {"decision": {"ttl": None}}},
    "band above one": {"kinds": {"decision": {"assert_from": 1.1}}},
    "band below zero": {"kinds": {"decision": {"ask_from": -0.1}}},
    "band nan": {"kinds": {"decision": {"assert_from": float("nan")}}},
    "band true": {"kinds": {"decision": {"assert_from": True}}},
    "band a text": {"kinds": {"decision": {"assert_from": "0.9"}}},
    "bands out of order": {"kinds": {"decision": {"assert_from": 0.3, "hedge_from": 0.5}}},
    "attribution unknown": {"kinds": {"decision": {"attribute_source": "sometimes"}}},
    "rank unknown": {"channels": {"rank": ["system_of_record", "document", "person", "tool", "oracle"]}},
    "rank short": {"channels": {"rank": ["person", "document"]}},
    "rank twice": {"channels": {"rank": [*[c.value for c in Channel], "person"]}},
    "rank empty": {"channels": {"rank": []}},
    "rank a text": {"channels": {"rank": "person"}},
    "channels unknown setting": {"channels": {"ranks": ["person"]}},
    "certainty unknown": {"certainty": {"rumoured": 0.3}},
    "certainty above one": {"certainty": {"reported": 2}},
    "cardinality unknown": {"attributes": {"cardinality": "several"}},
    "attributes unknown setting": {"attributes": {"cardinalty": "one"}},
    "attribute names a text": {"attributes": {"one": {"names": "plan"}}},
    "attribute names numbers": {"attributes": {"one": {"names": [5]}}},
}


@pytest.mark.parametrize("table", BAD.values(), ids=list(BAD))
def test_a_policy_that_means_nothing_is_refused_before_a_store_is_made(tmp_path: Path, table: dict[str, Any]) -> None:
    with pytest.raises(Misconfigured):
        upheld.open(tmp_path / "m.db", embedder=None, policy=table)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content",
    [b"[kinds", b"kinds = 5\n", b"\xff\xfe[\x00k\x00", b"[kinds.decision]\nttl = 90d\n", b"[a]\n[a]\n"],
)
def test_a_file_that_is_no_policy_is_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "policy.toml"
    file.write_bytes(content)
    with pytest.raises(Misconfigured):
        load(file)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(Misconfigured, match=r"cannot read"):
            load(path)


def test_an_unknown_kind_is_refused_with_the_known_ones_and_the_remedy() -> None:
    with upheld.open(":memory:", embedder=None) as memory:
        with pytest.raises(Invalid, match=r"decision.*\[kinds\.desicion\]"):
            memory.remember("We chose Postgres.", kind="desicion")
        assert memory.remember("We chose Postgres.", kind="decision").outcome == "added"


def test_a_note_of_a_kind_that_the_policy_dropped_is_still_read(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with upheld.open(path, embedder=None, policy={"kinds": {"ticket": {}}}) as memory:
        memory.remember("The login ticket is open.", kind="ticket")
    with upheld.open(path, embedder=None) as memory:
        assert said(memory.recall("login ticket")) == ["The login ticket is open."]


@pytest.mark.parametrize(
    ("text", "days"), [("1d", 1), ("2w", 14), ("2y", 730), ("24h", 1), ("1440m", 1), ("86400s", 1), (" 90 d ", 90)]
)
def test_durations_are_whole_numbers_with_a_unit(text: str, days: int) -> None:
    assert duration(text) == timedelta(days=days)


def test_the_longest_duration_is_a_hundred_years() -> None:
    assert duration("36500d") == timedelta(days=36500)
    with pytest.raises(Invalid):
        duration("36501d")


# --- what the settings do -----------------------------------------------------------------------------


def test_bands_and_half_life_decide_how_a_note_may_be_used(clock: Clock) -> None:
    policy = {"kinds": {"rumour": {"half_life": "10d", "assert_from": 0.8, "hedge_from": 0.4, "ask_from": 0.2}}}
    with upheld.open(":memory:", embedder=None, clock=clock, policy=policy) as memory:
        memory.remember("The lift may close.", kind="rumour", confidence=1.0, certainty="reported", id="lift")
        seen: list[tuple[Band, float] | None] = []
        for _ in range(4):
            answer = memory.recall("lift")
            seen.append((answer.upheld[0].band, answer.upheld[0].confidence) if answer.upheld else None)
            clock.move(days=10)
        assert seen == [(Band.ASSERT, 1.0), (Band.HEDGE, 0.5), (Band.ASK, 0.25), None]
        assert [note.standing for note in memory.recall("lift").withheld] == [upheld.Standing.DEMOTED]
        memory.confirm("lift")
        assert memory.recall("lift").upheld[0].band is Band.ASSERT, "demoted, not deleted"


def test_the_rank_of_channels_is_the_users_to_set() -> None:
    port = Key(subject="gateway", attribute="port")
    upside_down = {"channels": {"rank": ["agent", "tool", "person", "document", "system_of_record"]}}
    for policy, outcome in ((None, "disputed"), (upside_down, "superseded")):
        with upheld.open(":memory:", embedder=None, policy=policy) as memory:
            memory.remember("The port is 1.", key=port, value="1", by="person:ana")
            assert memory.remember("The port is 2.", key=port, value="2", by="agent:bot").outcome == outcome


@pytest.mark.parametrize(("names", "outcome"), [(("one", ["speaks"]), "superseded"), (("many", ["port"]), "added")])
def test_cardinality_by_name_overrules_the_grammar(names: tuple[str, list[str]], outcome: str) -> None:
    where, listed = names
    first, second = {
        "one": ("Omar speaks French.", "Omar speaks Danish."),
        "many": ("The port of the gateway is 1.", "The port of the gateway is 2."),
    }[where]
    with upheld.open(":memory:", embedder=None) as memory:
        memory.remember(first)
        assert memory.remember(second).outcome != outcome, "the control: the grammar says otherwise"
    with upheld.open(":memory:", embedder=None, policy={"attributes": {where: {"names": listed}}}) as memory:
        attribute = memory.remember(first).note.attribute_key
        assert attribute is not None
    policy = {"attributes": {where: {"names": [attribute]}}}
    with upheld.open(":memory:", embedder=None, policy=policy) as memory:
        memory.remember(first)
        assert memory.remember(second).outcome == outcome


def test_first_confidence_follows_the_certainty() -> None:
    with upheld.open(":memory:", embedder=None, policy={"certainty": {"reported": 0.6}}) as memory:
        assert memory.remember("The gate is blue.").note.confidence == 0.6
        assert memory.remember("The gate is wide.", certainty="confirmed").note.confidence == 0.98
        assert memory.remember("The gate is tall.", confidence=0.7).note.confidence == 0.7
