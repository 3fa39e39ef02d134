"""Two names side by side: whether they may be of one thing, in another spelling, shorter, or at another level.

Names are no amounts: *Bob Miles* and *Robert Miles*, *AES* and *AES-256-GCM*, *AWS* and *EC2*, *eu-west-1* and
*Ireland* differ to the letter and may all be true at once. What may be one thing is no ground to retire a note.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from upheld.judges.lexicon import ALIKE
from upheld.keys.meaning import OFFICES, PLACES, SOFTWARE
from upheld.values import ALIASES, canonical, canonical_name
from upheld.values.units import CURRENCY

__all__ = ["may_be_one", "names_a_kind"]

_RUNS: Final = re.compile(r"[^\W\d_]+|\d+")
_UMLAUT: Final = re.compile(r"(?<=[aou])e")
_UNDECOMPOSED: Final = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "æ": "a", "œ": "o", "\u0131": "i"})
_INSIDE: Final = re.compile(r"[\d_/:@]|[^\W\d_]\.[^\W\d_]{2}")
_LOCALE: Final = re.compile(r"[a-z]{2}[-_][A-Z]{2}")
_SPELLED: Final = 4  # letters from which one that is left out may be a slip, or a shorter form
_CODE: Final = 2
_RELEASE: Final = re.compile(r" v?\d[\d.]*$")  # "Java 21"
_ACRONYM: Final = re.compile(r"[A-Z][A-Za-z]{0,3}[A-Z]")
# What is dropped from a name without changing whose it is.
_DRESS: Final = frozenset(
    """
    the a an of and dr prof professor mr mrs ms sir dame rev jr sr phd md gmbh ag inc ltd llc corp corporation co plc
    kg se sa nv bv spa oy ab group holding holdings company limited class edition
""".split()
)
_SAINTS: Final = {"st": "saint", "ste": "saint", "gmt": "utc"}
_GROUPS: Final = (
    frozenset(
        """
    team teams squad guild group department dept division unit board committee council crew office desk staff agency
    finance legal hr marketing sales operations ops engineering security procurement accounting payroll support
    platform infrastructure infra sre devops product design compliance treasury facilities purchasing controlling
    reception management ceo cto cfo coo cio ciso lead owner supervisor
""".split()
    )
    | OFFICES
)
_NICKNAMES: Final = """
    robert bob rob bobby|william bill will billy liam|richard rick dick rich|james jim jimmy jamie|john jack johnny
    michael mike mick misha|thomas tom tommy|charles charlie chuck|edward ed ted eddie ned|margaret maggie peggy meg
    elizabeth liz beth lizzy eliza betty lisa|catherine katherine kate kathy cathy katie kathryn|anthony tony
    joseph joe joey|daniel dan danny|david dave|steven stephen steve|peter pete|henry harry hank|alexander alex sasha
    alexandra alex sandra sasha|benjamin ben|samuel sam|samantha sam|matthew matt|andrew andy drew|christopher chris
    christina christine chris tina|patricia pat patty trish|patrick pat paddy|nicholas nick nico|gregory greg
    jennifer jen jenny|jessica jess|susan sue susie|deborah deb debbie|rebecca becky|victoria vicky tori
    theodore ted theo|lawrence larry|ronald ron|donald don|kenneth ken|timothy tim|jonathan jon john|joshua josh
    zachary zach|frederick fred friedrich fritz|leonard leo len|gerald jerry gerry|raymond ray|philip phil
    walter walt|eugene gene|francis frank fran|franklin frank|francisco paco pancho|jose pepe|johannes hans jan
    aleksei alexei alyosha|dmitri dima|ivan vanya|maria masha mary|anastasia nastya|natalia natasha|mohammed mo
    abigail abby|amanda mandy|barbara barb|cynthia cindy|dorothy dot|eleanor ellie nora|isabella bella izzy
    jacqueline jackie|kimberly kim|pamela pam|sarah sally|teresa theresa terry tess|valerie val
"""
_WHOLES: Final = """
    amazon web services: ec2 ecs eks lambda fargate s3 rds aurora dynamodb lightsail beanstalk redshift cloudfront
    google cloud: gke bigquery gcs firebase app-engine cloud-run cloud-sql compute-engine
    azure: aks cosmos-db app-service
    kubernetes: eks gke aks k3s k3d openshift rancher minikube
    linux: ubuntu debian alpine rhel centos fedora rocky suse arch red-hat amazon-linux
    windows: windows-server
    python: django flask fastapi
    javascript: react vue angular svelte next.js node.js express typescript
    typescript: react vue angular svelte next.js nestjs
    node.js: express nestjs next.js
    java: spring quarkus openjdk jdk jvm temurin corretto
    ruby: rails
    php: laravel symfony
    react: next.js
    postgresql: rds aurora cloud-sql supabase neon timescaledb
    mysql: rds aurora cloud-sql planetscale
    redis: elasticache memorystore
    kafka: msk confluent
    mongodb: documentdb
    sql server: azure-sql
    spark: databricks emr
    chromium: chrome edge
    unix: linux macos
    sap: hana s4hana
    git: github gitlab bitbucket
    microsoft 365: teams outlook sharepoint exchange onedrive
    google workspace: gmail google-drive google-meet
    atlassian: jira confluence
    united kingdom: england scotland wales
    europe: eu european-union nordics scandinavia benelux dach bavaria
    eu: nordics benelux dach bavaria
    emea: europe africa eu dach nordics benelux middle-east
    apac: asia oceania
    america: north-america south-america latin-america california texas
"""
_PARTS_OF: Final[Mapping[str, tuple[frozenset[str], ...]]] = {
    whole: tuple(frozenset(part.replace(".", "-").split("-")) for part in parts.split())
    for whole, parts in (line.strip().split(": ") for line in _WHOLES.strip().splitlines())
}
_MEMBERS: Final = frozenset("".join(sorted(part)) for parts in _PARTS_OF.values() for part in parts if len(part) == 1)
_KNOWN: Final = SOFTWARE | PLACES | _PARTS_OF.keys() | _MEMBERS
_COUNTRIES: Final = (PLACES & frozenset("""
    afghanistan albania algeria argentina australia austria bangladesh belgium bolivia brazil bulgaria canada chile
    china colombia croatia cuba denmark ecuador egypt estonia ethiopia finland france germany ghana greece hungary
    iceland india indonesia iran iraq ireland israel italy japan jordan kenya latvia lebanon lithuania luxembourg
    malaysia morocco nepal netherlands nigeria norway pakistan peru philippines poland portugal romania russia
    scotland serbia slovakia slovenia spain sweden switzerland syria taiwan tanzania thailand tunisia turkey uganda
    ukraine uruguay venezuela vietnam wales england mexico singapore
""".split())) | {
    "united states", "united kingdom", "new zealand", "south africa", "south korea", "saudi arabia", "czech republic",
    "costa rica", "sri lanka", "north korea", "hong kong",
}  # fmt: skip
_STATES: Final = ("empire", "union", "kingdom", "republic", "federation", "emirates")
_REGIONS: Final = frozenset(
    """
    europe asia africa america oceania antarctica california texas bavaria eu apac emea latam dach
    nordics benelux scandinavia
""".split()
) | {"european union", "middle east", "north america", "south america", "latin america"}


@lru_cache(maxsize=4096)
def may_be_one(one: str, other: str) -> bool:
    """Whether two names may be of the same thing, or of a thing and a part of it. Symmetric.

    >>> may_be_one("Robert Miles", "Bob Miles"), may_be_one("AES", "AES-256-GCM"), may_be_one("AWS", "EC2")
    (True, True, True)
    >>> may_be_one("Robert Miles", "Anna Lind"), may_be_one("db-01", "db-02"), may_be_one("Iran", "Iraq")
    (False, False, False)
    """
    first, second = _resolved(one), _resolved(other)
    mine, theirs = _parts(first), _parts(second)
    if not mine or not theirs or set(mine) <= set(theirs) or set(theirs) <= set(mine):
        return True
    known = first in _KNOWN and second in _KNOWN
    return (
        (not known and _spelled_alike("".join(mine), "".join(theirs)))
        or _same_person(mine, theirs)
        or any(_abbreviates(*pair) for pair in ((one, theirs), (other, mine)))
        or any(_holds(*pair) for pair in ((first, second, theirs), (second, first, mine)))
        or _grain(first) != _grain(second)
        or (not known and _is_code(one, first) != _is_code(other, second))
        or (_is_kind(one) and _is_kind(other) and not set(mine).isdisjoint(theirs))
        or any(mine[-1] in group and theirs[-1] in group for group in ALIKE)
        or _is_group(one) != _is_group(other)
    )


def _resolved(name: str) -> str:
    low = canonical_name(name)
    return CURRENCY.get(low) or ALIASES.get(low) or canonical(low)


def _parts(name: str) -> tuple[str, ...]:
    """The runs of letters and of digits, without accents, titles and legal forms."""
    plain = unicodedata.normalize("NFKD", name.casefold().translate(_UNDECOMPOSED))
    folded = _UMLAUT.sub("", "".join(sign for sign in plain if not unicodedata.combining(sign)))
    words = [word for word in folded.split() if word.strip(".,") not in _DRESS] or folded.split()
    return tuple(_SAINTS.get(run, run.lstrip("0") or run) for word in words for run in _RUNS.findall(word))


def _spelled_alike(one: str, other: str) -> bool:
    """One begins as the other does, or a letter apart; digits tell apart (*db-01*, *db-02*)."""
    short, long = sorted((one, other), key=len)
    if len(long) < _SPELLED:
        return False
    if len(short) < _SPELLED:
        return short.isalpha() and long.isalpha() and _one_apart(short, long)
    return long.startswith(short) or (not any(map(str.isdigit, one + other)) and _one_apart(short, long))


def _one_apart(short: str, long: str) -> bool:
    """Whether one letter was changed or left out."""
    if len(long) - len(short) > 1:
        return False
    at = next((place for place, sign in enumerate(short) if sign != long[place]), len(short))
    return short[at + (len(short) == len(long)) :] == long[at + 1 :]


def _same_person(mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """The same surname, and first names of which one may stand for the other."""
    if len(mine) < 2 or len(theirs) < 2 or mine[-1] != theirs[-1] or not all(map(str.isalpha, (*mine, *theirs))):
        return False
    one, other = mine[0], theirs[0]
    short, long = sorted((one, other), key=len)
    return long.startswith(short) or _one_apart(short, long) or bool(_called(one) & _called(other))


@lru_cache(maxsize=1)
def _nicknames() -> Mapping[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, group in enumerate(re.split(r"[|\n]", _NICKNAMES.strip())):
        for name in group.split():
            found.setdefault(_UMLAUT.sub("", name), set()).add(number)
    return {name: frozenset(groups) for name, groups in found.items()}


def _called(name: str) -> frozenset[int]:
    return _nicknames().get(name, frozenset())


def _abbreviates(short: str, parts: tuple[str, ...]) -> bool:
    """*NYC* of *New York*, *DE* of *Germany*, *MUC* of *Munich*: letters in order, from the first."""
    bare = short.replace(".", "").strip()
    if not _ACRONYM.fullmatch(bare) or bare.lower() in _KNOWN:
        return False
    low = bare.lower()
    whole = "".join(parts)
    if len(low) == _CODE and len(whole) >= _SPELLED:
        return True
    initials = "".join(part[0] for part in parts)
    if len(parts) > 1 and (low.startswith(initials) or low in initials):
        return True
    rest = iter(whole)
    return len(whole) > len(low) and whole[0] == low[0] and all(letter in rest for letter in low)


def _holds(whole: str, part: str, parts: tuple[str, ...]) -> bool:
    names, bare = frozenset(parts), _RELEASE.sub("", whole)
    return any(member <= names or part in member for member in _PARTS_OF.get(bare, ()))


def _grain(name: str) -> int:
    """Countries and regions hold cities: one of each may both be true."""
    bare = name.removeprefix("the ")
    if bare in _REGIONS:
        return 2
    return int(bare in _COUNTRIES or bare.endswith(_STATES))


def _is_code(written: str, resolved: str) -> bool:
    """*eu-west-1*, *docker.io/nginx*, *en-US*, *P2*: what machines call a thing that people call by a name."""
    word = written.strip()
    if " " in word or resolved in _KNOWN:
        return False
    return bool(_LOCALE.fullmatch(word) or _INSIDE.search(word))


def names_a_kind(one: str, other: str) -> bool:
    """Whether one tells the sort of thing that the other may be the name of: *credit card*, *Visa*."""
    return (_is_kind(one) and _is_titled(other)) or (_is_kind(other) and _is_titled(one))


def _is_kind(written: str) -> bool:
    """*credit card*: words that tell what sort of thing it is, and no name."""
    return written.islower() and written.replace(" ", "").replace("-", "").isalpha() and written not in _KNOWN


def _is_titled(written: str) -> bool:
    """*Visa*: a name, and no abbreviation in capitals."""
    named = all(word[0].isupper() and word.isalpha() for word in written.split())
    return named and not written.isupper() and canonical_name(written) not in _KNOWN


def _is_group(written: str) -> bool:
    """A team or a post is no person, and both may have one thing in hand."""
    last = written.rsplit(maxsplit=1)[-1]
    return last.lower() in _GROUPS and last != "Group" and " of " not in written
