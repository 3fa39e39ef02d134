"""What the extractor knows of English: closed word classes, and the common verbs with their forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from upheld.values.units import NUMBER_WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

# The part that a word can play in the skeleton of a clause. Plain integers: they are compared once a word.
BE: Final = 1
HAVE: Final = 2
DO: Final = 3
WILL: Final = 4
CAN: Final = 5
VERB: Final = 6  # a finite form: uses, moved
BASE: Final = 7  # finite only after I, we or a plural: use, move
RELATIVE: Final = 8
END: Final = 9  # what follows is a reason, a time or an alternative, not the value
JOIN: Final = 10
PRONOUN: Final = 11
THAN: Final = 12


def word_set(words: str) -> frozenset[str]:
    """The words of a text, for membership tests."""
    return frozenset(words.split())


# One of these, anywhere in lower case, and the statement is a guess, a wish, a rule or somebody's report.
UNSURE: Final = word_set("""
    maybe perhaps probably possibly presumably apparently allegedly reportedly supposedly hopefully likely unlikely
    tentatively tentative unclear unsure uncertain unconfirmed unknown unverified tbd tba rumoured rumored rumour
    think thinks thought guess guesses guessed believe believes believed suppose supposes suspect suspects suspected
    assume assumes assumed assumption doubt doubts wonder wonders hope hopes seem seems seemed feel feels felt
    might may could would should must shall ought if unless whether
    said say says told tells asked asks claims claimed claim mentioned mentions heard hears announced denies
    denied argues argued insists insisted suggests suggested expects expected expect supposed meant
    want wants wanted intends intend tries tried consider considers considering considered
    sometimes often usually typically generally occasionally rarely seldom mostly somewhat approximately
    let's lets please sorry thanks however otherwise either neither
""")

# --- first words ------------------------------------------------------------------------------------------

POINTS: Final = 1  # to something that a single statement does not show; or it asks
CONDITIONS: Final = 2
COMMANDS: Final = 3
HEDGES: Final = 4
JOINS: Final = 5
OPENS: Final = 6
COUNTS: Final = 7  # "a man", "two men": any
ACTS: Final = 8  # "found two issues"
_POINTING: Final = word_set("""
    it it's its he he's his she she's her they they're their this that that's these those there there's here
    you you're your everyone everybody someone somebody nobody anyone anybody one some many most few all both each
    every another others nothing something everything no none several various numerous around about altogether
    people who whom whose which what what's why how where when
""")
_CONDITIONAL: Final = word_set("if when whenever unless once suppose supposing provided assuming")
_COMMANDING: Final = word_set("""
    never always don't do please let let's make remember keep avoid set run add update ensure check call send give
    use try ask tell go stop start write read put take get be consider prefer note see follow create delete drop
    change move switch fix test review deploy install buy book schedule cancel email remind wait hold hi hello thanks
    ok okay yes no sorry sure will must should got based
""")
_HEDGING: Final = word_set("""
    maybe perhaps probably possibly presumably apparently allegedly reportedly supposedly hopefully sometimes often
    usually typically generally occasionally rarely seldom mostly either neither theoretically ideally btw anyway
""")
_JOINING: Final = word_set("so just well and but or then later again")
DATED: Final = word_set("as since after before because despite due following given starting effective from until per")
PLACED: Final = word_set("in on at for during under within with")
DEICTIC_NOUNS: Final = word_set("""
    repo repository project codebase workspace package library app application service team company organisation
    organization account user product
""")

# Words in front of a clause that only say when, or that a remark follows.
OPENERS: Final = word_set("""
    currently now actually today presently nowadays also finally officially update: fyi: fyi, note: correction:
    reminder: decision: decided: fact: news: reminder confirmed: changed: meanwhile meanwhile, additionally
    however, currently, now, actually, today, also, finally, officially, additionally,
""")
LABELS: Final = word_set("also update note fyi correction reminder decision fact news confirmed change changed decided")
NOT_KEYS: Final = word_set("""
    reason rationale context background warning todo question answer q a example summary tip hint caution important
    user assistant system human ai bot agent customer http https plus ps nb goal idea feat docs chore refactor perf
""")

# --- small words ------------------------------------------------------------------------------------------

DETERMINERS: Final = word_set("the a an this that these those my our your his her its their no any some every each")
ADVERBS: Final = word_set("""
    now currently still already also always presently officially actually recently just finally permanently today
    again formally jointly simply newly both really only
""")
TRAILERS: Final = word_set("yet now currently today again too instead already anymore nowadays though also presently")
DEGREES: Final = word_set(
    "very too so quite rather extremely really much pretty fairly best well most mainly widely more less"
)
PREPOSITIONS: Final = word_set("""
    in on at by for from with to of as into onto under over about against through via within without near around
    between among until till towards toward upon beside behind above below after before during across off out per
    inside outside
""")
AUXILIARIES: Final[Mapping[str, int]] = {
    **dict.fromkeys(word_set("is are was were isn't aren't wasn't weren't been be"), BE),
    **dict.fromkeys(word_set("has have had hasn't haven't hadn't"), HAVE),
    **dict.fromkeys(word_set("does do did doesn't don't didn't"), DO),
    **dict.fromkeys(("will", "won't"), WILL),
    **dict.fromkeys(("can", "cannot", "can't"), CAN),
}  # fmt: skip

# --- verbs ------------------------------------------------------------------------------------------------

_REGULAR: Final = """
accept acquire act adopt advise agree allocate allow amend announce apply appoint approve arrive assert assign attend
audit avoid back bake base belong bill block book brew bump call cancel carry cause celebrate chair change charge
check claim clean climb close coach collaborate collect command commute compete compile complete compose conduct
confirm connect consist consult contain control convert cook correct cost cover craft create dance decide declare
decline decrease delay deliver deny depart depend deploy design determine develop die direct discover discuss dislike
divide donate downgrade drop earn edit elect employ enable encrypt end endorse enjoy enter establish evaluate exceed
exchange exist expire explain export extend face favor favour feature finalise finalize finance finish flow follow
form found fund gain govern graduate guide handle happen hate head help hire honour host house identify illustrate
import improve include increase inherit inspire install integrate introduce invent invest invite involve issue join
judge kick kill lack last launch lease lecture license like limit link list listen live locate log love lower maintain
manage manufacture mark market marry measure mention merge migrate model modify monitor move name need note notice
observe occupy offer open operate oppose order organise organize originate outsource owe own pack paint park pass
perform phone photograph pick pilot place plant play post postpone power practice practise praise predict prefer
prepare present price print prioritise prioritize process produce program promise promote propose protect prove
provide publish purchase push qualify race raise rank rate reach realise realize reallocate reassign receive reckon
recommend record recruit reduce refer register reject release relocate rely remain remark remove rename renew rent
replace report represent require reschedule research reserve reside resign resolve respect respond restore restrict
retain retire return reveal review revise reward rotate rule sail save schedule score search select separate serve
settle share shift ship shorten sign skip smoke solve sort specialise specialize sponsor staff star start state stay
stop store stream study submit subscribe succeed suffer supply support surround switch talk target taste test tour
track trade train transfer transition translate transport travel treat trust turn tutor update upgrade use vacation
value verify view visit volunteer vote wait walk want warn wash watch weigh welcome work worship
"""
_IRREGULAR: Final = """
beat beat beaten/become became become/begin began begun/break broke broken/bring brought brought/build built built
buy bought bought/choose chose chosen/come came come/cut cut cut/draw drew drawn/drink drank drunk/drive drove driven
eat ate eaten/fall fell fallen/feed fed fed/fight fought fought/find found found/fly flew flown/forbid forbade forbidden
get got got/give gave given/go went gone/grow grew grown/hold held held/keep kept kept/know knew known/lead led led
leave left left/lend lent lent/let let let/lose lost lost/make made made/meet met met/pay paid paid/put put put
read read read/ride rode ridden/rise rose risen/run ran run/see saw seen/sell sold sold/send sent sent/set set set
shut shut shut/sing sang sung/sit sat sat/sleep slept slept/speak spoke spoken/spend spent spent/stand stood stood
swim swam swum/take took taken/teach taught taught/understand understood understood/wear wore worn/win won won
write wrote written
"""
_DOUBLING: Final = word_set("""
    drop ship stop skip plan log star prefer refer begin cut get let put run set shut sit swim win forbid
""")


def _forms(lemma: str) -> tuple[str, str, str]:
    """Third person, past and -ing form of a regular verb."""
    stem = lemma + lemma[-1] if lemma in _DOUBLING else lemma
    if lemma.endswith("y") and lemma[-2] not in "aeiou":
        return lemma[:-1] + "ies", lemma[:-1] + "ied", lemma + "ing"
    third = lemma + ("es" if lemma == "go" or lemma.endswith(("s", "x", "z", "ch", "sh")) else "s")
    if lemma.endswith("e") and not lemma.endswith("ee"):
        return third, lemma + "d", "dying" if lemma == "die" else lemma[:-1] + "ing"
    return third, stem + "ed", stem + "ing"


_THIRD: Final[dict[str, str]] = {}
_PAST: Final[dict[str, str]] = {}
_PARTICIPLES: Final[dict[str, str]] = {}
_GERUNDS: Final[dict[str, str]] = {}
for _lemma in [*_REGULAR.split(), "plan"]:
    _third, _past, _gerund = _forms(_lemma)
    _THIRD[_third] = _GERUNDS[_gerund] = _lemma
    _PAST[_past] = _PARTICIPLES[_past] = _lemma
for _line in _IRREGULAR.replace("\n", "/").strip("/").split("/"):
    _lemma, _past, _participle = _line.split()
    _third, _, _gerund = _forms(_lemma)
    _THIRD[_third] = _GERUNDS[_gerund] = _PARTICIPLES[_participle] = _lemma
    if _past != _lemma:
        _PAST[_past] = _lemma

del _PAST["based"]  # "Globex based in Oslo", "a role based policy": no finite verb

THIRD: Final[Mapping[str, str]] = _THIRD
PAST: Final[Mapping[str, str]] = _PAST
PARTICIPLES: Final[Mapping[str, str]] = _PARTICIPLES
GERUNDS: Final[Mapping[str, str]] = _GERUNDS
LEMMAS: Final = frozenset(_THIRD.values())
# Base forms that are as often nouns: after a noun they are read as one ("the sales plan", "the build costs").
NOUNS_TOO: Final = word_set("""
    act audit back bill block book bump call cause change charge check claim coach command contact control cost cover
    craft date delay design discount drop end exchange export face feature finance finish form fund gain guide head
    help house import increase issue judge kick lack launch lease license limit link list log love mark market measure
    model monitor name need note offer order pack park pass phone pilot place plan plant play post power practice
    present price print process program promise purchase push race rank rate record release rent report research reserve
    respect return review reward rule sail schedule score search share shift ship sign smoke sort staff star start
    state stay stop store stream study supply support switch talk target taste test tour track trade train transfer
    transition transport travel treat trust turn update upgrade use vacation value view visit vote wait walk wash watch
    work build cut drink drive fight fly hold lead meet pay put read ride rise run set shut sleep spend stand swim win
""")

KINDS: Final[Mapping[str, int]] = {
    **dict.fromkeys(LEMMAS, BASE), **dict.fromkeys(THIRD, VERB), **dict.fromkeys(PAST, VERB), **AUXILIARIES,
    **dict.fromkeys(("that", "which", "who", "whom", "whose", "where", "when"), RELATIVE),
    **dict.fromkeys(word_set("""because since although though while whereas after before until once instead rather so
        unlike despite except unless following effective starting"""), END),
    **dict.fromkeys(("and", "but", "or", "nor", "then"), JOIN),
    **dict.fromkeys(("he", "she", "they", "we", "you"), PRONOUN), "than": THAN,
}  # fmt: skip

# A title may begin with these ("It Is What It Is", "Let It Be", "And I Love Her"), a subject not.
FIRST_WORDS: Final[Mapping[str, int]] = {
    **dict.fromkeys(PAST, ACTS),
    **dict.fromkeys(UNSURE, COMMANDS),
    **dict.fromkeys(_COMMANDING, COMMANDS),
    **dict.fromkeys(_JOINING, JOINS),
    **dict.fromkeys((DATED | PLACED) - {"starting", "following", "given", "effective"}, OPENS),
    **dict.fromkeys(_HEDGING, HEDGES),
    **dict.fromkeys(_POINTING, POINTS),
    **dict.fromkeys(_CONDITIONAL, CONDITIONS),
    **dict.fromkeys(("a", "an", *NUMBER_WORDS), COUNTS),
}
