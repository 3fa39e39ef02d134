"""Two ways of writing one value are equal, two values are not, and no text breaks the comparison."""

from __future__ import annotations

import time
import unicodedata
from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from upheld.values import ALIASES, Relation, canonical, canonical_name, relation

# Each row is one value in several notations; no two rows are the same value.
SAME_VALUE = [
    ["1,000", "1000", "1e3", "one thousand", "1000.0", "1 thousand", "1k", "a thousand", "１０００"],
    ["30.5", "30.5 "],
    ["305"],
    ["-5", "−5", "-5.0"],
    ["5", "five", "5.0", "v5"],
    ["+5"],
    ["007"],
    ["7", "seven", "7."],
    ["105", "one hundred and five"],
    ["25", "twenty-five"],
    ["nineteen eighty-four"],
    ["50%", "50 percent", "fifty percent", "50 per cent", "50 %"],
    ["0.5", ".5"],
    ["1/2"],
    ["2 hours", "120 minutes", "2h", "two hours", "7,200 s"],
    ["1h 30m", "90 minutes", "1 hour and 30 minutes", "1.5 h"],
    ["12 months", "1 year"],
    ["1.5 GB", "1500 MB"],
    ["1.5 GiB", "1536 MiB"],
    ["1 MB"],
    ["1 Mb", "1 Mbit"],
    ["100 Mbps", "100 Mbit/s"],
    ["2 km", "2000 m", "2,000 metres"],
    ["20 °C", "68 °F", "20 degrees Celsius", "68 ℉"],
    ["$20", "USD 20", "20 dollars", "20 USD", "US$20", "twenty dollars", "20 usd", "$20.00"],
    ["€20", "20 euros", "EUR 20"],
    ["15 minutes", "900 seconds", "15 min"],
    ["18 euros a month", "€18 per month", "18 EUR/month"],
    ["23 euros a month"],
    ["A$20"],
    ["20 kr"],
    ["-$5", "$-5"],
    ["$1.5M", "1.5 million dollars", "$1,500,000"],
    ["20 USD/month", "$20/mo", "$20 per month", "$20 a month", "$20 monthly"],
    ["$240/year", "240 USD per annum"],
    ["$20/seat/month", "20 USD per seat per month"],
    ["100 requests per minute", "100 requests/min"],
    ["3 seats", "three seats"],
    ["30 seats"],
    ["2026-03-04", "4 March 2026", "March 4, 2026", "March 4th 2026", "4th of March 2026", "2026/03/04",
     "Wednesday, March 4, 2026", "wed, 4-Mar-2026"],
    ["03/04/2026"],
    ["3/4/2026"],
    ["13/04/2026", "2026-04-13", "04/13/2026"],
    ["2026-02-30"],
    ["March 2026", "2026-03"],
    ["4 March", "March 4th"],
    ["2026"],
    ["10:00", "10 AM", "10am", "10:00 a.m."],
    ["22:00", "10 pm"],
    ["12:00", "noon", "12 pm"],
    ["00:00", "midnight", "12 am"],
    ["10:00 UTC"],
    ["2026-03-04T10:00:00Z", "2026-03-04T12:00:00+02:00", "2026-03-04 10:00 UTC"],
    ["2026-03-04 10:00", "2026-03-04T10:00:00"],
    ["v1.2.0", "1.2", "v1.2", "1.2.0", "version 1.2"],
    ["v1.20", "1.20.0", "v1.20.0"],
    ["1.2.3", "v1.2.3"],
    ["1.2.3-rc1", "v1.2.3-rc1"],
    ["10.0.0.0"],
    ["10.0.0.1"],
    ["yes", "TRUE", "enabled", "On", "not disabled", "not false"],
    ["no", "off", "not enabled", "Disabled."],
    ["Postgres", "PostgreSQL", "postgres", "the Postgres"],
    ["US", "U.S.", "USA", "United States of America", "the United States"],
    ["小王"],
    ["小王子"],
    ["Café", "Cafe\u0301", "Ｃａｆé", "the  Café.", "CAFÉ"],
    ["Cafe"],
    ["ﬁsh", "fish", "Fish"],
    ["Straße", "STRASSE"],
    ["C"],
    ["C++"],
    ["C#"],
    ["prod-1", "prod–1", "PROD-1"],
    ["prod-11"],
    ["‘x’", "x", '"x"', "`x`", "“x.”"],
    ["not x", "not the x", "not `x`"],
    ["The The"],
    ["!!!"],
    ["???"],
    ["A", "a"],
]  # fmt: skip
NOTATIONS = [(row, text) for row, texts in enumerate(SAME_VALUE) for text in texts]


@pytest.mark.parametrize("texts", SAME_VALUE, ids=lambda texts: texts[0])
def test_notations_of_one_value_are_equal(texts: list[str]) -> None:
    assert {canonical(text) for text in texts} == {canonical(texts[0])}


def test_different_values_stay_different() -> None:
    firsts = [texts[0] for texts in SAME_VALUE]
    equal = [(one, two) for one, two in combinations(firsts, 2) if canonical(one) == canonical(two)]
    assert equal == []


def test_a_weekday_that_is_wrong_is_not_corrected() -> None:
    assert canonical("Wednesday, March 4, 2026") == canonical("2026-03-04")
    assert canonical("Thursday, March 4, 2026") != canonical("2026-03-04")


@pytest.mark.parametrize(("one", "two"), [("C++", "C#"), ("30.5", "305"), ("-5", "5"), ("prod-1", "prod-11")])
def test_names_that_differ_in_one_sign_stay_different(one: str, two: str) -> None:
    assert canonical_name(one) != canonical_name(two)
    assert canonical(one) != canonical(two)


@pytest.mark.parametrize(
    "texts",
    [
        ["Kai's", "kai", "Kai’s"],
        ["The Beatles", "the beatles", "  Beatles "],
        ["J. A. Happ", "J A Happ"],
        ["Apple Inc.", "Apple Inc"],
        ["plan_tier", "Plan tier"],
        ["Zürich", "Zu\u0308rich", "ＺÜＲＩＣＨ"],
        ["Rock 'n' Roll", "Rock n Roll"],
    ],
)
def test_spellings_of_one_name_are_equal(texts: list[str]) -> None:
    assert len({canonical_name(text) for text in texts}) == 1


def test_non_ascii_names_survive() -> None:
    assert canonical_name("小王") == "小王"
    assert canonical("Kūkai") == "kūkai" != canonical("Kukai")


def test_general_aliases_name_things_that_no_other_alias_renames() -> None:
    assert [canonical(name) for name in ALIASES.values()] == list(ALIASES.values())


def test_the_users_aliases_win_and_may_form_chains_or_circles() -> None:
    aliases = {"pg": "Postgres", "postgres": "PostgreSQL 16", "a1": "b1", "b1": "a1"}
    assert canonical("PG", aliases=aliases) == "postgresql 16"
    assert canonical("PG") == "pg"
    assert canonical("a1", aliases=aliases) == canonical("b1", aliases=aliases)


@pytest.mark.parametrize(
    ("first", "second", "single", "expected"),
    [
        ("x", "x", True, Relation.SAME),
        ("x", "y", True, Relation.CONFLICT),
        ("x", "y", False, Relation.COMPATIBLE),
        ("not x", "x", False, Relation.CONFLICT),
        ("x", "not x", True, Relation.CONFLICT),
        ("not x", "y", True, Relation.COMPATIBLE),
        ("not x", "not y", True, Relation.COMPATIBLE),
        ("not x", "not x", True, Relation.SAME),
        ("true", "false", False, Relation.CONFLICT),
        ("25 MB per file", "2 GB per account", True, Relation.COMPATIBLE),
        ("25 MB per file", "30 MB per file", True, Relation.CONFLICT),
        ("100 requests per minute", "5000 requests per day", True, Relation.COMPATIBLE),
        ("100 requests per minute", "200 requests per minute", True, Relation.CONFLICT),
        ("5% per year", "2% per month", True, Relation.COMPATIBLE),
        ("up to 3 seats per team", "up to 9 seats per account", True, Relation.COMPATIBLE),
        ("3/4", "1/2", True, Relation.CONFLICT),
        ("10.0.0.0/8", "10.0.0.0/16", True, Relation.CONFLICT),
        ("src/keys", "src/values", True, Relation.CONFLICT),
    ],
)
def test_relation_of_two_values(first: str, second: str, single: bool, expected: Relation) -> None:
    first, second = canonical(first), canonical(second)
    assert relation(first, second, single=single) is expected
    assert relation(second, first, single=single) is expected


HOSTILE = [
    "", " ", "\x00", "\ud800", "not", "not ", "the", "'s", "1e99", "1e-99", "9" * 5000, "1e" + "9" * 5000,
    "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "23:59:60", "24:00", "²", "①", "٣", "½",
    "\u202e1\u202c", "a" + "\u0301" * 31, "İ", "ß", "ﬃ", "¥٣", "12:٣٠",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_has_a_canonical_form(text: str) -> None:
    assert canonical(canonical(text)) == canonical(text)
    assert canonical_name(canonical_name(text)) == canonical_name(text)


@pytest.mark.endurance(seconds=2)
@given(
    st.one_of(st.text(), st.sampled_from(NOTATIONS).map(lambda row: row[1]), st.from_regex(r"[-+$€]?\d[\w ,./:%-]*"))
)
@example("the not x")
@example("not not x")
@example("5 - 3")
def test_canonical_forms_are_fixed_points(text: str) -> None:
    assert canonical(canonical(text)) == canonical(text)
    assert canonical_name(canonical_name(text)) == canonical_name(text)


@given(st.text(min_size=1).filter(lambda text: any(unicodedata.category(sign)[0] not in "CZ" for sign in text)))
@example("_")
def test_a_value_is_never_emptied_and_does_not_depend_on_the_unicode_form(text: str) -> None:
    assert canonical(text)
    assert canonical_name(text)
    if all(len(unicodedata.normalize("NFD", part)) < 20 for part in text.split()):
        assert canonical(unicodedata.normalize("NFC", text)) == canonical(unicodedata.normalize("NFD", text))


@given(st.integers(-(10**12), 10**12), st.integers(0, 6))
def test_decimals_are_exact(number: int, places: int) -> None:
    whole, part = divmod(abs(number), 10**places)
    decimals = f"{part:0{places}d}".rstrip("0") or "0"
    text = f"{'-' if number < 0 else ''}{whole}.{decimals}" if places else str(number)
    scaled = canonical(f"{number}e-{places}") if places else canonical(text)
    assert canonical(text) == scaled
    assert canonical(text) != canonical(f"{number + 1}e-{places}")


@pytest.mark.parametrize(
    "piece",
    [
        "not ",
        "a ",
        "'",
        ".'",
        "the ",
        "five ",
        "1",
        "1,000",
        ".",
        "é",
        "\u0301",
        "\u0316\u0301",
        "x.'s",
        "- ",
        "小",
        "5-",
    ],
)
def test_the_longest_text_costs_little_more_than_twice_half_of_it(piece: str) -> None:
    def seconds(size: int) -> float:
        text = (piece * size)[:size]
        best = 9.0
        for _ in range(5):
            start = time.perf_counter()
            canonical(text)
            canonical_name(text)
            best = min(best, time.perf_counter() - start)
        return best

    # a quadratic step would take 16 times as long for 4 times the text; a busy machine may take some of the rest
    assert seconds(16384) < 10 * seconds(4096) + 0.02
