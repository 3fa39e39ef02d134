"""Which predicates hold one value at a time, and which wordings are one relation."""

from __future__ import annotations

from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from upheld.values import canonical
from upheld.values.units import NUMBER_WORDS
from upheld.values.times import DAYS, MONTHS, canonical_date, canonical_time

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# --- nouns ------------------------------------------------------------------------------------------------

# "Anna is the captain of the team" gives the team's captain: these nouns are offices, held by one at a time.
# Of others ("a brother of", "the friend of") there may be several.
SHARED_NOUNS: Final = _set("""
    member friend fan brother sister sibling son daughter child cousin uncle aunt nephew niece colleague coworker
    neighbour neighbor supporter follower student pupil user customer client partner part kind type sort form example
    reader speaker winner contributor shareholder subscriber lover critic opponent ally enemy rival descendant
    relative guest teammate classmate roommate component dependency result sign variant author founder owner
    co-founder cofounder co-author
""")
# "is full of", "is fond of": adjectives, not offices.
OF_ADJECTIVES: Final = _set("""
    full fond afraid aware capable tired proud sure certain independent short jealous ashamed guilty typical made
    native composed comprised worthy ahead born part critical free devoid convinced scared ill sick because out
    suspicious representative characteristic reminiscent
""")
# Capitalised before "of", these are still the attribute ("the Prime Minister of Malta"), not part of a name.
OFFICES: Final = _set("""
    minister president king queen emperor empress prince princess duke duchess governor mayor chancellor secretary
    captain coach manager director chairman chairwoman chairperson chair head chief officer leader speaker premier
    ambassador bishop archbishop pope sultan emir prefect treasurer commissioner sheriff senator principal dean rector
""")
# Without an article, and capitalised only because they open the statement ("Capital of France: Paris").
OPENING_NOUNS: Final = _set("""
    author capital owner price currency population language name founder ceo cto cfo coo headquarters status
    version date deadline colour color address age birthday location size cost
""")
PLACE_NOUNS: Final = _set("headquarters hq office capital location site venue birthplace residence home seat base")
# "on the Pro plan", "in the Oslo team": the noun is the attribute, what stands before it the value.
HELD_NOUNS: Final = _set("plan tier team squad subscription shift track package pricing department branch")
CLOCK_NOUNS: Final = _set("week month year quarter morning afternoon evening weekend night day")
SETTINGS: Final = _set("production prod staging stage dev development test testing qa sandbox preview ci canary")
SAME_NOUN: Final[Mapping[str, str]] = MappingProxyType(
    {"colour": "color", "favourite": "favorite", "cost": "price", "programme": "program", "hq": "headquarters"}
)

# --- adjectives -------------------------------------------------------------------------------------------

ADJECTIVES: Final[Mapping[str, str]] = MappingProxyType({
    **dict.fromkeys("""red green blue yellow black white grey gray brown orange purple pink violet turquoise beige
        silver golden maroon navy teal""".split(), "color"),
    **dict.fromkeys("""open closed active inactive enabled disabled on off up down online offline available
        unavailable cancelled canceled approved rejected pending done finished completed complete deprecated
        archived paused suspended resolved unresolved blocked merged live published retired obsolete
        operational""".split(), "status"),
    **dict.fromkeys("married single divorced widowed engaged".split(), "marital status"),
    **dict.fromkeys("vegetarian vegan pescatarian".split(), "diet"),
})  # fmt: skip
STATES: Final = _set("progress review beta alpha hold track leave vacation stock use development maintenance draft")
MEASURES: Final[Mapping[str, str]] = MappingProxyType(
    {"old": "age", "tall": "height", "long": "length", "wide": "width", "high": "height", "deep": "depth",
     "heavy": "weight"}
)  # fmt: skip
OPINIONS: Final = _set("""
    good bad great best better worse worst nice fine poor slow fast quick important critical crucial essential
    expensive cheap hard easy simple complex big large small huge tiny tall short long old young new ready late early
    happy sad angry sick ill well tired busy lucky wrong right correct true clear safe unsafe dangerous risky okay ok
    useful useless strange weird funny smart clever stupid broken fragile flaky stable unstable reliable hot cold warm
    cool dark bright heavy light full empty clean dirty quiet loud high low strong weak rich wet dry sharp fresh soft
    deep wide narrow thick thin different same similar popular common rare special normal usual dead alive here there
    gone back over sure aware afraid proud free real fun key main alright perfect pretty lovely beautiful ugly
    unclear vague
""")
_OPINION_ENDINGS: Final = ("able", "ible", "ful", "less", "ous", "ing", "ish", "ent", "ant", "ive", "ical")


def is_opinion(word: str) -> bool:
    """Whether a lower-case word after *is* grades its subject instead of naming a value."""
    return word in OPINIONS or (len(word) > 5 and word.endswith(_OPINION_ENDINGS))


# --- predicates -------------------------------------------------------------------------------------------

# Several wordings, one relation. Left: lemma or participle with its preposition.
SAME_PHRASE: Final[Mapping[str, str]] = MappingProxyType({
    **dict.fromkeys("""live in/reside in/based in/headquartered in/relocate to/based out of/resident in/domiciled
        in""".replace("\n        ", " ").split("/"), "based in"),
    **dict.fromkeys(("situated in", "found in"), "located in"),
    **dict.fromkeys(("work for", "work at", "employed by", "employed at", "employed with"), "work for"),
    **dict.fromkeys(("run on", "powered by", "hosted on", "deployed on", "deployed to", "deploy to"), "run on"),
    **dict.fromkeys(("take place on", "scheduled for", "scheduled on", "planned for"), "date"),
    **dict.fromkeys(("established by", "started by"), "founded by"),
    **dict.fromkeys(("established in", "started in"), "founded in"),
    **dict.fromkeys(("priced at", "cost"), "price"), "weigh": "weight", "replaced with": "replaced by",
    **dict.fromkeys(("expire on", "expire in"), "expire on"), "switch to": "use", "migrate to": "use",
})  # fmt: skip

# Active verbs hold many values (speaks, likes, knows) unless they are here.
SINGLE_PHRASES: Final = frozenset({
    "based in", "located in", "work for", "work in", "work as", "run on", "price", "weight", "expire on", "born in",
    "born on", "die in", "die on", "die of", "belong to", "report to", "play for", "play as", "end on", "end in",
    "end at", "start on", "start at", "start in", "begin on", "begin at", "begin in", "close at", "open at",
    "depart at", "arrive at", "depart on", "arrive on", "depart from", "leave at", "leave on", "take place in",
    "take place at", "date", "marry", "earn", "graduate from", "retire from", "default to", "resolve to", "listen on",
    "rank", "measure", "happen on", "meet on", "meet at", "renew on", "launch on", "store in", "stay at", "stay in",
    "sit in", "live with", "live at", "live on", "stand at", "become", "total", "last", "change to", "move to",
})  # fmt: skip
# be + participle or adjective + preposition holds one value with "by", "in", "at" or "on", unless it is here;
# with the other prepositions many, unless it is in the second set.
MANY_WITH: Final = _set("""
    used liked loved supported required attended visited followed interested skilled trained certified involved
    enrolled fluent available present included listed subscribed experienced good bad great excellent versed
    surrounded affected caused influenced inspired seen found popular common mentioned read accepted
    shared featured covered recommended known active specialized specialised competent written-about
""")
ONE_WITH: Final = _set("""
    married engaged famous known assigned equal set due scheduled limited restricted named dedicated derived
    promoted addressed appointed elected rated valued capped pinned bound mapped locked reserved affiliated
    aligned attributed descended adapted titled entitled
""")

# Verbs with one agent at a time: "Anna founded Acme" and "Acme was founded by Anna" are the same key.
AGENTS: Final[Mapping[str, str]] = MappingProxyType({
    "found": "founded", "create": "created", "write": "written", "develop": "developed", "direct": "directed",
    "design": "designed", "compose": "composed", "produce": "produced", "paint": "painted", "invent": "invented",
    "discover": "discovered", "own": "owned", "manage": "managed", "lead": "led", "maintain": "maintained",
    "replace": "replaced", "acquire": "acquired", "publish": "published", "establish": "founded",
})  # fmt: skip
# Verbs of choosing: "for" and "as" say what for.
CHOOSING: Final = _set("use choose pick select adopt prefer")
# Verbs that put something somewhere: "stores its data in Y".
PLACING: Final = _set("""
    store keep host deploy put save log track manage publish run cache document test build serve ship write send
    hold house park plan host record archive back
""")
# Lasting states: their simple past says that they are over, so it is a relation of its own.
STATIVE: Final = _set("""
    live reside work own use belong attend study like love prefer know speak play run need have hate support depend
    rely store keep host cost manage lead eat drink drive wear stay report
""")
# Changes of a value ("raised to") and moves ("moved to"); the second need the value to know what moved.
VALUE_CHANGES: Final = _set("""
    change set raise rise increase lower reduce decrease update cut drop fall grow bump revise adjust reset extend
    shorten fix-to limit-to push go
""")
MOVES: Final = _set("""
    move switch migrate shift reschedule postpone delay upgrade downgrade convert transfer transition relocate
    reallocate reassign bring
""")
CHANGES: Final = VALUE_CHANGES | MOVES
SCHEDULING: Final = _set("scheduled planned set due held booked slated moved postponed rescheduled delayed fixed expected")
NAMING: Final = _set("called named titled nicknamed")

SOFTWARE: Final = _set("""
    postgresql mysql mariadb sqlite mongodb redis cassandra dynamodb cockroachdb couchdb neo4j clickhouse snowflake
    bigquery elasticsearch opensearch kafka rabbitmq nats kubernetes docker nomad terraform ansible pulumi azure
    heroku vercel netlify cloudflare jenkins gitlab github bitbucket jira slack teams python java kotlin
    javascript typescript rust go ruby php scala swift react vue angular svelte next.js django flask fastapi rails
    node.js linux ubuntu debian windows macos nginx apache graphql grpc vim emacs pytest poetry pnpm npm yarn webpack
    vite s3 stripe auth0 okta datadog grafana prometheus sentry supabase firebase spark airflow figma notion
""") | {"amazon web services", "google cloud", "visual studio code", "github actions", "sql server"}
PLACES: Final = _set("""
    afghanistan albania algeria argentina australia austria bangladesh belgium bolivia brazil bulgaria canada chile
    china colombia croatia cuba denmark ecuador egypt estonia ethiopia finland france germany ghana greece hungary
    iceland india indonesia iran iraq ireland israel italy japan jordan kenya latvia lebanon lithuania luxembourg
    malaysia mexico morocco nepal netherlands nigeria norway pakistan peru philippines poland portugal romania russia
    scotland serbia singapore slovakia slovenia spain sweden switzerland syria taiwan tanzania thailand tunisia turkey
    uganda ukraine uruguay venezuela vietnam wales england
    amsterdam athens auckland bangkok barcelona beijing bengaluru bergen berlin bogotá boston brussels budapest cairo
    chennai chicago copenhagen dallas delhi denver dubai dublin edinburgh frankfurt geneva glasgow hamburg helsinki
    istanbul jakarta johannesburg karachi kyiv köln lagos lima lisbon london lyon madrid manchester manila melbourne
    miami milan montreal moscow mumbai münchen nairobi naples osaka oslo paris perth philadelphia prague rome
    rotterdam santiago seattle seoul shanghai shenzhen stockholm stuttgart sydney tallinn tokyo toronto trondheim
    turin valencia vancouver venice vilnius warsaw wien zürich
""") | {
    "united states", "united kingdom", "new zealand", "south africa", "south korea", "saudi arabia", "hong kong",
    "czech republic", "new york", "new york city", "los angeles", "san francisco", "mexico city", "são paulo",
    "buenos aires", "rio de janeiro", "tel aviv", "kuala lumpur", "washington, d.c", "costa rica", "sri lanka",
}  # fmt: skip

# --- times ------------------------------------------------------------------------------------------------

_TIME_WORDS: Final = frozenset(chain(
    DAYS, ("mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays"),
    (month.capitalize() for month in MONTHS),
    ("tomorrow", "tonight", "noon", "midnight", "christmas", "easter"),
))  # fmt: skip
NUMBERS: Final = NUMBER_WORDS.keys()
# Last words of a phrase that may say when; asked before the closer look.
TIME_ENDS: Final = _TIME_WORDS | CLOCK_NOUNS


def when(words: Sequence[str], *, year: bool = False) -> str:
    """``date`` or ``time`` if the words state one, else empty; a bare number counts as a year only on request."""
    if not words:
        return ""
    first = words[0]
    if first[0].isdigit():
        text = " ".join(words).lower().rstrip(".,")
        if canonical_time(text):
            return "time" if len(text) < 12 or text[4] != "-" else "date"
        if canonical_date(text) or (year and len(words) == 1 and first.isdigit() and len(first) == 4):
            return "date"
        if len(words) > 1 and words[1] in ("at", "on"):
            return when(words[:1], year=year)
        return ""
    low = first.strip(",").lower()
    if low in DAYS or low in _TIME_WORDS or (first.strip(".,") in _TIME_WORDS and first != "Mar"):
        if first.strip(".,") in _TIME_WORDS and len(words) > 1 and not words[1][0].isdigit() and low in MONTHS:
            return ""  # "March Hare", "April Smith"
        return "time" if low in ("noon", "midnight") else "date"
    if low in ("next", "this", "last", "early", "late", "mid", "end", "q1", "q2", "q3", "q4") and len(words) <= 4:
        rest = {word.strip(",.").lower() for word in words[1:]}
        named = rest & (CLOCK_NOUNS | frozenset(DAYS)) or rest & MONTHS.keys()
        return "date" if named or (low[0] == "q" and (len(words) == 1 or words[-1].isdigit())) else ""
    return ""


def technology_or_place(words: Sequence[str]) -> str:
    """``use`` for the name of a well-known tool, ``based in`` for that of a place, else empty."""
    name = canonical(" ".join(words))
    if name in PLACES:
        return "based in"
    return "use" if name in SOFTWARE or name.partition(" ")[0] in SOFTWARE else ""


def is_single(phrase: str, head: str, preposition: str) -> bool:
    """Whether be + ``head`` + ``preposition`` holds one value at a time."""
    if phrase in SINGLE_PHRASES:
        return True
    if head in MANY_WITH:
        return head == "known" and preposition == "as"
    return preposition in ("by", "in", "at", "on", "as") or head in ONE_WITH


