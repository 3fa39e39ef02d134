"""Which predicates hold one value at a time, and which wordings are one relation."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from upheld.keys.words import word_set
from upheld.values import canonical
from upheld.values.times import DAYS, MONTHS, canonical_date, canonical_time
from upheld.values.units import NUMBER_WORDS, UNITS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


# --- nouns ------------------------------------------------------------------------------------------------

# "Anna is the captain of the team" gives the team's captain: these nouns are offices, held by one at a time.
# Of others ("a brother of", "the friend of") there may be several.
SHARED_NOUNS: Final = word_set("""
    member friend fan brother sister sibling son daughter child cousin uncle aunt nephew niece colleague coworker
    neighbour neighbor supporter follower student pupil user customer client partner part kind type sort form example
    reader speaker winner contributor shareholder subscriber lover critic opponent ally enemy rival descendant
    relative guest teammate classmate roommate component dependency result sign variant
""")
JOINT_NOUNS: Final = word_set(
    "author founder owner co-founder cofounder co-author creator"
)  # "an owner of": one of them
# "is full of", "is fond of": adjectives, not offices.
OF_ADJECTIVES: Final = word_set("""
    full fond afraid aware capable tired proud sure certain independent short jealous ashamed guilty typical made
    native composed comprised worthy ahead born part critical free devoid convinced scared ill sick because out
    suspicious representative characteristic reminiscent
""")
# Capitalised before "of", these are still the attribute ("the Prime Minister of Malta"), not part of a name.
OFFICES: Final = word_set("""
    minister president king queen emperor empress prince princess duke duchess governor mayor chancellor secretary
    captain coach manager director chairman chairwoman chairperson chair head chief officer leader speaker premier
    ambassador bishop archbishop pope sultan emir prefect treasurer commissioner sheriff senator principal dean rector
""")
# Without an article, and capitalised only because they open the statement ("Capital of France: Paris").
OPENING_NOUNS: Final = word_set("""
    author capital owner price currency population language name founder ceo cto cfo coo headquarters status
    version date deadline colour color address age birthday location size cost
""")
# Subjects whose last noun is an attribute of the rest ("the staging port"), unless a word of the second set is in
# front, which belongs to the noun ("the due date", "the minimum version").
COMPOUND_NOUNS: Final = word_set("""
    status state deadline color colour owner port timeout price budget version password address capacity maintainer
    date
""")
COMPOUND_ADJECTIVES: Final = word_set("""
    due start end begin first last next total hourly daily weekly monthly annual yearly default minimum maximum min max
    new current standard base list final average target main primary secondary backup official original public private
    overall net gross regular old previous former latest required supported email postal home mailing billing shipping
    birth expiry expiration effective estimated planned actual draft
""")
PLACE_NOUNS: Final = word_set("headquarters hq office capital location site venue birthplace residence home seat base")
# "on the Pro plan", "in the Oslo team": the noun is the attribute, what stands before it the value.
HELD_NOUNS: Final = word_set("plan tier team squad subscription shift track package pricing department branch")
CLOCK_NOUNS: Final = word_set("week month year quarter morning afternoon evening weekend night day")
SPANS: Final = word_set("seconds minutes hours days weeks months years minute hour day week month year")
SETTINGS: Final = word_set("production prod staging stage dev development test testing qa sandbox preview ci canary")
SAME_NOUN: Final[Mapping[str, str]] = {
    "colour": "color",
    "favourite": "favorite",
    "cost": "price",
    "programme": "program",
    "hq": "headquarters",
}

# Things that are set to a lower-case name: only of these is "is main" or "is fish" a value.
DEFAULTS: Final = word_set("default preferred primary official target standard base")
PARAMETERS: Final = word_set("""
    branch shell editor language tool database framework format mode theme region currency locale timezone host hostname
    username password driver engine backend frontend broker provider registry namespace bucket queue cluster environment
    license licence protocol codename level type method strategy topic genre sport flavour flavor unit encoding name key
    nickname handle alias setting option value model brand dialect instrument package manager runner scheduler
""")

# --- adjectives -------------------------------------------------------------------------------------------

ADJECTIVES: Final[Mapping[str, str]] = {
    **dict.fromkeys("""red green blue yellow black white grey gray brown orange purple pink violet turquoise beige
        silver golden maroon navy teal""".split(), "color"),
    **dict.fromkeys("""open closed active inactive enabled disabled on off up down online offline available
        unavailable cancelled canceled approved rejected pending done finished completed complete deprecated
        archived removed deleted dropped supported unsupported decommissioned paused suspended resolved unresolved
        blocked merged live published retired obsolete operational""".split(), "status"),
    **dict.fromkeys("mandatory optional compulsory voluntary obligatory".split(), "obligation"),
    **dict.fromkeys("married single divorced widowed engaged".split(), "marital status"),
    **dict.fromkeys("vegetarian vegan pescatarian".split(), "diet"),
}  # fmt: skip
# "The log level is warning", "the priority of the ticket is high": of these nouns such a word is the value.
GRADED: Final = word_set("level severity priority")
CONDITIONS_OF: Final = word_set("status state condition phase stage")  # what they are is said by an adjective
STATE_NOUNS: Final = word_set("status state phase stage mode color value setting default level")
# "plans to move", "has to wait": what is not there yet has no key.
INFINITIVES: Final = word_set(
    "need plan have want try agree promise refuse attempt offer choose fail begin start continue"
)
FEW_OF: Final = word_set("one some many most all none two three several any each both half part much")
STATES: Final = word_set("progress review beta alpha hold track leave vacation stock use development maintenance draft")
MEASURES: Final[Mapping[str, str]] = {
    "old": "age",
    "tall": "height",
    "long": "length",
    "wide": "width",
    "high": "height",
    "deep": "depth",
    "heavy": "weight",
}
OPINIONS: Final = word_set("""
    good bad great best better worse worst nice fine poor slow fast quick important critical crucial essential
    expensive cheap hard easy simple complex big large small huge tiny tall short long old young new ready late early
    happy sad angry sick ill well tired busy lucky wrong right correct true clear safe unsafe dangerous risky okay ok
    useful useless strange weird funny smart clever stupid broken fragile flaky stable unstable reliable hot cold warm
    cool dark bright heavy light full empty clean dirty quiet loud high low strong weak rich wet dry sharp fresh soft
    deep wide narrow thick thin different same similar popular common rare special normal usual dead alive here there
    gone back over sure aware afraid proud free real fun alright perfect pretty lovely beautiful ugly
    unclear vague
""")
_OPINION_ENDINGS: Final = ("ed", "able", "ible", "ful", "less", "ous", "ing", "ish", "ent", "ant", "ive", "ical")


def is_opinion(word: str) -> bool:
    """Whether a lower-case word after *is* grades its subject instead of naming a value."""
    return word in OPINIONS or (len(word) > 5 and word.endswith(_OPINION_ENDINGS))


def is_grade(word: str, noun: str) -> bool:
    """Whether a word that looks like an opinion is the value that such a noun is set to."""
    return noun in GRADED and (word not in OPINIONS or word in ("high", "low", "critical"))


# --- predicates -------------------------------------------------------------------------------------------

# Several wordings, one relation. Left: lemma or participle with its preposition.
SAME_PHRASE: Final[Mapping[str, str]] = {
    **dict.fromkeys(("live in", "reside in", "headquartered in", "relocate to", "resident in"), "based in"),
    **dict.fromkeys(("situated in", "found in"), "located in"),
    **dict.fromkeys(("work for", "work at", "employed by", "employed at", "employed with"), "work for"),
    **dict.fromkeys(("run on", "powered by", "hosted on", "deployed on", "deployed to", "deploy to"), "run on"),
    **dict.fromkeys(("take place on", "scheduled for", "scheduled on", "planned for"), "date"),
    **dict.fromkeys(("established by", "started by"), "founded by"),
    **dict.fromkeys(("established in", "started in"), "founded in"),
    **dict.fromkeys(("priced at", "cost"), "price"), "weigh": "weight", "replaced with": "replaced by",
    **dict.fromkeys(("expire on", "expire in"), "expire on"), "switch to": "use", "migrate to": "use",
}  # fmt: skip

# Active verbs hold many values (speaks, likes, knows) unless they are here.
SINGLE_PHRASES: Final = frozenset({
    "based in", "located in", "work for", "work in", "work as", "run on", "price", "weight", "expire on", "born in",
    "born on", "die in", "die on", "die of", "belong to", "report to", "play for", "play as", "end on", "end in",
    "end at", "start on", "start at", "start in", "begin on", "begin at", "begin in", "close at", "open at", "open on",
    "depart at", "arrive at", "depart on", "arrive on", "depart from", "leave at", "leave on", "take place in",
    "take place at", "date", "marry", "earn", "graduate from", "retire from", "default to", "resolve to", "listen on",
    "rank", "measure", "happen on", "meet on", "meet at", "meet in", "renew on", "renew at", "launch on", "launch at",
    "store in", "stay at", "stay in", "sit in", "live with", "live at", "live on", "stand at", "become",
    "total", "last", "change to", "move to",
})  # fmt: skip
# be + participle or adjective + preposition holds one value with "by", "in", "at" or "on", unless it is here;
# with the other prepositions many, unless it is in the second set.
MANY_WITH: Final = word_set("""
    used liked loved supported required attended visited followed interested skilled trained certified involved
    enrolled fluent available present included listed subscribed experienced good bad great excellent versed
    surrounded affected caused influenced inspired seen found popular common mentioned read accepted
    shared featured covered recommended known active specialized specialised competent
    bordered flanked bounded monitored watched reviewed tested checked called consumed sponsored backed funded endorsed
    joined cited praised taught spoken sold grown played worn installed offered shown printed indexed replicated
    mirrored copied referenced imported translated inhabited
""")
ONE_WITH: Final = word_set("""
    married engaged famous known assigned equal set due scheduled limited restricted named dedicated derived
    promoted addressed appointed elected rated valued capped pinned bound mapped locked reserved affiliated
    aligned attributed descended adapted titled entitled
""")

# Verbs with one agent at a time: "Anna founded Acme" and "Acme was founded by Anna" are the same key.
AGENTS: Final[Mapping[str, str]] = {
    "found": "founded", "create": "created", "write": "written", "develop": "developed", "direct": "directed",
    "design": "designed", "compose": "composed", "produce": "produced", "paint": "painted", "invent": "invented",
    "discover": "discovered", "own": "owned", "manage": "managed", "lead": "led", "maintain": "maintained",
    "replace": "replaced", "acquire": "acquired", "publish": "published", "establish": "founded",
}  # fmt: skip
# Verbs of choosing: "for" and "as" say what for.
CHOOSING: Final = word_set("use choose pick select adopt prefer")
# Verbs that put something somewhere: "stores its data in Y".
PLACING: Final = word_set("""
    store keep host deploy put save log track manage publish run cache document test build serve ship write send
    hold house park plan host record archive back
""")
# Lasting states: their simple past says that they are over, so it is a relation of its own.
STATIVE: Final = word_set("""
    live reside work own use belong attend study like love prefer know speak play run need have hate support depend
    rely store keep host cost manage lead eat drink drive wear stay report
""")
# Changes of a value ("raised to") and moves ("moved to"); the second need the value to know what moved.
VALUE_CHANGES: Final = word_set("""
    change set raise rise increase lower reduce decrease update cut drop fall grow bump revise adjust correct amend
    modify reset extend shorten push go rename
""")
MOVES: Final = word_set("""
    move switch migrate shift reschedule postpone delay upgrade downgrade convert transfer transition relocate
    reallocate reassign bring
""")
CHANGES: Final = VALUE_CHANGES | MOVES
SCHEDULING: Final = word_set("scheduled planned set due held booked slated moved postponed rescheduled delayed fixed")
# "at least", "at most": how much, not where or when
BOUNDS: Final = word_set("least most once first last all")
NAMING: Final = word_set("called named titled nicknamed")

SOFTWARE: Final = word_set("""
    postgresql mysql mariadb sqlite mongodb redis cassandra dynamodb cockroachdb couchdb neo4j clickhouse snowflake
    bigquery elasticsearch opensearch kafka rabbitmq nats kubernetes docker nomad terraform ansible pulumi azure
    heroku vercel netlify cloudflare jenkins gitlab github bitbucket jira slack teams python java kotlin
    javascript typescript rust go ruby php scala swift react vue angular svelte next.js django flask fastapi rails
    node.js linux ubuntu debian windows macos nginx apache graphql grpc vim emacs pytest poetry pnpm npm yarn webpack
    vite s3 stripe auth0 okta datadog grafana prometheus sentry supabase firebase spark airflow figma notion
""") | {"amazon web services", "google cloud", "visual studio code", "github actions", "sql server"}
PLACES: Final = word_set("""
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
CLOCK: Final[Mapping[str, str]] = {"date": "on", "time": "at"}
# Last words of a phrase that may say when; asked before the closer look.
TIME_ENDS: Final = _TIME_WORDS | CLOCK_NOUNS


def when(words: Sequence[str], *, year: bool = False) -> str:
    """``date`` or ``time`` if the words state one, else empty; a bare number counts as a year only on request."""
    first = words[0] if words else ""
    if not first:
        return ""
    if first[0].isdigit():
        text = " ".join(words).lower().rstrip(".,")
        if canonical_time(text):
            return "time" if len(text) < 12 or text[4] != "-" else "date"
        if canonical_date(text) or (year and len(words) == 1 and first.isdigit() and len(first) == 4):
            return "date"
        for at in range(1, len(words)):
            if words[at] == "at" or (at == 1 and words[at] == "on"):
                return when(words[:at], year=year)
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


def is_amount(word: str) -> bool:
    """Whether a word is a number or a sum of money."""
    return word[0].isdigit() or word[0] in "$€£" or word in NUMBERS


def is_port(words: Sequence[str]) -> bool:
    """*port 443*: what runs on it runs on other things as well."""
    return len(words) == 2 and words[0] == "port" and words[1].isdigit()


def is_measure(words: Sequence[str]) -> bool:
    """Whether the words are a number with a unit: *900 litres*."""
    return len(words) == 2 and is_amount(words[0]) and words[1] in UNITS


def is_span(words: Sequence[str]) -> bool:
    """Whether the words are a length of time: *30 days*, *an hour*, *hour*."""
    amounts = all(word[0].isdigit() or word in NUMBERS or word in ("a", "an") for word in words[:-1])
    return 0 < len(words) < 4 and words[-1] in SPANS and amounts


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
