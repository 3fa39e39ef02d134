"""Verifiers from functions, objects and TOML: one for each source, and a setting that cannot work is named."""

from __future__ import annotations

import enum
import functools
import sqlite3
import sys
import tomllib
import types
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from services import Service, json_answer
from upheld.errors import Misconfigured
from upheld.policy import load
from upheld.verification import Agreed, Asked, Changed, Reply, Unavailable
from upheld.verifiers.function import reading, verifier
from upheld.verifiers.http_json import HttpJson
from upheld.verifiers.joined import Joined
from upheld.verifiers.registered import owners

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from upheld.note import Note
    from upheld.owners import Owners

URL = "https://billing.example/users/{subject}"


def asked(attribute: str = "plan tier", subject: str = "Ana") -> Asked:
    return Asked(
        note="1",
        scope="crm",
        subject=subject,
        attribute=attribute,
        value="Team",
        statement="Ana is on the Team plan.",
        sources=(),
        recorded_at=datetime(2026, 1, 14, tzinfo=UTC),
    )


def from_toml(text: str, given: Any = None) -> Owners:
    return owners(load(tomllib.loads(text)).verifiers, given)


def sources(found: Owners) -> dict[str, str]:
    return {name: each.source for name, each in found.by_attribute.items()}


def is_unavailable(reply: object) -> bool:
    return isinstance(reply, Unavailable) and bool(reply.reason)


@dataclass
class Recorded:
    """A verifier that writes down what it is asked."""

    source: str
    replies: Sequence[object] | None = None
    calls: list[list[str]] = field(default_factory=list)

    def verify(self, asked: Sequence[Asked]) -> Sequence[Reply]:
        self.calls.append([each.attribute for each in asked])
        if self.replies is not None:
            return self.replies  # type: ignore[return-value]
        return [Changed(f"{self.source} {each.attribute}") for each in asked]


@dataclass
class Cited(Recorded):
    def covers(self, note: Note) -> bool:
        return True


# --- functions -----------------------------------------------------------------------------------


class Tier(enum.StrEnum):
    PRO = "Pro"


class OldTier(str, enum.Enum):  # noqa: UP042 (older code has these)
    PRO = "Pro"


@pytest.mark.parametrize(
    ("given", "reply"),
    [
        ("Pro", Changed("Pro")),
        (Tier.PRO, Changed("Pro")),
        (OldTier.PRO, Changed("Pro")),
        (12, Changed("12")),
        (0, Changed("0")),
        (0.1, Changed("0.1")),
        (1e22, Changed("10000000000000000000000")),
        (False, Changed("false")),
        (Agreed(), Agreed()),
        (Changed("Pro"), Changed("Pro")),
        (Unavailable("closed for lunch"), Unavailable("closed for lunch")),
    ],
)
def test_a_function_gives_a_value_or_a_reply(given: object, reply: Reply) -> None:
    assert reading(lambda subject: given, source="billing").verify([asked()]) == [reply]


@pytest.mark.parametrize(
    "given",
    [
        *(None, "", " ", "a\nb", "x" * 513, "\u200b", "\ud800"),
        *(float("nan"), float("inf"), 10**600, 1e308 * 10, complex(1, 1)),
        *(b"Pro", ["Pro"], {"tier": "Pro"}, object(), datetime(2026, 1, 1, tzinfo=UTC), Changed, NotImplemented),
    ],
    ids=lambda given: repr(given)[:20],
)
def test_what_is_no_value_verifies_nothing(given: object) -> None:
    (reply,) = reading(lambda subject: given, source="billing").verify([asked()])
    assert is_unavailable(reply)


def test_one_subject_that_fails_is_not_the_others() -> None:
    tiers = reading({"Ana": "Pro"}.__getitem__, source="billing")
    replies = tiers.verify([asked(subject="Ben"), asked()])
    assert is_unavailable(replies[0])
    assert "Ben" not in repr(replies[0])
    assert replies[1] == Changed("Pro")


def test_a_function_of_what_is_asked_replies() -> None:
    def reply(about: Asked) -> Reply:
        return Agreed() if about.value == "Team" else Changed(about.attribute)

    assert verifier(reply, source="billing").verify([asked()]) == [Agreed()]
    for wrong in (None, "Pro", True, ["Pro"]):
        (found,) = verifier(lambda about, wrong=wrong: wrong, source="billing").verify([asked()])
        assert is_unavailable(found)


async def later(subject: str) -> str:
    return subject


def several(subject: str) -> Any:
    yield subject


@pytest.mark.parametrize("function", [later, several, Tier, "billing:tier", None, 3, lambda: "Pro", lambda a, b: a])
def test_what_cannot_be_asked_is_refused(function: Any) -> None:
    for make in (verifier, reading):
        with pytest.raises(Misconfigured):
            make(function, source="billing")
    with pytest.raises(Misconfigured, match=r"verifiers\['plan tier'\]"):
        owners({}, {"plan tier": function})


@pytest.mark.parametrize(
    "function", [lambda subject: "Pro", lambda *all: "Pro", functools.partial(lambda a, b: "Pro", "a"), "Pro".format]
)
def test_what_can_be_asked_is_taken(function: Any) -> None:
    assert reading(function, source="billing").verify([asked()]) == [Changed("Pro")]


@pytest.mark.parametrize("source", ["", " ", "two\nlines", "x" * 513, None])
def test_a_source_needs_a_name(source: Any) -> None:
    with pytest.raises(Misconfigured, match="source"):
        reading(lambda subject: "Pro", source=source)


# --- in code -------------------------------------------------------------------------------------


def test_attributes_are_known_by_their_canonical_names() -> None:
    found = owners({}, {"Plan_Tier": lambda subject: "Pro", "the seats": lambda subject: 12})
    assert sources(found) == {"plan tier": "plan tier", "seats": "seats"}
    assert found.by_attribute["plan tier"].verify([asked()]) == [Changed("Pro")]


def test_an_attribute_that_stands_twice_is_refused() -> None:
    with pytest.raises(Misconfigured, match="one attribute"):
        owners({}, {"plan tier": lambda subject: "Pro", "Plan_Tier": lambda subject: "Pro"})
    with pytest.raises(Misconfigured, match="one attribute"):
        from_toml(
            f"[verifiers.plan_tier]\nhttp = '{URL}'\npointer = '/a'\n"
            f"[verifiers.'Plan Tier']\nhttp = '{URL}'\npointer = '/b'\n"
        )


def test_code_wins_over_a_table() -> None:
    found = from_toml(f"[verifiers.plan_tier]\nhttp = '{URL}'\npointer = '/plan'", {"plan tier": lambda subject: "Pro"})
    assert sources(found) == {"plan tier": "plan tier"}
    # So a test can stand in for what it cannot reach.
    unreachable = "[verifiers.plan_tier]\nuse = 'not_there_for_tests:tier'"
    assert sources(from_toml(unreachable, {"plan tier": lambda subject: "Pro"})) == {"plan tier": "plan tier"}


def test_a_source_has_one_verifier_that_answers_each_attribute_its_own_way() -> None:
    first, second, other = Recorded("billing"), Recorded("billing"), Recorded("crm")
    given = {"plan tier": first, "seats": second, "status": first, "city": other, "cap": reading(len, source="billing")}
    found = owners({}, given)
    billing = found.by_attribute["plan tier"]
    assert all(found.by_attribute[name] is billing for name in ("seats", "status", "cap"))
    assert found.by_attribute["city"] is other
    assert billing.source == "billing"
    about = [asked("seats"), asked("Status"), asked("cap"), asked("unknown"), asked("plan_tier"), asked("seats")]
    replies = billing.verify(about)
    assert replies[:3] == [Changed("billing seats"), Changed("billing Status"), Changed("3")]
    assert is_unavailable(replies[3])
    assert replies[4:] == [Changed("billing plan_tier"), Changed("billing seats")]
    assert (first.calls, second.calls) == ([["Status", "plan_tier"]], [["seats", "seats"]])


def test_one_verifier_for_several_attributes_stays_itself() -> None:
    billing = Recorded("billing")
    found = owners({}, {"plan tier": billing, "seats": billing})
    assert list(found.by_attribute.values()) == [billing, billing]


class Raises:
    source = "billing"

    def verify(self, asked: Sequence[Asked]) -> Sequence[Reply]:
        raise RuntimeError("the password is 1234")


@pytest.mark.parametrize("bad", [Raises(), Recorded("billing", []), Recorded("billing", [Agreed()] * 3)])
def test_a_part_that_fails_is_nothing_to_the_others(bad: Any) -> None:
    both = Joined("billing", {"plan tier": bad, "seats": Recorded("billing")})
    replies = both.verify([asked(), asked("seats")])
    assert is_unavailable(replies[0])
    assert "1234" not in repr(replies[0])
    assert replies[1] == Changed("billing seats")


def test_what_knows_its_notes_itself_is_no_owner_of_an_attribute() -> None:
    files, billing = Cited("files"), Recorded("billing")
    found = owners({}, {"cited files": files, "plan tier": billing})
    assert (list(found.anchors), dict(found.by_attribute)) == ([files], {"plan tier": billing})


@pytest.mark.parametrize("other", [Cited("files"), Recorded("files")])
def test_what_notes_cite_has_a_source_of_its_own(other: Any) -> None:
    with pytest.raises(Misconfigured, match="'files'"):
        owners({}, {"cited files": Cited("files"), "other": other})


def test_a_verifier_without_a_name_is_refused() -> None:
    with pytest.raises(Misconfigured, match=r"verifiers\['plan tier'\]"):
        owners({}, {"plan tier": Recorded("")})
    with pytest.raises(Misconfigured, match=r"verifiers\['plan tier'\]"):
        owners({}, {"plan tier": Raises})  # the class, not one of it
    with pytest.raises(Misconfigured, match="mapping"):
        owners({}, [Recorded("billing")])  # type: ignore[arg-type]
    with pytest.raises(Misconfigured, match="name"):
        owners({}, {3: Recorded("billing")})  # type: ignore[dict-item]


# --- in tables -----------------------------------------------------------------------------------


def test_nothing_registered_owns_nothing() -> None:
    found = from_toml("")
    assert (dict(found.by_attribute), tuple(found.anchors)) == ({}, ())


def test_attributes_of_one_url_are_answered_by_one_request() -> None:
    with Service(json_answer('{"plan": "Pro", "seats": 12}')) as service:
        url = f"http://127.0.0.1:{service.port}/{{subject}}"
        found = from_toml(
            f"[verifiers.plan_tier]\nhttp = '{url}'\npointer = '/plan'\nallow_private = true\ntimeout = '9s'\n"
            f"[verifiers.seats]\nhttp = '{url}'\npointer = '/seats'\nallow_private = true\ntimeout = '9s'\n"
        )
        one = found.by_attribute["plan tier"]
        assert isinstance(one, HttpJson)
        assert found.by_attribute["seats"] is one
        assert one.verify([asked(), asked("seats")]) == [Changed("Pro"), Changed("12")]
        assert service.connections == 1
        assert one.source == f"127.0.0.1:{service.port}"


def test_two_urls_of_one_host_are_one_source() -> None:
    found = from_toml(
        f"[verifiers.plan_tier]\nhttp = '{URL}/plan'\npointer = ''\n"
        f"[verifiers.seats]\nhttp = '{URL}/seats'\npointer = ''\n"
        f"[verifiers.city]\nhttp = '{URL}/city'\npointer = ''\nsource = 'crm'\n"
    )
    assert sources(found) == {"plan tier": "billing.example", "seats": "billing.example", "city": "crm"}
    assert isinstance(found.by_attribute["seats"], Joined)
    assert found.by_attribute["seats"] is found.by_attribute["plan tier"]
    assert isinstance(found.by_attribute["city"], HttpJson)


def test_other_ways_to_ask_one_url_are_not_mixed() -> None:
    found = from_toml(
        f"[verifiers.plan_tier]\nhttp = '{URL}'\npointer = '/plan'\ntoken_env = 'A_TOKEN'\nsource = 'a'\n"
        f"[verifiers.seats]\nhttp = '{URL}'\npointer = '/seats'\ntoken_env = 'B_TOKEN'\nheader = 'X-Key'\n"
        "source = 'b'\n"
    )
    assert found.by_attribute["plan tier"] is not found.by_attribute["seats"]


@pytest.fixture
def billing(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    module = types.ModuleType("billing_for_tests")
    module.tier = lambda subject: "Pro"  # type: ignore[attr-defined]
    module.seats = lambda subject: 12  # type: ignore[attr-defined]
    module.known = Recorded("the ledger")  # type: ignore[attr-defined]
    module.deep = types.SimpleNamespace(tier=module.tier)  # type: ignore[attr-defined]
    module.Thing = Recorded  # type: ignore[attr-defined]
    module.number = 3  # type: ignore[attr-defined]
    module.cited = Cited("files")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "billing_for_tests", module)
    return module


def test_a_function_or_an_object_is_named(billing: types.ModuleType) -> None:
    found = from_toml(
        "[verifiers.plan_tier]\nuse = 'billing_for_tests:tier'\n"
        "[verifiers.seats]\nuse = 'billing_for_tests:seats'\n"
        "[verifiers.status]\nuse = 'billing_for_tests:known'\n"
        "[verifiers.city]\nuse = 'billing_for_tests:deep.tier'\nsource = 'crm'\n"
        "[verifiers.files]\nuse = 'billing_for_tests:cited'\n"
    )
    assert sources(found) == {
        "plan tier": "billing_for_tests",
        "seats": "billing_for_tests",
        "status": "the ledger",
        "city": "crm",
    }
    one = found.by_attribute["seats"]
    assert one is found.by_attribute["plan tier"]
    assert one.verify([asked("seats"), asked()]) == [Changed("12"), Changed("Pro")]
    assert found.anchors == (billing.cited,)


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ("", "no way to ask"),
        ("source = 'billing'", "no way to ask"),
        ("use = 'a:b'\nhttp = 'https://x.example/{subject}'", "use and http"),
        ("use = 'billing_for_tests'", "module:name"),
        ("use = 'billing_for_tests:'", "module:name"),
        ("use = ':tier'", "module:name"),
        ("use = 'billing for tests:tier'", "module:name"),
        ("use = 'os.system(1):x'", "module:name"),
        ("use = 3", "use must be"),
        ("use = 'billing_for_tests:missing'", "has no 'missing'"),
        ("use = 'billing_for_tests:deep.missing'", "has no 'deep.missing'"),
        ("use = 'billing_for_tests:Thing'", "no function"),
        ("use = 'billing_for_tests:number'", "no function"),
        ("use = 'billing_for_tests:known'\nsource = 'other'", "source of its own"),
        ("use = 'billing_for_tests:tier'\nsource = ''", "source must be"),
        ("use = 'billing_for_tests:tier'\npointer = '/a'", "unknown key 'pointer'"),
        ("use = 'not_there_for_tests:tier'", "no module 'not_there_for_tests'"),
        ("use = 'not_there_for_tests.inner:tier'", "no module 'not_there_for_tests'"),
        ("http = 'https://x.example/{subject}'", "pointer is missing"),
        ("http = 'https://x.example/{subject}'\npointer = 3", "pointer must be"),
        ("http = 'https://x.example/{subject}'\npointer = 'plan'", "JSON pointer"),
        ("http = ''\npointer = '/a'", "http must be"),
        ("http = 'https://x.example/'\npointer = '/a'", "{subject}"),
        ("http = 'http://x.example/{subject}'\npointer = '/a'", "https"),
        ("http = 'https://x.example/{subject}'\npointer = '/a'\nallow_private = 'yes'", "allow_private must be true"),
        ("http = 'https://x.example/{subject}'\npointer = '/a'\ntimeout = 2", "timeout must be"),
        ("http = 'https://x.example/{subject}'\npointer = '/a'\ntimeout = 'never'", "timeout must be"),
        ("http = 'https://x.example/{subject}'\npointer = '/a'\ntimeout = 'soon'", "duration"),
        ("http = 'https://x.example/{subject}'\npointer = '/a'\ntoken_env = 'a token'", "token_env"),
        ("http = 'https://x.example/{subject}'\npointer = '/a'\nheader = 'X-Key'", "token_env"),
        ("http = 'https://x.example/{subject}'\npointer = '/a'\ntoken = 'secret'", "unknown key 'token'"),
        ("http = 'https://x.example/{subject}'\npointer = '/a'\nsource = \"a\\nb\"", "source"),
        ("sql = 'select 1'\ndatabase = 'a.db'\ndatabase_env = 'A'", "either database or database_env"),
        ("sql = 'select 1'", "either database or database_env"),
        ("sql = 'select 1'\ndatabase_env = 'NOT_SET_FOR_TESTS'", "NOT_SET_FOR_TESTS is not set"),
        ("sql = 'select 1'\ndatabase = ''", "database must be"),
        ("sql = 'select 1'\ndatabase = 'a.db'", ":subject"),
        ("sql = 'select :subject'\ndatabase = 'a.db'\ntimeout = 'never'", "timeout must be"),
        ("manifest = 3", "manifest must be"),
        ("cites = ''", "cites must be"),
        ("manifest = 'not-there-for-tests.toml'", "not-there-for-tests.toml"),
        ("cites = '.'\nroot = '.'", "unknown key 'root'"),
        ("cites = 'not-there-for-tests'", "not-there-for-tests"),
    ],
)
def test_a_setting_that_cannot_work_is_named(
    table: str, named: str, billing: types.ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOT_SET_FOR_TESTS", raising=False)
    with pytest.raises(Misconfigured) as refused:
        from_toml(f"[verifiers.plan_tier]\n{table}")
    assert "[verifiers.plan_tier]" in str(refused.value)
    assert named in str(refused.value)
    assert "secret" not in str(refused.value)


def test_queries_manifests_and_folders_are_owners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with sqlite3.connect(tmp_path / "crm.db") as database:
        database.execute("create table user (name, attribute, value)")
        database.executemany("insert into user values ('Ana', ?, ?)", [("plan tier", "Pro"), ("seats", 12)])
    database.close()
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'orders'\nversion = '2.1'\n")
    monkeypatch.setenv("CRM_DATABASE", str(tmp_path / "crm.db"))
    query = "select value from user where name = :subject and attribute = :attribute"
    found = from_toml(
        f"[verifiers.plan_tier]\nsql = '{query}'\ndatabase_env = 'CRM_DATABASE'\nsource = 'crm'\ntimeout = '9s'\n"
        f"[verifiers.seats]\nsql = '{query}'\ndatabase_env = 'CRM_DATABASE'\nsource = 'crm'\ntimeout = '9s'\n"
        f"[verifiers.version]\nmanifest = '{(tmp_path / 'pyproject.toml').as_posix()}'\nsource = 'the manifest'\n"
        f"[verifiers.code]\ncites = '{tmp_path.as_posix()}'\nsource = 'the code'\n"
    )
    assert sources(found) == {"plan tier": "crm", "seats": "crm", "version": "the manifest"}
    crm = found.by_attribute["seats"]
    assert crm is found.by_attribute["plan tier"]
    assert not isinstance(crm, Joined)
    assert list(crm.verify([asked(), asked("seats")])) == [Changed("Pro"), Changed("12")]
    assert list(found.by_attribute["version"].verify([asked("version", "orders")])) == [Changed("2.1")]
    assert [anchor.source for anchor in found.anchors] == ["the code"]


def test_a_module_that_fails_is_named(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "needs_for_tests.py").write_text("import absent_for_tests")
    (tmp_path / "raises_for_tests.py").write_text("raise RuntimeError('the password is 1234')")
    (tmp_path / "works_for_tests.py").write_text("def tier(subject): return 'Pro'")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(Misconfigured, match=r"\[verifiers.a\].*'absent_for_tests', which needs_for_tests needs"):
        from_toml("[verifiers.a]\nuse = 'needs_for_tests:tier'")
    with pytest.raises(Misconfigured, match=r"\[verifiers.a\].*'raises_for_tests' cannot be imported") as refused:
        from_toml("[verifiers.a]\nuse = 'raises_for_tests:tier'")
    assert "1234" not in str(refused.value)
    found = from_toml("[verifiers.a]\nuse = 'works_for_tests:tier'")
    assert found.by_attribute["a"].verify([asked("a")]) == [Changed("Pro")]


def test_a_missing_token_stops_no_store_from_opening(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOT_SET_FOR_TESTS", raising=False)
    found = from_toml(f"[verifiers.a]\nhttp = '{URL}'\npointer = '/a'\ntoken_env = 'NOT_SET_FOR_TESTS'")
    (reply,) = found.by_attribute["a"].verify([asked("a")])
    assert isinstance(reply, Unavailable)
    assert "NOT_SET_FOR_TESTS is not set" in reply.reason


def test_registering_asks_nobody() -> None:
    called: list[str] = []
    tell: Callable[[str], object] = called.append
    with Service(json_answer("{}")) as service:
        url = f"http://127.0.0.1:{service.port}/{{subject}}"
        found = from_toml(f"[verifiers.a]\nhttp = '{url}'\npointer = '/a'\nallow_private = true", {"b": tell})
        assert (service.connections, called) == (0, [])
        found.by_attribute["a"].verify([asked("a")])
        found.by_attribute["b"].verify([asked("b")])
        assert (service.connections, called) == (1, ["Ana"])
