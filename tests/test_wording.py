"""What answers say: every sentence from one template a language, each template whole, and no text that breaks out."""

from __future__ import annotations

import json
import re
import string
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import upheld
from upheld import Band, Channel, Invalid, Memory, Misconfigured, Standing, wording
from upheld.answer import OpenQuestion, Recall, Receipt, UpheldNote, View, WithheldNote, attribution
from upheld.note import Certainty, Note
from upheld.wording import ANOTHER_SCOPE, Wording
from worlds import Clock, Counter

if TYPE_CHECKING:
    from collections.abc import Mapping

LANGUAGES = wording.languages()
ENGLISH = files("upheld").joinpath("wordings", "en.toml").read_text(encoding="utf-8")
SAID = datetime(2026, 1, 14, 10, tzinfo=UTC)


def places(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


# --- templates -----------------------------------------------------------------------------------


def test_there_are_two_languages_and_english_is_the_one_that_nobody_has_to_name() -> None:
    assert LANGUAGES == ("de", "en")
    assert wording.load() is wording.load("en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_the_sentences_of_english_with_the_same_places(language: str) -> None:
    ours, english = wording.load(language).sentences, wording.load("en").sentences
    assert ours.keys() == english.keys()
    assert {key: places(said) for key, said in ours.items()} == {key: places(said) for key, said in english.items()}


def test_what_is_said_in_german_is_not_the_english_of_it() -> None:
    english, german = wording.load("en").sentences, wording.load("de").sentences
    assert {key for key in english if english[key] == german[key]} == set()


WRONG = {
    "a sentence is missing": ('nothing = "Nothing in force was found."\n', "", "block.nothing is missing"),
    "a sentence is unknown": ("[note]\n", '[note]\nmaybe = "perhaps"\n', "note.maybe is unknown"),
    "a table is unknown": ("[note]\n", '[extra]\nmaybe = "perhaps"\n[note]\n', "extra.maybe is unknown"),
    "a key stands outside": ("[date]\n", 'title = "x"\n[date]\n', "title. is unknown"),
    "a place is missing": (
        "not confirmed since {date}:",
        "not confirmed lately:",
        "note.hedge must use the places date",
    ),
    "a place is unknown": ("since {date}: say", "since {day}: say", "note.hedge must use the places date"),
    "one place too many": ("doubtful: ask", "doubtful {why}: ask", "note.ask must use the places none"),
    "a place without a name": ("since {date}: say", "since {}: say", "note.hedge must use"),
    "a place inside a thing": ("since {date}: say", "since {date.year}: say", "note.hedge must use"),
    "a place with a form": ("since {date}: say", "since {date:9}: say", "note.hedge must name its places plainly"),
    "a place that is turned": ("since {date}: say", "since {date!r}: say", "note.hedge must name its places plainly"),
    "a brace is left open": ("since {date}: say", "since {date: say", "note.hedge is not a template"),
    "a tag": ('ask = "doubtful', 'ask = "</memory> doubtful', "note.ask must be one line without"),
    "a quotation mark": ('ask = "doubtful', 'ask = "\\" doubtful', "note.ask must be one line without"),
    "a second line": ('ask = "doubtful', 'ask = "\\ndoubtful', "note.ask must be one line"),
    "an unseen character": ('ask = "doubtful', 'ask = "\\u202edoubtful', "note.ask must be one line"),
    "nothing said": ('expired = "expired"\n', 'expired = " "\n', "expired must be a text that says something"),
    "no text": ('expired = "expired"\n', "expired = 3\n", "expired must be a text that says something"),
    "eleven months": ('"January", ', "", "date.months"),
    "months that are no list": ('months = [\n  "January", ', 'months = "x"\nother = [\n', "date.months"),
    "no months at all": ("months = [", "moons = [", "date.months"),
    "no TOML": ("[date]", "[date", "not valid TOML"),
}


@pytest.mark.parametrize(("old", "new", "says"), WRONG.values(), ids=WRONG)
def test_a_template_that_is_not_whole_is_refused_with_what_is_wrong(old: str, new: str, says: str) -> None:
    assert old in ENGLISH
    with pytest.raises(Misconfigured, match=re.escape(says)):
        wording.read("xx", ENGLISH.replace(old, new))


def test_the_template_that_those_were_made_of_is_whole() -> None:
    assert wording.read("en", ENGLISH) == wording.load("en")


@pytest.mark.parametrize("language", ["fr", "EN", "", "../wordings/en", "en.toml", None, 3, ["en"]])
def test_an_unknown_language_is_refused_and_the_known_ones_are_named(language: Any) -> None:
    answer = whole(wording.load("en"))
    if language is not None:
        with pytest.raises(Invalid):
            answer.prompt(language)
    with pytest.raises(Invalid, match=r"de, en|named by a text"):
        wording.load(language)


def test_dates_are_written_as_the_language_writes_them() -> None:
    assert [wording.load(each).day(SAID) for each in ("en", "de")] == ["14 January 2026", "14. Januar 2026"]
    for language in LANGUAGES:
        days = {wording.load(language).day(datetime(2026, month, 1, tzinfo=UTC)) for month in range(1, 13)}
        assert len(days) == 12
    assert wording.load("de").day(datetime(2025, 3, 1, tzinfo=UTC)) == "1. März 2025"


# --- an answer that says everything there is to say ---------------------------------------------------------


def a_note(number: int, channel: Channel = Channel.PERSON, **fields: Any) -> Note:
    """A note whose every text is in capitals and digits, so that words of a sentence can be told from them."""
    known: dict[str, Any] = {
        "seq": number, "id": f"N{number}", "scope": "P", "kind": "K", "statement": f"S{number}", "subject": None,
        "attribute": None, "value": None, "subject_key": None, "attribute_key": None, "value_key": None,
        "single": True, "applies_when": {}, "certainty": Certainty.REPORTED, "channel": channel, "by": "X:ANA",
        "confidence": 0.9, "valid_from": None, "valid_to": None, "observed_at": SAID, "expires_at": None,
        "recorded_at": SAID, "generation": 0, "sources": (),
    }  # fmt: skip
    return Note(**known | fields)


def upheld_note(note: Note, words: Wording | None = None, **fields: Any) -> UpheldNote:
    known: dict[str, Any] = {
        "id": note.id, "statement": note.statement, "scope": note.scope, "kind": note.kind, "band": Band.ASSERT,
        "confidence": 0.9, "replaces": (), "score": 1.0, "note": note,
        "attribution": "" if words is None else attribution(note, words),
    }  # fmt: skip
    return UpheldNote(**known | fields)


def answered(*notes: UpheldNote, language: str = "en", **fields: Any) -> Recall:
    receipt = Receipt(
        query="Q", scopes=("P", "R"), valid_at=SAID, known_at=9, mode="answer", found=9, served=(), opened=(),
        withheld=(), omitted=0, degraded=(),
    )  # fmt: skip
    known: dict[str, Any] = {"open": (), "withheld": (), "path": ()} | fields
    return Recall(upheld=notes, receipt=receipt, language=language, **known)


CAUSES = ((), ("N7",), (ANOTHER_SCOPE,))
QUESTIONS: list[tuple[Standing, tuple[str, ...], str | None]] = [
    (Standing.EXPIRED, (), None),
    (Standing.NEEDS_CHECK, ("N7", ANOTHER_SCOPE), None),
    (Standing.NEEDS_CHECK, (), None),
    (Standing.DISPUTED, ("N7",), None),
    (Standing.UNVERIFIED, ("BILLING",), "PLAN"),
    (Standing.UNVERIFIED, (), "PLAN"),
]


def whole(words: Wording, *, nothing: bool = False) -> Recall:
    """An answer in which every sentence of a template is said but one: it says what is there, or that nothing is."""
    notes = [upheld_note(a_note(n, channel), words) for n, channel in enumerate(Channel)]
    notes += [
        upheld_note(a_note(11, observed_at=None), words, band=Band.ASK, replaces=("N7", "N8")),
        upheld_note(a_note(12, applies_when={"ENV": ("A", "B"), "OS": ("C",)}), band=Band.HEDGE),
        upheld_note(a_note(13), unverified="BILLING", band=Band.HEDGE),
    ]
    views, kept = [], []
    for since in (None, SAID):
        for standing in Standing:
            for by in CAUSES:
                common: dict[str, Any] = {"standing": standing, "scope": "P", "since": since, "by": by}
                common["language"] = words.language
                views.append(View(id="N9", seq=9, kind="K", reason=None, statement=None, note=None, **common))
                kept.append(WithheldNote(id="N9", reason=None, **common))
    questions = [
        OpenQuestion(
            id="N9", standing=standing, scope="P", since=SAID, by=by,
            subject=about and "ACME", attribute=about, language=words.language,
        )
        for standing, by, about in QUESTIONS
    ]  # fmt: skip
    return answered(
        *([] if nothing else notes),
        language=words.language,
        open=tuple(questions),
        timeline=tuple(views),
        withheld=tuple(kept),
        for_action="DEPLOY",
        not_known=("WHO MAY",),
    )


def marked() -> Wording:
    """A language whose every sentence is its number between two signs, and whose months are a sign."""
    english = wording.load("en").sentences
    said = {key: " ".join([f"§{n}§", *(f"{{{each}}}" for each in sorted(places(text)))]) for n, (key, text) in
            enumerate(english.items())}  # fmt: skip
    tables: dict[str, list[str]] = {}
    for key, text in said.items():
        table, _, name = key.partition(".")
        tables.setdefault(table, []).append(f"{name} = {json.dumps(text, ensure_ascii=False)}")
    tables["date"].append(f"months = {json.dumps(['#'] * 12)}")
    return wording.read("xx", "\n".join(f"[{table}]\n" + "\n".join(lines) for table, lines in tables.items()))


def test_every_sentence_of_a_block_is_from_the_template_and_every_one_of_the_template_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made_up, real = marked(), wording.load
    monkeypatch.setattr("upheld.answer.load", lambda language="en": made_up if language == "xx" else real(language))
    blocks = [whole(made_up, nothing=nothing).prompt() for nothing in (False, True)]
    for block in blocks:
        bare = block.replace("<memory note=", "").replace("</memory>", "")
        assert re.findall(r"[a-zäöüß]+", bare) == [], "no word that is not from the template or a note"
    numbers = {int(found) for block in blocks for found in re.findall(r"§(\d+)§", block)}
    assert [key for n, key in enumerate(made_up.sentences) if n not in numbers] == []
    # Asked for in another language than the answer's own, the block says the same.
    for nothing, block in enumerate(blocks):
        assert whole(real("en"), nothing=bool(nothing)).prompt("xx") == block


def test_a_block_is_the_same_whether_the_answer_or_only_the_block_is_in_that_language() -> None:
    english, german = wording.load("en"), wording.load("de")
    for nothing in (False, True):
        in_english, in_german = whole(english, nothing=nothing), whole(german, nothing=nothing)
        assert in_english.prompt("de") == in_german.prompt() == in_german.prompt("de")
        assert in_german.prompt("en") == in_english.prompt() != in_german.prompt()


def test_a_store_answers_in_the_language_of_its_policy_and_its_block_in_any(clock: Clock) -> None:
    blocks: dict[str, dict[str, str]] = {}
    for language in LANGUAGES:
        clock.now = datetime(2026, 1, 1, tzinfo=UTC)
        policy = {"answer": {"language": language}}
        with upheld.open(":memory:", embedder=None, clock=clock, ids=Counter(), policy=policy) as memory:
            answer = a_year(memory, clock)
        assert answer.language == language
        blocks[language] = {each: answer.prompt(each) for each in LANGUAGES} | {"own": answer.prompt()}
    assert blocks["en"]["own"] == blocks["de"]["en"] == blocks["en"]["en"]
    assert blocks["de"]["own"] == blocks["en"]["de"] == blocks["de"]["de"]
    english, german = blocks["en"]["own"], blocks["de"]["own"]
    for said, gesagt in [
        ("replaced by n2 on 1 January 2026", "ersetzt durch n2 am 1. Januar 2026"),
        ("contradicted by a retrieved document: the document wins", "widerlegt von einem gefundenen Dokument"),
        ("expired on 1 February 2026", "abgelaufen am 1. Februar 2026"),
        ("not confirmed since 1 January 2026: say so", "nicht bestätigt seit dem 1. Januar 2026: das mitsagen"),
        ("Check first: what it rests on (n1) changed", "Zuerst prüfen: Worauf es beruht (n1), hat sich geändert"),
        ("- open [n4]: ", "- offen [n4]: "),
        ("Kept back: ", "Zurückgehalten: "),
    ]:
        assert said in english
        assert said not in german
        assert gesagt in german
        assert gesagt not in english


def a_year(memory: Memory, clock: Clock) -> Recall:
    """What a small store says after a year of changes, in history mode."""
    fields: dict[str, Any] = {"extract_key": False, "by": "person:ana"}
    old = memory.remember("The gate is painted blue.", **fields)
    memory.supersede(old.id, "The gate is painted red.", confidence=0.6, **fields)
    memory.remember("The gate is closed for repairs.", expires_at="2026-02-01", **fields)
    memory.remember("The gate rests on sand.", depends_on=old.id, **fields)
    memory.remember("The gate code of the yard is 1111.", scope="yard")
    clock.move(days=60)
    found = ["The gate code of the yard is 2222."]
    return memory.recall("gate", scope=["default", "yard"], mode="history", documents=found)


# --- date and source: for some notes, and for no others ----------------------------------------------------------

FORMS = {
    Channel.SYSTEM_OF_RECORD: ("read from ANA on 14 January 2026", "gelesen aus ANA am 14. Januar 2026"),
    Channel.DOCUMENT: ("from the document ANA, 14 January 2026", "aus dem Dokument ANA, 14. Januar 2026"),
    Channel.PERSON: ("from ANA on 14 January 2026", "von ANA am 14. Januar 2026"),
    Channel.TOOL: ("from the tool ANA on 14 January 2026", "vom Werkzeug ANA am 14. Januar 2026"),
    Channel.AGENT: (
        "noted by the agent ANA on 14 January 2026",
        "festgehalten vom Agenten ANA am 14. Januar 2026",
    ),
}


@pytest.mark.parametrize("channel", Channel)
def test_an_attribution_says_who_and_when_in_each_language(channel: Channel) -> None:
    note = a_note(1, channel)
    assert attribution(note) == FORMS[channel][0]
    assert tuple(attribution(note, wording.load(each)) for each in ("en", "de")) == FORMS[channel]


@pytest.mark.parametrize(("language", "says"), [("en", "its own date is unknown"), ("de", "nicht bekannt")])
def test_the_day_of_writing_is_called_that_in_each_language(language: str, says: str) -> None:
    words = wording.load(language)
    assert says in attribution(a_note(1, observed_at=None), words)
    assert says not in attribution(a_note(1), words)


def said_of(answer: Recall, language: str | None = None) -> str:
    """What stands beside the text of the only note of a block."""
    [line] = [each for each in answer.prompt(language).split("\n") if each.startswith("- [")]
    return line.partition('" ')[2]


def test_a_sure_note_is_put_before_a_model_without_date_and_source() -> None:
    assert said_of(answered(upheld_note(a_note(1)))) == ""


def test_a_hedged_note_says_since_when_nobody_confirmed_it() -> None:
    note = a_note(1)
    seen = {"band": Band.HEDGE}
    confirmed, verified = SAID + timedelta(days=30), SAID + timedelta(days=60)
    for fields, since in [
        ({}, "14 January 2026"),
        ({"confirmed_at": confirmed}, "13 February 2026"),
        ({"verified_at": verified}, "15 March 2026"),
        ({"confirmed_at": confirmed, "verified_at": verified}, "15 March 2026"),
        ({"confirmed_at": verified, "verified_at": confirmed}, "15 March 2026"),
        ({"confirmed_at": SAID - timedelta(days=9)}, "14 January 2026"),
    ]:
        hedged = answered(upheld_note(note, **seen, **fields))
        assert said_of(hedged) == f"(not confirmed since {since}: say so)"
    assert said_of(hedged, "de") == "(nicht bestätigt seit dem 14. Januar 2026: das mitsagen)"
    doubtful = answered(upheld_note(note, wording.load(), band=Band.ASK))
    assert said_of(doubtful) == "(from ANA on 14 January 2026; doubtful: ask before relying on it)"


def test_a_note_whose_owner_could_not_be_asked_says_so_and_when_it_was_last_known() -> None:
    says = "BILLING could not be asked; last known on 14 January 2026: say so"
    note = upheld_note(a_note(1), unverified="BILLING", band=Band.HEDGE)
    assert said_of(answered(note)) == f"({says})"
    assert said_of(answered(note), "de") == (
        "(BILLING war nicht zu befragen; zuletzt bekannt am 14. Januar 2026: das mitsagen)"
    )
    worse = upheld_note(a_note(1), unverified="BILLING", band=Band.ASK)
    assert said_of(answered(worse)) == f"({says}; doubtful: ask before relying on it)"


def test_date_and_source_are_said_below_the_assert_band_and_before_an_action_and_nowhere_else(clock: Clock) -> None:
    sure, unsure = "The gate is blue.", "The gate is haunted."
    with upheld.open(":memory:", embedder=None, clock=clock) as memory:
        fields: dict[str, Any] = {"by": "person:ana", "observed_at": "2025-12-24", "extract_key": False}
        for statement, confidence in ((sure, 0.9), (unsure, 0.6)):
            memory.confirm(memory.remember(statement, confidence=confidence, **fields).id)
        answer = memory.recall("gate")
        for_action = memory.recall("gate", for_action="open the gate")
    source = "from ana on 24 December 2025"
    assert {note.statement: note.attribution for note in answer.upheld} == {sure: "", unsure: source}
    assert answer.prompt().count(source) == 1
    assert [(note.statement, note.attribution) for note in for_action.upheld] == [(sure, source)]
    assert source in for_action.prompt()


def test_since_when_a_hedged_note_is_unconfirmed_counts_from_its_last_confirmation(clock: Clock) -> None:
    with upheld.open(":memory:", embedder=None, clock=clock) as memory:
        note = memory.remember("The gate is haunted.", confidence=0.6, observed_at="2025-12-24", extract_key=False)
        assert "not confirmed since 24 December 2025: say so" in memory.recall("gate").prompt()
        clock.move(days=40)
        memory.confirm(note.id)
        assert "not confirmed since 10 February 2026: say so" in memory.recall("gate").prompt()


# --- open questions and actions ------------------------------------------------------------------------------------


def test_an_open_value_is_asked_for_by_name_and_any_other_without_its_words() -> None:
    words = wording.load()
    about: dict[str, Any] = {"subject": "Acme", "attribute": "plan tier"}
    assert words.question(Standing.UNVERIFIED, "s", ["billing"], SAID, **about) == (
        "The plan tier of Acme could not be read from billing since 14 January 2026."
    )
    assert words.question(Standing.UNVERIFIED, "s", [], SAID, **about) == (
        "The plan tier of Acme was not confirmed since 14 January 2026."
    )
    for standing, by, since in [
        (Standing.UNVERIFIED, ["billing"], None),
        (Standing.DISPUTED, ["n7"], SAID),
        (Standing.EXPIRED, [], SAID),
    ]:
        said = words.question(standing, "s", by, since, **about)
        assert said.startswith("What was recorded about this in s cannot be relied on (")
        assert not {"Acme", "plan"} & set(said.split())
    nameless = words.question(Standing.UNVERIFIED, "s", ["billing"], SAID)
    assert "(not verified with billing since 14 January 2026)" in nameless
    assert "(not confirmed since 14 January 2026)" in words.question(Standing.UNVERIFIED, "s", [], SAID)


def test_what_to_check_first_names_the_owner_or_whoever_knows() -> None:
    words = wording.load()
    assert words.check(Standing.UNVERIFIED, ["billing"]).startswith("Check first: look it up in billing")
    assert words.check(Standing.UNVERIFIED, []).startswith("Check first: confirm with whoever knows")
    assert words.check(Standing.EXPIRED, []) == "Check the source before acting on this."


def lines_of(answer: Recall) -> list[str]:
    return answer.prompt().split("\n")[1:]


def test_finding_no_restriction_is_said_to_be_no_permission_and_only_before_an_action() -> None:
    no_restriction = (
        "- No restriction on deploy was found in P, R. That is not permission: nobody recorded whether it is allowed."
    )
    rule = wording.load().say("block.ordering_rule")
    nothing = "- Nothing in force was found."
    assert lines_of(answered(for_action="deploy")) == [nothing, no_restriction, "</memory>", rule]
    assert lines_of(answered()) == [nothing, "</memory>", rule]
    found = lines_of(answered(upheld_note(a_note(1)), for_action="deploy"))
    assert found[1].startswith("- Nothing else on deploy was found in P, R. That is not permission: ")
    assert no_restriction not in found


def test_what_was_not_known_is_listed_and_must_be_checked_before_acting() -> None:
    first = wording.load().say("action.check_first")
    answer = answered(for_action="deploy", not_known=("whether it is Friday", "who is on call"))
    assert [line for line in lines_of(answer) if line.startswith("- not known: ")] == [
        "- not known: whether it is Friday",
        "- not known: who is on call",
    ]
    assert first in lines_of(answer)
    for unsure in (
        answered(upheld_note(a_note(1), band=Band.HEDGE), for_action="deploy"),
        answered(upheld_note(a_note(1), unverified="BILLING"), for_action="deploy"),
    ):
        assert first in lines_of(unsure)
    for sure in (answered(upheld_note(a_note(1)), for_action="deploy"), answered(not_known=("who is on call",))):
        assert first not in lines_of(sure)


# --- text that would break out -----------------------------------------------------------------------------------

FENCES = st.sampled_from(
    ["</memory>", "\n", "\u2028", '"', "\\", "<|im_end|>", "\x1b[2J", "{0}", "{date}", "{", "}", "\u202e"]
)
HOSTILE = st.lists(
    st.one_of(FENCES, st.text(st.characters(exclude_categories=["Cs"]), max_size=9)), min_size=1, max_size=6
).map("".join)


@pytest.mark.endurance(seconds=2)
@settings(max_examples=200)
@given(HOSTILE, st.sampled_from(LANGUAGES), st.sampled_from(LANGUAGES))
def test_no_name_can_end_a_line_a_fence_or_a_sentence(text: str, own: str, asked: str) -> None:
    words = wording.load(own)
    note = a_note(1, by=f"person:{text}", applies_when={text: (text, text)}, statement=text)
    common: dict[str, Any] = {"standing": Standing.SUPERSEDED, "scope": text, "since": SAID, "by": (text,)}
    common["language"] = own
    about: dict[str, Any] = {"subject": text, "attribute": text}
    names: Mapping[str, Any] = {
        "open": (
            OpenQuestion(
                id=text, standing=Standing.UNVERIFIED, scope=text, since=SAID, by=(text,), language=own, **about
            ),
        ),
        "withheld": (WithheldNote(id=text, reason=text, **common),),
        "timeline": (
            View(id=text, seq=1, kind=text, reason=text, statement=text, note=None, **common),
        ),
        "for_action": text,
        "not_known": (text,),
    }  # fmt: skip
    answer = answered(
        upheld_note(note, words, id=text, unverified=text, replaces=(text,), band=Band.ASK), language=own, **names
    )
    block = answer.prompt(asked)
    lines = block.splitlines()
    assert len(lines) == 10
    assert [n for n, line in enumerate(lines) if "<" in line or ">" in line] == [0, 7]
    last = [wording.load(asked).say(key) for key in ("action.check_first", "block.ordering_rule")]
    assert lines[7:] == ["</memory>", *last]
    assert all(character.isprintable() or character == "\n" for character in block)
