"""Words of one sort, of which one can take the place of another: what the edits of training pairs choose from."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SORTS = """
    red blue green yellow black white orange purple pink brown grey silver golden; one two three four five six seven
    eight nine ten eleven twelve twenty thirty forty fifty sixty hundred thousand million billion; first second
    third fourth fifth sixth seventh eighth ninth tenth; January February March April May June July August September
    October November December; Monday Tuesday Wednesday Thursday Friday Saturday Sunday; spring summer autumn
    winter; American British English French German Italian Spanish Portuguese Dutch Swedish Norwegian Danish Finnish
    Polish Russian Chinese Japanese Korean Indian Canadian Australian Mexican Brazilian Irish Scottish Greek Turkish
    Egyptian Israeli Austrian Swiss Belgian Argentine; America Britain England France Germany Italy Spain Portugal
    Holland Sweden Norway Denmark Finland Poland Russia China Japan Korea India Canada Australia Mexico Brazil
    Ireland Scotland Greece Turkey Egypt Israel Austria Switzerland Belgium Argentina; London Paris Berlin Rome
    Madrid Lisbon Amsterdam Stockholm Oslo Copenhagen Helsinki Warsaw Moscow Beijing Tokyo Seoul Delhi Toronto
    Sydney Dublin Edinburgh Athens Istanbul Cairo Vienna Chicago Boston Seattle Dallas Houston Miami Denver Atlanta
    Philadelphia Detroit; California Texas Florida Ohio Georgia Virginia Michigan Oregon Nevada Arizona Colorado
    Kentucky Tennessee Alabama Indiana Illinois Wisconsin Minnesota Kansas; Africa Europe Asia Antarctica; north
    south east west; northern southern eastern western; actor singer writer director producer musician painter
    politician lawyer doctor teacher engineer scientist soldier farmer chef dancer journalist architect nurse
    photographer drummer guitarist model novelist poet; president king queen minister senator governor mayor judge
    general; film movie book album song novel play opera poem series painting show; comedy drama thriller horror
    western documentary musical; rock jazz pop metal punk folk blues soul country; football basketball baseball
    tennis soccer hockey golf cricket rugby volleyball boxing wrestling swimming; guitar piano violin drums flute
    trumpet saxophone cello; dog cat horse cow bird sheep goat pig rabbit elephant lion tiger bear; car bus train
    bicycle motorcycle boat truck plane helicopter; father mother brother sister son daughter uncle aunt cousin
    grandfather grandmother; husband wife; man woman; men women; boy girl; boys girls; king queen; morning afternoon
    evening night; kitchen bathroom bedroom garage office classroom; beach forest park street river mountain lake
    desert pool field; school hospital church restaurant hotel museum theater library bank station factory store;
    coffee tea beer wine water juice milk; apple banana carrot potato tomato onion cheese bread rice; shirt hat
    jacket dress coat helmet shoes; metal wood glass plastic stone paper leather; gold silver bronze copper iron;
    Christian Muslim Jewish Buddhist Hindu Catholic Protestant; Republican Democratic; Republicans Democrats;
    company university newspaper magazine television radio; written directed produced published composed; sold
    bought rented donated; minutes hours days weeks months years; cents dollars; mother-in-law father-in-law
"""
_OPPOSITES = """
    before after; won lost; win lose; wins loses; winning losing; increase decrease; increased decreased; increases
    decreases; rise fall; rose fell; more less; most least; more fewer; largest smallest; larger smaller; large
    small; big little; biggest smallest; bigger smaller; high low; higher lower; highest lowest; old young; older
    younger; oldest youngest; old new; early late; earlier later; always never; all none; everyone nobody; everybody
    nobody; everything nothing; many few; alive dead; born died; married divorced; married single; open closed;
    opened closed; hot cold; warm cool; inside outside; indoors outdoors; up down; above below; over under; left
    right; front back; begin end; began ended; started finished; start stop; started stopped; first last; long
    short; longer shorter; tall short; fast slow; faster slower; quickly slowly; strong weak; rich poor; easy
    difficult; easy hard; good bad; better worse; best worst; right wrong; true false; correct incorrect; legal
    illegal; possible impossible; able unable; successful unsuccessful; popular unpopular; happy sad; happy unhappy;
    important unimportant; necessary unnecessary; likely unlikely; accept refuse; accepted rejected; agreed refused;
    agree disagree; agreed disagreed; succeeded failed; succeed fail; allowed forbidden; allow forbid; love hate;
    loves hates; loved hated; like dislike; liked disliked; with without; male female; public private; local
    foreign; full empty; day night; light dark; wet dry; clean dirty; awake asleep; sitting standing; sits stands;
    sitting lying; running walking; running sitting; walking sleeping; smiling frowning; laughing crying; pushing
    pulling; gave took; gives takes; give take; sent received; send receive; came left; arrived departed; remember
    forget; remembered forgot; included excluded; includes excludes; include exclude; present absent; near far;
    close far; same different; similar different; both neither; safe dangerous; simple complex; positive negative;
    approve oppose; approved opposed; supports opposes; support oppose; supported opposed; improved worsened;
    expensive cheap; majority minority; urban rural; ancient modern; friend enemy; friends enemies; joined left;
    built destroyed; created destroyed; gained lost; gain lose; hired fired; passed failed; active retired; entirely
    partly; only also; known unknown; well badly; heavy light; thick thin; wide narrow; deep shallow; loud quiet
"""
FIRST_NAMES = """
    Adam Alice Anna Arthur Ben Clara Daniel David Diana Edward Ella Emma Eric Frank George Grace Hannah Harry Helen
    Henry Ian Jack James Jane John Julia Karen Kate Laura Leo Linda Lucy Maria Mark Martha Martin Mary Max Michael
    Nina Noah Nora Oliver Oscar Paul Peter Philip Rachel Robert Rosa Ruth Samuel Sarah Simon Sofia Stephen Susan
    Thomas Tom Victor Walter William Zoe
""".split()
FAMILY_NAMES = """
    Adams Allen Baker Barnes Bell Brooks Carter Clarke Collins Cooper Cruz Davies Doyle Edwards Ellis Evans Fisher
    Foster Garcia Gibson Grant Gray Hall Harris Hayes Hughes Jensen Kelly King Larsen Lee Lopez Marshall Martin
    Meyer Moore Morgan Murray Nelson Novak Owens Palmer Parker Perez Price Quinn Reed Rossi Russell Schmidt Shaw
    Silva Stone Sullivan Tanaka Taylor Turner Wagner Walsh Ward Watson Weber West Wood Young
""".split()
PLACES = {
    "Germany": "Berlin Munich Hamburg Cologne Dresden Leipzig",
    "France": "Paris Lyon Marseille Nantes Lille Bordeaux",
    "Italy": "Rome Milan Naples Turin Bologna Genoa",
    "Spain": "Madrid Seville Valencia Bilbao Granada Malaga",
    "England": "London Leeds Bristol Liverpool Oxford Brighton",
    "Japan": "Tokyo Osaka Kyoto Nagoya Sapporo Kobe",
    "Canada": "Toronto Montreal Ottawa Calgary Winnipeg Halifax",
    "Australia": "Sydney Melbourne Perth Brisbane Hobart Darwin",
    "Texas": "Dallas Houston Austin Lubbock",
    "California": "Oakland Fresno Sacramento Pasadena",
    "Sweden": "Stockholm Malmo Uppsala",
    "Poland": "Warsaw Krakow Gdansk Poznan",
    "Brazil": "Recife Salvador Fortaleza",
    "India": "Mumbai Delhi Chennai Pune Jaipur",
}

_GROUPS = [group.split() for group in (*_SORTS.split(";"), *_OPPOSITES.split(";"))]
MONTHS, NATIONALITIES, TRADES = (
    next(group for group in _GROUPS if group[0] == first) for first in ("January", "American", "actor")
)


def _others() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for group in _GROUPS:
        for word in group:
            found.setdefault(word.lower(), []).extend(each for each in group if each.lower() != word.lower())
    return {word: tuple(others) for word, others in found.items()}


OTHERS = _others()


def exchanged(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Which one word another takes the place of in two otherwise equal texts, by the word."""
    found: dict[str, set[str]] = {}
    for one, other in pairs:
        mine, theirs = re.findall(r"\w+", one.lower()), re.findall(r"\w+", other.lower())
        apart = [(a, b) for a, b in zip(mine, theirs, strict=False) if a != b]
        if len(mine) == len(theirs) and len(apart) == 1 and min(map(len, apart[0])) > 2:
            for a, b in (apart[0], apart[0][::-1]):
                found.setdefault(a, set()).add(b)
    return {word: tuple(sorted(others)) for word, others in found.items()}
