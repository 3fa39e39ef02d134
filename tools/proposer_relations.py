"""Self-written sentences on one thing each: what agrees, what contradicts, and what is silent though much is shared.

Of two sentences that share the subject and not the relation, or the relation and not the subject, neither says
anything of the other. Pairs of public sets hold few of these; notes and documents hold little else.
"""

from __future__ import annotations

import random

from proposer_words import FAMILY_NAMES, FIRST_NAMES, MONTHS, NATIONALITIES, PLACES, TRADES

_ADJECTIVES = "Silent Golden Broken Northern Hidden Empty Distant Crimson Old Last Paper Winter".split()
_NOUNS = "River Garden Mirror Harbour Mountain Letter Station Orchard Lantern Bridge Island Door".split()
_SYSTEMS = "billing orders search login payments reporting shipping catalogue backup mail".split()
_COMPANIES = ("Ltd", "and Sons", "Media", "Foods", "Bank", "Group")

# By the sort of the subject: each relation as several ways to say it, and the sort of what it names.
RELATIONS: dict[str, tuple[tuple[tuple[str, ...], str], ...]] = {
    "person": (
        (("{s} is married to {o}.", "{o} is the spouse of {s}.", "{s} and {o} are married."), "person"),
        (("{s} works for {o}.", "{s} is employed by {o}.", "{o} employs {s}."), "company"),
        (("{s} lives in {o}.", "{s}'s home is in {o}.", "{s} resides in {o}."), "city"),
        (("{s} was born in {o}.", "The birthplace of {s} is {o}."), "city"),
        (("{s} was born in {o}.", "{s} was born in the year {o}."), "year"),
        (("{s} plays the {o}.", "The instrument of {s} is the {o}."), "instrument"),
        (("{s} is a {o} by profession.", "{s} works as a {o}."), "trade"),
        (("{s} is {o}.", "{s} is a citizen of {o} nationality."), "nation"),
        (("{s} is allergic to {o}.", "{s} has an allergy to {o}."), "food"),
        (("{s}'s sister is {o}.", "{o} is the sister of {s}."), "person"),
    ),
    "company": (
        (("{s} was founded by {o}.", "{o} founded {s}.", "The founder of {s} is {o}."), "person"),
        (("The head of {s} is {o}.", "{o} leads {s}.", "{s} is led by {o}."), "person"),
        (("{s} has its head office in {o}.", "The headquarters of {s} are in {o}."), "city"),
        (("{s} was founded in {o}.", "{s} has existed since {o}."), "year"),
        (("{s} employs {o} people.", "{s} has {o} employees."), "number"),
        (("{s} pays its staff on {o}.", "Payday at {s} is {o}."), "weekday"),
    ),
    "work": (
        (("{s} was written by {o}.", "{o} wrote {s}.", "The author of {s} is {o}."), "person"),
        (("{s} was published by {o}.", "The publisher of {s} is {o}."), "company"),
        (("{s} appeared in {o}.", "{s} was first released in {o}."), "year"),
        (("{s} is set in {o}.", "{s} takes place in {o}."), "city"),
    ),
    "system": (
        (("{s} listens on port {o}.", "The port of {s} is {o}."), "number"),
        (("{s} is owned by {o}.", "The owner of {s} is {o}."), "person"),
        (("The timeout of {s} is {o} seconds.", "{s} times out after {o} seconds."), "number"),
        (("{s} runs in {o}.", "{s} is hosted in {o}."), "city"),
        (("{s} is backed up on {o}.", "The backup of {s} runs on {o}."), "weekday"),
        (("{s} is released in {o}.", "The next release of {s} is in {o}."), "month"),
    ),
}


def _made(sort: str, chances: random.Random) -> str:
    """A thing of a sort."""
    if sort == "person":
        return f"{chances.choice(FIRST_NAMES)} {chances.choice(FAMILY_NAMES)}"
    if sort == "company":
        return f"{chances.choice(FAMILY_NAMES)} {chances.choice(_COMPANIES)}"
    if sort == "work":
        return f"The {chances.choice(_ADJECTIVES)} {chances.choice(_NOUNS)}"
    if sort == "system":
        return f"the {chances.choice(_SYSTEMS)} service"
    if sort == "city":
        return chances.choice(PLACES[chances.choice(sorted(PLACES))].split())
    if sort == "year":
        return str(chances.randint(1850, 2025))
    if sort == "number":
        return str(chances.choice((5, 10, 12, 20, 30, 45, 60, 90, 120, 200, 300, 450, 5432, 8000, 8080, 9090)))
    return chances.choice({
        "instrument": "piano violin guitar cello flute trumpet".split(), "trade": TRADES, "nation": NATIONALITIES,
        "food": "nuts milk eggs wheat fish strawberries".split(), "month": MONTHS,
        "weekday": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    }[sort])  # fmt: skip


def _said(ways: tuple[str, ...], subject: str, thing: str, chances: random.Random) -> str:
    sentence = chances.choice(ways).format(s=subject, o=thing)
    return sentence[0].upper() + sentence[1:]


def related(chances: random.Random) -> tuple[str, str, str]:
    """A premise, a claim and its label: C, E or N."""
    kind = chances.choice(list(RELATIONS))
    (ways, sort), (other_ways, other_sort), *rest = chances.sample(RELATIONS[kind], 3)
    subject, other = _made(kind, chances), _made(kind, chances)
    thing, wrong = _made(sort, chances), _made(sort, chances)
    if subject == other or thing == wrong:
        return related(chances)
    said = [_said(ways, subject, thing, chances)]
    for more, named in rest[: chances.randint(0, 1)]:
        said.append(_said(more, subject, _made(named, chances), chances))
    if chances.random() < 0.2:
        said.append(_said(other_ways, other, _made(other_sort, chances), chances))
    chances.shuffle(said)
    premise, way = " ".join(said), chances.random()
    if way < 0.2:
        return premise, _said(ways, subject, thing, chances), "E"
    if way < 0.45:
        return premise, _said(ways, subject, wrong, chances), "C"
    if way < 0.7:  # the same subject, another relation
        return premise, _said(other_ways, subject, _made(other_sort, chances), chances), "N"
    third = _made(kind, chances)
    if third in premise:
        return related(chances)
    if way < 0.95:  # another subject, the same relation
        return premise, _said(ways, third, chances.choice((thing, wrong)), chances), "N"
    return premise, _said(other_ways, third, _made(other_sort, chances), chances), "N"
