"""Keys without a model: what is found is right, two facts never share a key by mistake, and a guess has none."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from statements import KEYED, TOPICS, WITHOUT_KEY, WITHOUT_TOPIC
from upheld.keys import Extracted, extract, read, topic
from upheld.values import Relation, canonical, canonical_name, relation

DATA = Path(__file__).parents[2] / "shared" / "data" / "factconsolidation"


def key(statement: str) -> tuple[str, str] | None:
    found = extract(statement)
    return None if found is None else (canonical_name(found.subject), canonical_name(found.attribute))


def compared(first: str, second: str) -> Relation | None:
    """How two statements relate; None where they have no key in common."""
    one, two = extract(first), extract(second)
    if one is None or two is None or key(first) != key(second):
        return None
    return relation(canonical(one.value), canonical(two.value), single=one.single and two.single)


@pytest.mark.parametrize(
    ("statement", "subject", "attribute", "value", "single"), KEYED, ids=lambda each: str(each)[:60]
)
def test_a_plain_statement_has_this_key(statement: str, subject: str, attribute: str, value: str, single: bool) -> None:
    found = extract(statement)
    assert found is not None
    assert replace(found, beside=False) == Extracted(subject=subject, attribute=attribute, value=value, single=single)


@pytest.mark.parametrize("statement", WITHOUT_KEY)
def test_no_key_where_it_would_be_a_guess(statement: str) -> None:
    assert extract(statement) is None


@pytest.mark.parametrize(("statement", "expected"), TOPICS)
def test_a_statement_is_about_its_first_subject(statement: str, expected: str) -> None:
    assert topic(statement) == expected


@pytest.mark.parametrize("statement", WITHOUT_TOPIC)
def test_no_topic_where_it_would_be_a_guess(statement: str) -> None:
    assert topic(statement) is None


@pytest.mark.parametrize("statement", [row[0] for row in KEYED] + WITHOUT_KEY + WITHOUT_TOPIC)
def test_reading_finds_the_key_that_extraction_finds(statement: str) -> None:
    assert read(statement) == (extract(statement), topic(statement))


SAME_KEY = [
    ("The capital of France is Paris.", "Lyon is the capital of France"),
    ("The treasurer of the club is Ines Duarte.", "Ravi Iyer is the club's treasurer."),
    ("Priya lives in Pune.", "Priya has moved to Chennai."),
    ("The meeting is on Wednesday", "The meeting moved to Friday"),
    ("The deadline for the report is Friday.", "The deadline for the report was pushed back to Monday"),
    ("The invoice total is 4,200 EUR", "The invoice total was corrected to 4,350 EUR"),
    ("We use Terraform for infrastructure.", "We switched to Pulumi for infrastructure because the team knows it"),
    ("Orders moved from MongoDB to PostgreSQL", "Orders has switched to MySQL."),
    ("My plan is Team", "I'm now on the Pro plan."),
    ("Our message broker is RabbitMQ", "We chose Kafka as our message broker"),
    ("Dana leads the search team", "The search team is led by Kofi"),
    ("The song was composed by Ida Berg.", "Ola Dahl composed the song."),
    ("Kai’s bike is red", "The colour of Kai's bike is blue."),
    ("The rent is $1,450 a month.", "The rent went up to $1,600 a month."),
    ("Café Nord is located in Oslo", "Cafe\u0301 Nord is located in Bergen"),
    ("会议在周三", "会议改到周五"),
    ("The price of a kayak rental is 18 euros a month.", "The price of a kayak rental is 23 euros a month."),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), SAME_KEY)
def test_two_wordings_of_one_relation_conflict(first: str, second: str) -> None:
    assert compared(first, second) is Relation.CONFLICT


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Kai's bike is red", "Kai's car is blue"),
        ("The port for staging is 6543", "The port for production is 5432"),
        ("The port is 6543 in staging", "The port is 5432 in production"),
        ("The author of Emma is Jane Austen", "The author of Emma Bovary is Gustave Flaubert"),
        ("server prod-1 is in Oslo", "server prod-11 is in Bergen"),
        ("Lea was born in 1990", "Lea was born in Lyon"),
        ("Omar works for Equinor", "Omar worked for Shell"),
        ("The owner of the shop is Al", "The former owner of the shop is Bo"),
        ("The train leaves at 09:00", "The train arrives at 11:00"),
        ("C++ is developed by Bjarne Stroustrup", "C# is developed by Microsoft"),
        ("Denmark is located in the continent of Europe", "Denmark is located in the city of Aarhus"),
    ],
)
def test_different_facts_have_different_keys(first: str, second: str) -> None:
    assert key(first)
    assert key(second)
    assert key(first) != key(second)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Omar eats fish", "Omar eats rice", Relation.COMPATIBLE),
        ("Omar eats fish", "Omar no longer eats fish", Relation.CONFLICT),
        ("Omar eats rice", "Omar no longer eats fish", Relation.COMPATIBLE),
        ("Omar doesn't eat fish", "Omar stopped eating fish", Relation.SAME),
        ("The plan is 3 seats", "plan: three seats", Relation.SAME),
        ("The plan is 3 seats", "plan: 30 seats", Relation.CONFLICT),
        ("The hold time of an order is 15 minutes.", "The hold time of an order is 900 seconds.", Relation.SAME),
        ("The price of a seat is 18 euros a month.", "The price of a seat is €18/month.", Relation.SAME),
        ("The cache is Redis, running beside the API.", "The cache is Redis.", Relation.SAME),
        ("The CEO of Acme is Bob", "The CEO of Acme is no longer Bob", Relation.CONFLICT),
        ("The flag is enabled", "The flag is not enabled", Relation.CONFLICT),
    ],
)
def test_values_of_one_key_relate(first: str, second: str, expected: Relation) -> None:
    assert compared(first, second) is expected


# --- any names ------------------------------------------------------------------------------------------

TEMPLATES = [
    "The {noun} of {s} is {v}.",
    "The {noun} of {s} was {v}.",
    "{s}'s {noun} is {v}",
    "{s} was founded by {v}.",
    "{s} was born in the city of {v}",
    "{s} is located in the country of {v}",
    "{s} is married to {v}",
    "{s} plays the position of {v}",
    "{s} is a citizen of {v}.",
    "{s} works for {v}",
    "{s} lives in {v}.",
    "{s} speaks {v}",
    "{s} does not use {v}",
    "{s} is affiliated with the religion of {v}",
    "{s} stores its data in {v}",
    "{s} uses {v} for search",
    "{s} costs {v}",
    "{s} has been replaced by {v}",
    "The university where {s} was educated is {v}",
    "The company that produced {s} is {v}.",
    "The type of music that {s} plays is {v}",
    "The headquarters of {s} is located in the city of {v}.",
    "As of June 2026, the {noun} of {s} is {v} because it was decided",
]
_SYLLABLES = st.sampled_from("ka lo mi ne ru ta vo za bel dor fin gar hul jas kim nor pel sun tor wex".split())
_WORD = st.lists(_SYLLABLES, min_size=2, max_size=4).map(lambda parts: "".join(parts).capitalize())
_LINKED = st.tuples(_WORD, st.sampled_from(["of", "of the", "and", "in the", "von", "de", "&", "-"]), _WORD).map(
    " ".join
)
NAME = st.one_of(_WORD, st.lists(_WORD, min_size=2, max_size=3).map(" ".join), _LINKED)
NOUN = st.sampled_from(
    ["capital", "head coach", "chief executive officer", "current leader", "official language", "rank"]
)


@given(st.sampled_from(TEMPLATES), NAME, NAME, NAME, NOUN)
def test_two_values_of_one_subject_share_the_key_and_show_as_they_stand(
    template: str, subject: str, one: str, two: str, noun: str
) -> None:
    first, second = (template.format(s=subject, v=value, noun=noun) for value in (one, two))
    assert key(first) is not None
    assert key(first) == key(second)
    found = extract(first)
    assert found is not None
    assert canonical(found.value.removeprefix("not ")) == canonical(one)


@given(st.sampled_from(TEMPLATES), NAME, NAME, NAME, NOUN)
def test_two_subjects_never_share_a_key(template: str, one: str, two: str, value: str, noun: str) -> None:
    assume(canonical_name(one) != canonical_name(two))
    assert key(template.format(s=one, v=value, noun=noun)) != key(template.format(s=two, v=value, noun=noun))


@given(st.sampled_from(TEMPLATES), st.sampled_from(TEMPLATES), NAME, NAME)
def test_two_relations_of_one_subject_never_share_a_key(first: str, second: str, subject: str, value: str) -> None:
    def relation_of(template: str) -> str:
        same = {"The {noun} of {s} is {v}.", "The {noun} of {s} was {v}.", "{s}'s {noun} is {v}", TEMPLATES[-1]}
        return "noun" if template in same else template

    assume(relation_of(first) != relation_of(second))
    assert key(first.format(s=subject, v=value, noun="capital")) != key(second.format(s=subject, v=value, noun="rank"))


@pytest.mark.parametrize("template", ["{} is on the Pro plan", "The owner of {} is Dana", "{} moved to PostgreSQL"])
def test_two_hundred_subjects_of_one_template_have_two_hundred_keys(template: str) -> None:
    subjects = [f"service {number}" for number in range(100)] + [f"Team {number:03}" for number in range(100)]
    assert len({key(template.format(subject)) for subject in subjects}) == 200


# --- any text -------------------------------------------------------------------------------------------

_PIECES = st.sampled_from(
    """is was isn't been be will has had does not no longer never the The a of to from for in on at by as with it my Our
    who that where because until , . x, x. : = ( ) (x x) 's Kai Kai's s' "Kai 2026 March Friday 10:00 $5 30% I'm and but
    moved used uses plan ; it we now but scheduled born called one old \ud800 \u0301 小王 在 是""".split()
)


@given(st.one_of(st.text(max_size=450), st.lists(_PIECES, max_size=12).map(" ".join)))
def test_no_text_breaks_the_extractor_and_what_it_finds_is_whole(text: str) -> None:
    found, named = read(text)
    assert named is None or (named and len(named) <= 400)
    if found is not None:
        assert found.subject
        assert found.attribute
        assert found.value


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\x00",
        "\ud800 is \ud800",
        "a" * 400,
        "is " * 130,
        "x " * 200 + "is y",
        "(" * 400,
        ", see Poplar station ( disambiguation ) .",
    ],
)
def test_hostile_text_is_no_trouble(text: str) -> None:
    read(text)
    assert extract("The capital of France is Paris. " + text * 20) is None or len(text) * 20 < 400


# --- an invented record, in the tree ----------------------------------------------------------------------

RECORD = Path(__file__).parents[1] / "examples" / "pierhead"
RECORD_KEYS = [
    ("boarding app", "session lifetime"),
    ("boarding scans", "retention period"),
    ("boarding service", "on-call rota owned by"),
    ("booking service", "log level"),
    ("booking service", "store data in"),
    ("handheld rental", "price"),
    ("metrics", "kept in"),
    ("reservations sailings and passenger lists", "based in"),
    ("support questions from operators", "answered in"),
    ("ticket mails", "sent by"),
    ("timetable cache", "is"),
    ("unpaid booking", "hold time"),
]


def test_the_example_record_has_these_keys_with_one_value_and_no_others() -> None:
    found = set()
    for path in RECORD.glob("*/*.md"):
        body = " ".join(path.read_text("utf-8").split("+++")[2].split())
        extracted = extract(body)
        if extracted is not None and extracted.single:
            found.add((canonical_name(extracted.subject), canonical_name(extracted.attribute)))
    assert sorted(found) == RECORD_KEYS


# --- a public set, where it is at hand ------------------------------------------------------------------


@pytest.mark.skipif(not DATA.is_dir(), reason="public sets lie beside the checkout only on some machines")
def test_facts_of_a_public_set_have_keys_and_siblings_share_them() -> None:
    statements: set[str] = set()
    for path in DATA.glob("*_sh_*.json"):
        statements.update(re.findall(r"^\d+\. (.*)$", json.loads(path.read_text("utf-8"))["context"], re.MULTILINE))
    keyed = {statement: key(statement) for statement in statements}
    assert len(statements) > 1000
    assert sum(each is not None for each in keyed.values()) >= 0.99 * len(statements)
    # What stands in front of the value is the relation and its subject, whatever the extractor makes of them.
    stems: dict[str, set[tuple[str, str] | None]] = {}
    owners: dict[tuple[str, str], set[str]] = {}
    for statement, each in keyed.items():
        found = extract(statement)
        if found is not None and each is not None and found.value in statement:
            stem = statement[: statement.rindex(found.value)]
            stems.setdefault(stem, set()).add(each)
            owners.setdefault(each, set()).add(stem)
    assert [stem for stem, keys in stems.items() if len(keys) > 1] == []
    assert [each for each, stems_of in owners.items() if len(stems_of) > 1] == []
