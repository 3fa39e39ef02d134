"""The values judge by kinds of fault: what only looks like a contradiction, beside a control that is one."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from upheld.bench.pairs import CONTRADICTS, GIVEN, Labelled, strongest
from upheld.document import Finding
from upheld.judgement import judged
from upheld.judges import Values
from upheld.judges.naming import may_be_one


def _acts(note: str, text: str, *headings: str) -> bool:
    pair = Labelled(part=GIVEN, source=GIVEN, label=CONTRADICTS, note=note, doc=text, headings=headings)
    answers = judged(Values(), pair.pairs())
    assert not [answer.faults for answer in answers if answer.faults]
    verdict = strongest([answer.verdict for answer in answers if answer.verdict is not None])
    return verdict.acts and verdict.finding is Finding.CONTRADICTED


class _Kind(NamedTuple):
    """A note, documents that leave it open, and one that refutes it."""

    name: str
    note: str
    open: tuple[str, ...]
    refuted: str


_LIMIT = "The limit is 5."
_KINDS = (
    _Kind(
        "another spelling of a name",
        "The deployment tool is Argo CD.",
        ("The deployment tool is ArgoCD.", "The deployment tool is argo-cd."),
        "The deployment tool is Flux.",
    ),
    _Kind(
        "another form of a person's name",
        "The buyer is William Carter.",
        ("The buyer is Bill Carter.", "The buyer is W. Carter.", "The buyer is Carter, William."),
        "The buyer is Rosa Delgado.",
    ),
    _Kind(
        "a place and what it lies in",
        "The archive is hosted in Europe.",
        ("The archive is hosted in Ireland.", "The archive is hosted in the EU."),
        "The archive is hosted in Asia.",
    ),
    _Kind(
        "a product and a part of it",
        "The crawler is hosted on AWS.",
        ("The crawler is hosted on EC2.", "The crawler is hosted on Lambda."),
        "The crawler is hosted on Heroku.",
    ),
    _Kind(
        "a team, a post and a person",
        "The ledger is managed by Dana Whitfield.",
        ("The ledger is managed by the RevOps team.", "The ledger is managed by the CFO."),
        "The ledger is managed by Luis Ortega.",
    ),
    _Kind(
        "a code and a name",
        "The region of the bucket is us-east-1.",
        ("The region of the bucket is N. Virginia.", "The region of the bucket is US East (N. Virginia)."),
        "The region of the bucket is eu-west-2.",
    ),
    _Kind(
        "a sort of thing and its name",
        "The payment method of Contoso is credit card.",
        ("The payment method of Contoso is Visa.",),
        "The payment method of Contoso is direct debit.",
    ),
    _Kind(
        "statuses that mean the same",
        "The order status is shipped.",
        ("The order status is dispatched.",),
        "The order status is cancelled.",
    ),
    _Kind(
        "figures that are told less exactly",
        "The turnover is 4.2 million EUR.",
        ("The turnover is EUR 4,187,220.", "The turnover is 4,200k EUR."),
        "The turnover is 4.6 million EUR.",
    ),
    _Kind(
        "units that convert to no whole number",
        "The weight limit is 23 kg.",
        ("The weight limit is 50 lbs.",),
        "The weight limit is 70 lbs.",
    ),
    _Kind(
        "a case that is put in front",
        "The annual leave is 25 days.",
        (
            "After ten years of service, annual leave is 28 days.",
            "For staff above grade 7, annual leave is 28 days.",
            "From the third year, annual leave is 28 days.",
        ),
        "As of today, annual leave is 28 days.",
    ),
    _Kind(
        "a subject that has more to its name",
        "Acme is on the Growth plan.",
        ("Acme's subsidiary Acme Labs is on the Enterprise plan.",),
        "Acme is on the Enterprise plan.",
    ),
    _Kind(
        "another number in the subject",
        "Support for version 4 is included.",
        ("Support for version 3 has ended.", "Support for version 3 was dropped."),
        "Support for version 4 has ended.",
    ),
    _Kind(
        "an ending for some days",
        "The shuttle runs daily.",
        ("The shuttle was discontinued on Sundays.", "The shuttle was cancelled on 3 March 2026."),
        "The shuttle was discontinued on 3 March 2026.",
    ),
    _Kind(
        "a change that is taken back",
        _LIMIT,
        (
            "The limit was raised to 9 and then lowered to 5 again.",
            "The limit was raised to 9. This was reverted on Monday.",
            "The limit was raised to 9. It is back at 5.",
            "The limit was to be raised to 9.",
            "The limit is being raised to 9.",
            "For the time being, the limit is 9.",
            "2023: limit raised from 5 to 9. 2024: limit lowered from 9 to 5.",
        ),
        "The limit was raised to 9. This was announced on Monday.",
    ),
    _Kind(
        "a move that returns",
        "Orders stores data in MongoDB.",
        ("Orders moved from MongoDB to PostgreSQL and later back to MongoDB.",),
        "Orders moved from MongoDB to PostgreSQL.",
    ),
    _Kind(
        "a setting that is switched off or void",
        _LIMIT,
        (
            "<!-- limit: 9 -->",
            "// limit = 9",
            "--limit 9",
            "-limit: 9\n+limit: 5",
            "- limit: 9 (deprecated, ignored)",
            "[Archived] The limit is 9.",
            "The limit is 9. (This page is out of date.)",
        ),
        "- limit: 9 (default)",
    ),
    _Kind(
        "parents of nested settings",
        _LIMIT,
        (
            "staging:\n  limit: 9",
            "[retries]\nlimit = 9",
            "file: dev.yaml\nlimit: 9",
            "profiles:\n  loadtest:\n    limit: 9",
            "payments:\n  limit: 9",
        ),
        "settings:\n  limit: 9",
    ),
    _Kind(
        "headings that name one of several",
        _LIMIT,
        ("# 1.0 (2019)\n\nThe limit is 9.", "# Customer: Initech\n\nlimit: 9", "# API v2\n\nThe limit is 9."),
        "# 1.2 Limits\n\nThe limit is 9.",
    ),
    _Kind(
        "records of another",
        "The plan of Acme Corp is Growth.",
        (
            "Customer: Globex\nPlan: Enterprise",
            "Customer: Acme Corp\nFormer plan: Enterprise",
            "Customer: Acme Corp\nStatus: active\n\nCustomer: Globex\nPlan: Enterprise",
            "Not Acme Corp\n- Plan: Enterprise",
        ),
        "Customer: Acme Corp\nStatus: active\nPlan: Enterprise",
    ),
    _Kind(
        "spans of another or for some days",
        "The sales hotline is open from 8:00 to 18:00.",
        (
            "The sales hotline is open from 8 am to 6 pm.",
            "The support hotline is open from 9:00 to 17:00.",
            "The sales hotline is open from 10:00 to 14:00 on Saturdays.",
        ),
        "The sales hotline is open from 9:00 to 17:00.",
    ),
    _Kind(
        "days of the month",
        "Payslips are sent on the 1st of each month.",
        ("Payslips are sent on the first day of each month.", "Invoices are sent on the 5th of each month."),
        "Payslips are sent on the 5th of every month.",
    ),
    _Kind(
        "who holds an office",
        "Kim Larsen is the head of treasury.",
        (
            "Head of treasury: K. Larsen",
            "Head of treasury (until 2022): Oleg Ivanov",
            "Head of treasury (backup): Oleg Ivanov",
            "The head of treasury is Danish.",
            "The head of treasury is on leave.",
            "The deputy head of treasury is Oleg Ivanov.",
        ),
        "Head of treasury: Oleg Ivanov",
    ),
    _Kind(
        "one of two places",
        "Outages are posted in #status.",
        (
            "Outages are posted in #incidents, not only in #status.",
            "Drills are posted in #drills, not in #status.",
        ),
        "Outages are posted in #incidents, not in #status.",
    ),
    _Kind(
        "what is paid as long as a thing is there",
        "The gym allowance is 40 EUR per month.",
        ("The gym allowance form was abolished.", "The bike allowance was abolished."),
        "The gym allowance was abolished on 1 March 2026.",
    ),
    _Kind(
        "a topic in front of a sentence",
        "Redis is used for session storage.",
        ("Rate limiting: we replaced Redis with DynamoDB.",),
        "Session storage: we replaced Redis with DynamoDB.",
    ),
    _Kind(
        "what is provided, and provided that",
        "Visa processing is provided by Newland.",
        ("Visa processing is provided by Fragomen, provided that the board agrees.",),
        "Visa processing is provided by Fragomen.",
    ),
    _Kind(
        "shares near the whole",
        "The target of the platform is 99.9%.",
        ("The target of the platform is 99.90 percent.",),
        "The target of the platform is 99.95%.",
    ),
    _Kind(
        "a past in brackets",
        "Unit price: $100 per unit",
        ("Unit price: $100 per unit (the $90 was last year's)", "Unit price (until 2022): $150 per unit"),
        "Unit price: $150 per unit (the $100 was last year's)",
    ),
    _Kind(
        "rows of a table that begin with a capital",
        "The return window for electronics is 30 days.",
        ("| Category | Return window |\n|---|---|\n| Clothing | 14 days |",),
        "| Category | Return window |\n|---|---|\n| Clothing | 60 days |\n| Electronics | 14 days |",
    ),
    _Kind(
        "a price that has a narrower name",
        "The price of the kit is 100 EUR.",
        ("| Item | Cost price |\n|---|---|\n| kit | 60 EUR |",),
        "| Item | Price |\n|---|---|\n| kit | 60 EUR |",
    ),
    _Kind(
        "a date that another verb has",
        "The contract ends on 31 December 2026.",
        ("The contract, extended until 30 June 2025, ends on 31 December 2026.",),
        "The contract ends on 30 June 2027.",
    ),
    _Kind(
        "a setting with dots",
        "The gateway timeout is 10 seconds.",
        ("gateway.connect.timeout = 25s", "gateway.timeout = 10000ms"),
        "gateway.timeout = 25s",
    ),
    _Kind(
        "a succession that the note tells of itself",
        "He succeeded his father as baronet in 1848.",
        ("He succeeded his father as baronet in 1848.", "In 1848 he succeeded his father as baronet."),
        "He succeeded his father as baronet in 1849.",
    ),
    _Kind(
        "what the note itself says is not so",
        "Backups use Glacier instead of S3.",
        ("Backups use Glacier instead of S3.", "Backups use Glacier rather than S3."),
        "Backups use S3 instead of Glacier.",
    ),
    _Kind(
        "an end that the note tells of itself",
        "The contract with Acme expired.",
        ("The contract with Acme expired.", "In March the contract with Acme expired."),
        "The contract with Acme never expired.",
    ),
)


@pytest.mark.parametrize("kind", _KINDS, ids=lambda kind: kind.name)
def test_what_only_looks_like_a_contradiction_is_not_acted_on_and_its_control_is(kind: _Kind) -> None:
    assert [text for text in kind.open if _acts(kind.note, text)] == []
    assert _acts(kind.note, kind.refuted)


@pytest.mark.parametrize(
    ("note", "text", "headings"),
    [
        ("The status of spec 41 is provisional.", "The status of spec 41 is Superseded.", ()),
        ("The status of SPEC-41 is implemented.", "The status of SPEC-41 is superseded.", ("SPEC-41: Leases",)),
        ("SPEC-41 (Legacy Leases) is in use.", "SPEC-41 (Legacy Leases) is no longer in use.", ()),
    ],
)
def test_a_status_a_name_in_brackets_and_a_numbered_title_hide_no_contradiction(
    note: str, text: str, headings: tuple[str, ...]
) -> None:
    assert _acts(note, text, *headings)
    assert not _acts(note, text.replace("41", "43"), *headings), "of another one"


def test_statuses_that_may_be_one_and_what_is_marked_in_brackets_are_left_open() -> None:
    assert not _acts("The status of spec 41 is provisional.", "The status of spec 41 is draft.")
    assert not _acts("The limit is 5.", "The limit is 9 (legacy).")
    assert not _acts("The limit is 5.", "The limit is 9.", "Customer: Initech")
    assert _acts("The limit is 5.", "The limit is 9.")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Müller GmbH", "Mueller"),
        ("María José Pérez", "Maria Jose Perez"),
        ("Wei Zhang", "Zhang Wei"),
        ("IBM", "International Business Machines"),
        ("PwC", "PricewaterhouseCoopers"),
        ("SES", "Amazon Simple Email Service"),
        ("New York", "NYC"),
        ("Bangalore", "Bengaluru"),
        ("DE", "Germany"),
        ("USD", "US dollars"),
        ("grey", "gray"),
        ("Python", "Django"),
    ],
)
def test_two_names_that_may_be_one(one: str, other: str) -> None:
    assert may_be_one(one, other)
    assert may_be_one(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Müller GmbH", "Meier GmbH"),
        ("Anna Lind", "Bo Ek"),
        ("Anna Lind", "Sofia Lind"),
        ("db-01", "db-02"),
        ("KPMG", "Deloitte"),
        ("eu-west-1", "eu-central-1"),
        ("Iran", "Iraq"),
        ("Java", "JavaScript"),
        ("Payments team", "Identity team"),
    ],
)
def test_two_names_that_are_of_two(one: str, other: str) -> None:
    assert not may_be_one(one, other)
    assert not may_be_one(other, one)
