"""What the values judge knows of English: closed lists of words, by the part they play in telling two texts apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from upheld.keys.meaning import OFFICES
from upheld.keys.words import word_set

# --- words that say nothing of what a sentence is about -----------------------------------------------------------

FUNCTION: Final = word_set("""
    a an the this that these those my our your his her its their we i you he she it they them us me him there
    is are was were be been being am isn't aren't wasn't weren't has have had having do does did will shall won't
    and or but nor then of in on at by for from with to as into onto under over via through within per about against
    than so such not no never cannot can't can don't doesn't didn't hasn't haven't hadn't which who whom whose where
    when while whereas what how if both either neither up out off down who's it's we're they're i'm that's n't
    must may should would could might upon until till during before after between until since because also too
    amp etc et al vs let s t
""")
# Beside the value, these change nothing: adverbs of the present, of the whole, of certainty.
NEUTRAL: Final = word_set("""
    now currently current present presently nowadays today new newly latest already still just recently officially
    formally permanently completely fully finally always actually simply only exactly again again later early
    any all every each everyone everybody everywhere whole entire total overall general generally standard regular
    effective immediately onwards onward forward starting beginning start of
    change changed update updated revise revised adjust adjusted amend amended set value actual correct correction
    note notice reminder fyi important attention please see policy decision announcement news fact updated
    rewritten reworked overhauled more own same respective particular given following accordingly instead anymore longer
    amount number figure rate level size count
    company organisation organization firm team user customer people person
    place take get give receive make have hold keep put go come become remain stay
    spring summer autumn fall winter year month week day quarter last past ago
""")
# What a claim may have and the document need not repeat.
LIGHT: Final = word_set("""
    get give receive have be take make hold keep set use cost run amount value number currently current now presently
    today still always all every each total standard exactly only is place apply work entitle offer provide charge
    approve approved applicable default happen occur start
    new latest official officially day date time maximum listen volume include
""") - {"start", "default", "maximum", "date"}

# --- change ---------------------------------------------------------------------------------------------------------

CHANGE_VERBS: Final = word_set("""
    change move switch migrate shift transition convert transfer relocate increase raise rise grow bump reduce lower
    decrease cut drop fall extend shorten postpone reschedule delay push bring advance upgrade downgrade update revise
    adjust amend rename reassign reallocate replace go rewrite port double halve swap correct lengthen expand shrink
    realign rebase rebrand reprice set jump climb slip prolong
""")
CHANGE_NOUNS: Final = word_set("""
    change move switch migration shift transition conversion transfer relocation increase rise reduction decrease cut
    extension upgrade downgrade update adjustment correction
""")
_TIMED: Final = word_set("""
    take place happen start begin launch due schedule scheduled deadline date held hold meet open release plan planned
    complete ready time run end call
""")
_PLACED: Final = word_set("""
    use run store data host base rely depend keep live sit work write written built build deploy powered database
    backend
""")
_SERVED: Final = word_set("play work employ belong member hold position role job post")
_HELD: Final = OFFICES | word_set("ceo cto cfo coo cio ciso executive technology technical financial operating serve")
# What a change verb says something about, where the claim has it in words of its own.
COVERED_BY: Final[Mapping[str, frozenset[str]]] = {
    "extend": word_set("end expire run last valid close due deadline until date expiry expiration continue"),
    "prolong": word_set("end expire run last valid close due deadline until date expiry expiration continue"),
    "shorten": word_set("end expire run last valid close due deadline until date"),
    **dict.fromkeys(("postpone", "reschedule", "delay", "push", "bring", "advance", "shift", "slip"), _TIMED),
    **dict.fromkeys(("migrate", "switch", "transition", "replace", "convert", "port", "rewrite", "swap"), _PLACED),
    "move": _TIMED | _PLACED | _SERVED | word_set("locate base office sit headquarter"),
    "leave": _SERVED | _HELD,
    "trade": _SERVED,
    "transfer": _SERVED | word_set("allocate assign report"),
    **dict.fromkeys(("reassign", "reallocate"), word_set("allocate assign belong report")),
    **dict.fromkeys(("increase", "raise", "rise", "reduce", "lower", "decrease", "cut", "drop"),
                    word_set("cost price be pay charge take dose")),
    **dict.fromkeys(("relocate",), word_set("locate live base located based sit be office headquarter")),
}  # fmt: skip

# --- endings --------------------------------------------------------------------------------------------------------

# Participles that end a thing by themselves: "the shuttle was discontinued".
ENDED: Final = word_set("""
    retired sunset sunsetted discontinued decommissioned abolished scrapped cancelled canceled terminated repealed
    eliminated revoked rescinded abandoned withdrawn dissolved disbanded deleted dropped removed ended
    phased_out shut_down turned_off switched_off wound_down closed_down done_away taken_down taken_offline
    dismantled demolished expired lapsed ceased suspended voided annulled invalidated
""")
# Past forms that do so without a passive: "the contract expired", "the program ended".
ENDS_ALONE: Final = word_set("ended expired lapsed ceased closed_down shut_down dissolved disbanded")
# Verbs with which somebody ends a thing: "we retired the shuttle".
ENDS_OBJECT: Final = word_set("""
    retired sunset discontinued decommissioned abolished scrapped cancelled canceled terminated repealed eliminated
    revoked rescinded abandoned withdrew dissolved disbanded deleted dropped removed ended phased_out shut_down
    turned_off switched_off wound_down closed_down
""")
PARTICLE_VERBS: Final[Mapping[tuple[str, str], str]] = {
    ("phased", "out"): "phased_out", ("shut", "down"): "shut_down", ("turned", "off"): "turned_off",
    ("switched", "off"): "switched_off", ("wound", "down"): "wound_down", ("closed", "down"): "closed_down",
    ("taken", "down"): "taken_down", ("taken", "offline"): "taken_offline", ("phases", "out"): "phased_out",
    ("closed", "permanently"): "closed_down", ("permanently", "closed"): "closed_down",
    ("done", "away"): "done_away",
}  # fmt: skip
# What a thing can only do, be or have while it is there; what it weighs or who made it outlives it.
OPERATES: Final = word_set("""
    run serve handle accept process send receive cost open close meet offer provide use cover apply support allow
    leave depart arrive take pay ship deliver start begin end operate return expose store keep host write read listen
    available active live open valid offered supported enabled required hosted deployed used allowed permitted charge
    issue publish produce work sell stop connect respond validate refresh sync back manage own grant give entitle
    require go happen occur place held hold happens continue stand exist remain call notify trigger listen route let
    include included build
    approve approved effect force can stock reserve in earn expire
""")

# --- opposites ------------------------------------------------------------------------------------------------------

_OPPOSITES: Final = """
    enabled/disabled on/off open/closed allowed/forbidden allowed/prohibited allowed/banned permitted/forbidden
    permitted/prohibited permitted/banned required/optional mandatory/optional compulsory/optional
    mandatory/voluntary active/inactive available/unavailable supported/unsupported included/excluded public/private
    paid/unpaid taxable/tax-free taxable/exempt valid/invalid free/paid refundable/non-refundable
    reversible/irreversible synchronous/asynchronous manual/automatic manually/automatically encrypted/unencrypted
    legal/illegal vegetarian/non-vegetarian approved/rejected approved/denied accepted/rejected online/offline
    married/divorced single/married ascending/descending always/never encrypted/plaintext included/extra
    accessible/inaccessible covered/excluded signed/unsigned stateful/stateless opt-in/opt-out
    case-sensitive/case-insensitive required/unnecessary indoors/outdoors alive/dead
    daily/weekly daily/monthly weekly/monthly monthly/quarterly monthly/yearly monthly/annually quarterly/annually
    quarterly/yearly weekly/biweekly weekly/quarterly weekly/fortnightly hourly/daily daily/quarterly weekly/yearly
    weekly/annually include/exclude allow/forbid allow/prohibit permit/prohibit permit/forbid accept/reject
    accept/refuse enable/disable
"""
OPPOSITES: Final[Mapping[str, frozenset[str]]] = {
    word: frozenset(
        other for pair in _OPPOSITES.split() if word in (sides := pair.split("/")) for other in sides if other != word
    )
    for word in {side for pair in _OPPOSITES.split() for side in pair.split("/")}
}

# A status in other words: two of one group may be one.
_STATUSES: Final = """
    done completed complete finished closed resolved fixed final ready
    shipped dispatched sent posted
    paid settled cleared
    active live enabled running operational online available open valid
    accepted approved agreed adopted ratified
    implemented released shipped deployed delivered done stable
    inactive disabled offline stopped closed unavailable
    superseded replaced obsolete deprecated retired withdrawn outdated
    rejected declined denied refused
    pending waiting queued scheduled planned open new
    draft provisional preliminary tentative proposed experimental
    cancelled canceled abandoned withdrawn dropped
    married wed single unmarried
"""
ALIKE: Final = tuple(word_set(group) for group in _STATUSES.strip().splitlines())
# What is needed, in the words that people write it with: *use X*, *X is required*.
NEEDS: Final = word_set("use require need")

# --- same meaning ---------------------------------------------------------------------------------------------------

_SYNONYMS: Final = """
    employee staff worker personnel
    vacation pto
    annual yearly
    cost price priced fee charge
    payable due
    reside live
    begin start commence
    end finish conclude expire terminate
    hq headquarters headquarter
    maximum max highest
    minimum min least
    permit allow
    mandatory compulsory required obligatory
    optional voluntary
    forbid prohibit ban
    ceo chief-executive
    purchase buy
    repo repository
    db database
    prod production
    config configuration
    collect pick
    doctor physician
    get receive entitle
    store save
    lasts last
    automobile car
    via through
    renew renewal
    retain retention
    approve approval
    remove removal
    cancel cancellation
    deploy deployment
    migrate migration
    extend extension
    pay payment
"""
SYNONYMS: Final[Mapping[str, str]] = {
    word: group.split()[0] for group in _SYNONYMS.strip().splitlines() for word in group.split()
}

# --- doubt, plans, talk ---------------------------------------------------------------------------------------------

UNSURE: Final = word_set("""
    might could would should maybe perhaps probably possibly presumably likely unlikely apparently allegedly
    reportedly supposedly rumour rumor rumoured rumored rumours rumors unclear unsure uncertain unconfirmed tbd tba
    proposal proposed propose proposes proposing suggest suggests suggested suggestion idea ideas brainstorm
    considering consider considers considered discussing discussed discuss debating debated evaluating exploring
    investigating thinking wondering hope hopes hoping wish wishes want wants intend intends intended
    planning planned aim aims aiming expects expect expecting expected anticipate anticipates anticipated draft drafts
    rfc hypothetical hypothetically imagine suppose supposing assume assuming assumed upcoming soon eventually roadmap
    pilot-phase said says say claims claimed told believes believe thinks think thought guess guesses argued argues
    insists mentioned asked asks wants demanded demands petition lobbying vote voting pending undecided tentative
    tentatively incorrectly wrongly mistakenly myth untrue false fake fictional novel story example examples e.g
    instance sample unless whenever otherwise almost nearly seldom occasionally sometimes usually often typically
    formerly rejected
    heard rumor whether request requested requests option candidate future someday if quote quotes
""") - {"requests", "request", "false", "novel", "story", "rejected", "vote", "voting", "option", "pending",
        "formerly", "quote", "quotes", "sample", "candidate"}  # fmt: skip
DOUBTFUL_HEADINGS: Final = word_set("""
    proposal proposals proposed draft drafts idea ideas brainstorm roadmap backlog wishlist rfc rfcs example examples
    sample samples history archive archived old deprecated obsolete legacy hypothetical scenario scenarios planned
    plans future rejected alternatives considered outdated superseded previous former past faq quiz exercise
    exercises options vision todo discussion
""")
PLACEHOLDERS: Final = word_set("setting settings value values parameter parameters key name property option field item")

# --- conditions -----------------------------------------------------------------------------------------------------

# Members of one set exclude each other: what is said of one says nothing of another.
SETTINGS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("production", "prod", "live"), "production"),
    **dict.fromkeys(("staging", "stage", "preprod"), "staging"),
    **dict.fromkeys(("development", "dev", "local"), "development"),
    **dict.fromkeys(("test", "testing", "qa", "ci"), "test"),
    **dict.fromkeys(("sandbox", "preview", "canary", "beta", "alpha"), "preview"),
}
# A heading with one of these narrows all that stands below it.
NARROWING: Final = SETTINGS.keys() | word_set("""
    free pro team business enterprise premium basic plus starter standard tier plan edition
    contractor contractors intern interns part-time freelancer freelancers student students trainees apprentices
    managers executives minors children seniors pensioners non-profits nonprofits residents non-residents guests
    weekend weekends holidays holiday winter summer eu uk europe apac emea latam asia africa
    germany france norway spain italy india china japan brazil canada mexico switzerland austria sweden denmark
""") - {"standard", "team", "plan", "live", "test", "testing", "stage", "free"}  # fmt: skip
