"""Plain statements, without keys: what retires what, from words to the store."""

from __future__ import annotations

import pytest

import upheld
from upheld import Standing
from upheld.keys import extract
from upheld.values import Relation, canonical, relation


def standings(first: str, second: str) -> tuple[Standing, bool]:
    """How the first statement stands after the second, a day later, and whether the second was written."""
    memory = upheld.open(":memory:", embedder=None)
    old = memory.remember(first, by="person:ana", observed_at="2026-01-10")
    new = memory.remember(second, by="person:ana", observed_at="2026-01-11")
    return memory.get(old.id).standing, new.id != old.id


# In threes: what was said, what holds beside it, and what takes its place.
BESIDE = [
    # told of the past
    ("The owner of the shop is Dana.", "The owner of the shop was Felix until 2019.", "The owner of the shop is Ida."),
    ("The owner of the shop is Dana.", "In 2019, the owner of the shop was Felix.", "Ida is the owner of the shop."),
    ("The shop is owned by Dana.", "The shop was owned by Felix.", "The shop is owned by Ida."),
    ("The shop is owned by Dana.", "The shop wasn't owned by Dana in 2019.", "The shop is no longer owned by Dana."),
    ("Maria is based in Porto.", "Maria was based in Braga.", "Maria has moved to Madrid."),
    ("The committee met on Monday.", "The committee met on Friday.", None),
    ("The train arrived at 9:02.", "The train arrived at 9:10.", None),
    ("The train arrives at 9:02.", "The train arrived at 9:10.", "The train arrives at 9:10."),
    ("Mia ran a stall in Berlin.", "Mia ran a stall in Boston.", None),
    ("The film was directed by Ann.", "The film was directed by Bob.", None),
    ("The deadline is Friday.", "The deadline was Monday.", "The deadline was moved to Monday."),
    ("The ticket was assigned to Mo.", "The ticket was reported by Ida.", "The ticket was assigned to Ida."),
    # one of several
    ("Anna's brother is Tom.", "Anna's brother is Ben.", None),
    ("Anna's oldest brother is Tom.", "Anna's younger brother is Ben.", "Anna's oldest brother is Ben."),
    ("Our supplier is Bosch.", "Our supplier is Siemens.", None),
    ("Our main supplier is Bosch.", "Our backup supplier is Siemens.", "Our main supplier is Siemens."),
    ("The founder of Acme is Ann.", "The founder of Acme is Bob.", None),
    ("Ann owns Acme.", "Bob founded Acme.", "Bob owns Acme."),
    ("The API is called by billing.", "The API is called by checkout.", None),
    ("The API is called Lind.", "The API is called by checkout.", "The API is called Gull."),
    ("German is spoken in Austria.", "German is spoken in Belgium.", None),
    ("Dana belongs to the choir.", "Dana belongs to the chess club.", "Dana no longer belongs to the choir."),
    ("Lea works for Bosch.", "Lea works for free.", "Lea works for Siemens."),
    ("The museum is closed on Monday.", "The museum is closed on Christmas.", "The museum is not closed on Monday."),
    ("The pump was replaced in May.", "The pump was replaced in August.", None),
    ("Dana is on the board.", "Dana is on the committee.", None),
    ("I have lived in Oslo.", "I have lived in Bergen.", None),
    ("I live in Oslo.", "I have lived in Bergen.", "I live in Bergen."),
    ("The hall is available on Monday.", "The hall is available on Tuesday.", None),
    ("Sam takes 20 mg of aspirin.", "Sam takes 5 mg of ramipril.", "Sam takes 10 mg of aspirin."),
    ("The app requires iOS 16.", "The app requires Android 10.", "The app requires iOS 17."),
    ("The API runs on port 443.", "The API runs on Fargate.", "The port of the API is 8443."),
    # counted by another base
    ("The limit is 25 MB per file.", "The limit is 2 GB per account.", "The limit is 30 MB per file."),
    ("The limit is 9 calls per minute.", "The limit is 5000 calls per day.", "The limit is 20 calls per minute."),
    ("The quota is 5 GB a user.", "The quota is 90 GB an office.", "The quota is 8 GB a user."),
    ("The rate is 5% per year.", "The rate is 2% per month.", "The rate is 4% per year."),
    # in another role, or in another place
    ("Jira was replaced by Linear as the tracker.", "Jira was replaced by Asana as the roadmap tool.",
     "Linear was replaced by Jira as the tracker."),
    ("We replaced RabbitMQ with NATS as the broker.", "We replaced RabbitMQ with SQS as the job queue.",
     "The broker is Kafka."),
    ("MySQL was replaced by Postgres in billing.", "MySQL was replaced by DynamoDB in sessions.",
     "MySQL was replaced by DynamoDB in billing."),
    ("The CEO of Acme is Ana.", "Bo replaced Ana as a director of Acme.", "Bo replaced Ana as CEO of Acme."),
    ("Ana was replaced by Bo.", "Ana was replaced by Cy for the fair.", "Ana was replaced by Cy."),
    # under another condition
    ("In May, the shop closes at 18:00.", "In July, the shop closes at 20:00.", "In May, the shop closes at 19:00."),
    ("The fee is 20 euros per person.", "The fee is 150 euros per group.", "The fee is 25 euros per person."),
    ("The deadline is Friday for Sales.", "The deadline is Monday for Legal.", "The deadline is Monday for Sales."),
    ("The pool opens at 7 on weekdays.", "The pool opens at 9 on Sundays.", "The pool opens at 8 on weekdays."),
    ("The pool opens at 7:00.", "On Sundays, the pool opens at 9:00.", "The pool opens at 8:00."),
    ("The shop closes at 6 in winter.", "The shop closes at 8 in summer.", "The shop closes at 5 in winter."),
    ("The API runs on port 443 in staging.", "The API runs on port 80 in prod.", "The API runs on port 80 in staging."),
    ("Entry costs €10 for adults.", "Entry costs €5 for children.", "Entry costs €12 for adults."),
    ("The Pro plan costs $12 per month.", "The Pro plan costs $120 per year.", "The Pro plan costs $15 per month."),
    ("The clinic is closed on Mondays.", "The clinic is closed on Sundays.", None),
    ("The shop is run by Ana in Berlin.", "The shop is run by Bo in Paris.", None),
    ("The shop is run by Ana.", "The shop is run by Bo in Paris.", "The shop is run by Bo."),
    ("The cook is Ana.", "The cook is Bo during the fair.", "The cook is Bo."),
    ("The site runs on Caddy.", "The site runs on Nginx during load tests.", "The site runs on Nginx."),
    # not yet
    ("The cook is Ana.", "The cook is Bo tomorrow.", "The cook is Bo now."),
    ("The fee of the course is 20 euros.", "The fee of the course is 25 euros next year.", "The course's fee is €25."),
    ("The fee is 20 euros next year.", "The fee is 18 euros.", "The fee is 25 euros next year."),
    ("Lea lives in Oslo.", "Lea lives in Bergen next month.", "Lea lives in Bergen."),
    ("The pool opens at 7:00.", "The pool opens at 9:00 tomorrow.", "The pool opens at 9:00."),
    ("The fair is in May next year.", "The fair in Rome is in June.", "The fair is in June next year."),
    # moves of two things
    ("We migrated from Jira to Notion.", "We migrated from MySQL to Redis.", "We migrated from Notion to Linear."),
    ("Ola switched from tea to coffee.", "Ola switched from Vim to Emacs.", "Ola switched from black coffee to milk."),
    ("Karin moved from Malmo to Uppsala.", "Karin moved from sales to support.", "Karin moved from Uppsala to Lund."),
    # and more
    ("The cook is Ana.", "The cook is not only Ana but also Bo.", "The cook is not Ana but Bo."),
    ("The cook is Ana.", "The cook isn't just Ana.", "The cook isn't Ana."),
    ("Omar eats fish.", "Omar doesn't only eat fish.", "Omar doesn't eat fish."),
    # what is over
    ("The lead is Ana.", "The lead is not Bo.", "The lead is no longer Ana; it is Bo."),
    ("CI uses Kong.", "CI no longer uses Nginx; it uses Kong.", "CI no longer uses Kong; it uses Nginx."),
    ("CI runs on Jenkins.", "CI no longer runs on Bamboo.", "CI no longer runs on Jenkins but on Buildkite."),
    # a day and its hour
    ("The call is on Friday.", "The call is on Friday at 9:00.", "The call is on Thursday at 9:00."),
    ("The call is on Friday at 9:00.", "The call is on Friday.", "The call is on Friday at 10:00."),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), [row[:2] for row in BESIDE])
def test_a_later_statement_that_leaves_room_retires_nothing_and_is_kept(first: str, second: str) -> None:
    assert standings(first, second) == (Standing.IN_FORCE, True)


@pytest.mark.parametrize(("first", "second"), [(row[0], row[2]) for row in BESIDE if row[2]])
def test_a_later_value_takes_the_place_of_the_earlier(first: str, second: str) -> None:
    assert standings(first, second)[0] is Standing.SUPERSEDED


@pytest.mark.parametrize(
    ("first", "second", "standing"),
    [
        ("Ada visited Rome in May.", "Ada visited Rome in June.", Standing.IN_FORCE),
        ("Ana is on leave until May.", "Ana is on leave until August.", Standing.SUPERSEDED),
        ("The fair takes place in Rome in May.", "The fair takes place in Rome in June.", Standing.IN_FORCE),
    ],
)
def test_one_value_with_another_day_behind_it_is_no_echo(first: str, second: str, standing: Standing) -> None:
    assert standings(first, second) == (standing, True)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Ana is on leave until May.", "Ana is on leave until May."),
        ("The fair takes place in Rome in May.", "The fair takes place in Rome."),
        ("As of May, the fee is 20 euros.", "As of June, the fee is 20 euros."),
        ("The fee is 20 euros since May.", "The fee is 20 euros since June."),
    ],
)
def test_one_value_with_no_other_day_confirms(first: str, second: str) -> None:
    assert standings(first, second) == (Standing.IN_FORCE, False)


def test_texts_about_one_moment_are_compared_though_a_later_one_would_leave_room() -> None:
    one, two = extract("The film was directed by Ann."), extract("The film was directed by Bob.")
    assert one is not None
    assert two is not None
    assert one.single
    assert not one.ends
    assert relation(canonical(one.value), canonical(two.value), single=one.single) is Relation.CONFLICT


@pytest.mark.parametrize(("attributes", "retired"), [({}, False), ({"one": {"names": ["use"]}}, True)])
def test_the_policy_overrules_the_room_between_two_moves(attributes: dict[str, object], retired: bool) -> None:
    memory = upheld.open(":memory:", embedder=None, policy={"attributes": attributes})
    old = memory.remember("We migrated from Jenkins to GitLab.")
    memory.remember("We migrated from MySQL to Redis.")
    assert (memory.get(old.id).standing is Standing.SUPERSEDED) is retired


def test_a_move_that_arrives_late_becomes_history_of_the_one_that_left_its_value() -> None:
    memory = upheld.open(":memory:", embedder=None)
    memory.remember("Orders switched from Redis to Kafka.", observed_at="2026-01-11")
    late = memory.remember("Orders switched from RabbitMQ to Redis.", observed_at="2026-01-10")
    assert late.outcome == "history"


@pytest.mark.parametrize(("attributes", "retired"), [({}, False), ({"one": {"names": ["brother"]}}, True)])
def test_the_policy_overrules_the_room_that_words_leave(attributes: dict[str, object], retired: bool) -> None:
    memory = upheld.open(":memory:", embedder=None, policy={"attributes": attributes})
    old = memory.remember("Anna's brother is Tom.", by="person:ana", observed_at="2026-01-10")
    memory.remember("Anna's brother is Ben.", by="person:ana", observed_at="2026-01-11")
    assert (memory.get(old.id).standing is Standing.SUPERSEDED) is retired
