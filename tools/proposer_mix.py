"""What the proposer learns from: labelled pairs of public sets, edits of those that agree, and silent pairs.

Learned from: SNLI and MNLI (the development files), Breaking-NLI, and the training part of CAD-NLI; folds 0 to 6 of
their premises (a hash says which). Fold 7 chooses. An edit puts one word in the place of another, in the claim, in
the premise, or in both, so that each text stands in pairs that agree and in pairs that contradict. An insert sets a
time, a place or a person into such a pair. Silent are a premise and the claim of another, the nearest or any, and
most of `proposer_relations`.
"""

from __future__ import annotations

import csv
import random
import re
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
from proposer_relations import related
from proposer_words import FAMILY_NAMES, FIRST_NAMES, MONTHS, NATIONALITIES, OTHERS, PLACES, TRADES, exchanged
from sklearn.feature_extraction.text import TfidfVectorizer

from upheld.bench import nli
from upheld.bench.pairs import AGREES, CONTRADICTS, NEUTRAL
from upheld.judges.lexicon import FUNCTION

LEARNED = ("snli", "mnli", "breaking_nli")
CHOOSING, UNSEEN = 7, 8  # the fold that chooses, and the first of those that are never looked at
EDITS, INSERTS, SILENT, RELATIONS = "edits", "inserts", "silent", "relations"
SHARES = {
    "mnli": 0.15, "snli": 0.08, "cad_nli": 0.12, "breaking_nli": 0.03,
    EDITS: 0.18, INSERTS: 0.12, SILENT: 0.16, RELATIONS: 0.16,
}  # fmt: skip
MOST_WORDS = 40
NEAR, BLOCK, TRIES = 4, 512, 20
UNSAID = ("has won a prize", "is married", "has two children", "left school early", "retired", "died")
_AMBIGUOUS = frozenset(
    "like right well left up over may one first second only march turkey light country king pop".split()
)
_DISTRACTED, _SPACED, _NEGATED, _RANDOM = 0.25, 0.12, 0.08, 0.3


class Example(NamedTuple):
    """One pair to learn from, the set that it is of, and the fold of its premise."""

    premise: str
    claim: str
    label: str
    fold: int
    source: str


def fold(premise: str) -> int:
    """Which tenth a premise, and all that is said of it, belongs to."""
    return sha256(premise.strip().lower().encode()).digest()[0] % 10


def examples(data: Path, *, whole: bool = False) -> list[Example]:
    """What may be learned from: the labelled pairs of folds 0 to 7 whose texts are not in a set that is kept out.

    Premises of more than 40 words cost more than they teach, and are left out unless `whole` is true.
    """
    sets = nli.read_all(data / nli.FOLDER, Counter())
    kept_out = {text for pair in sets["cad_nli"] for text in (pair.note, pair.doc)}
    found = [Example(each.doc, each.note, each.label, fold(each.doc), name) for name in LEARNED for each in sets[name]]
    with (data / nli.FOLDER / "cad_nli/NLI/all_combined/train.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            label = {"contradiction": CONTRADICTS, "entailment": AGREES, "neutral": NEUTRAL}[row["gold_label"]]
            found.append(Example(row["sentence1"], row["sentence2"], label, fold(row["sentence1"]), "cad_nli"))
    unique = {(each.premise, each.claim): each for each in found}.values()
    return [
        each
        for each in unique
        if each.fold < UNSEEN
        and not {each.premise, each.claim} & kept_out
        and (whole or len(each.premise.split()) <= MOST_WORDS)
        and each.premise.strip()
        and each.claim.strip()
    ]


def nearest(rows: Sequence[Example]) -> list[Example]:
    """For each claim that its own premise entails, the premise that is most like it of all others: a silent pair."""
    premises = list(dict.fromkeys(each.premise for each in rows))
    agreeing = [each for each in rows if each.label == AGREES]
    places = TfidfVectorizer(sublinear_tf=True, stop_words="english").fit(premises)
    of_premises = places.transform(premises).T.tocsc()
    found = []
    for start in range(0, len(agreeing), BLOCK):
        block = agreeing[start : start + BLOCK]
        likeness = (places.transform([each.claim for each in block]) @ of_premises).toarray()
        for each, row in zip(block, likeness, strict=True):
            close = np.argpartition(-row, NEAR)[:NEAR]
            for place in close[np.argsort(-row[close], kind="stable")]:
                if premises[place] != each.premise:
                    found.append(Example(premises[place], each.claim, NEUTRAL, each.fold, SILENT))
                    break
    return found


class Mix:
    """An endless draw of examples, the same for the same seed."""

    def __init__(self, rows: Sequence[Example], silent: Sequence[Example]) -> None:
        self.sets = {name: [each for each in rows if each.source == name] for name in {each.source for each in rows}}
        self.silent = silent
        self.premises = list(dict.fromkeys(each.premise for each in rows))
        self.agreeing = [each for each in rows if each.label == AGREES and each.source != "breaking_nli"]
        cad, breaking = self.sets["cad_nli"], self.sets["breaking_nli"]
        by_claim: dict[str, list[str]] = {}
        for each in cad:
            by_claim.setdefault(each.claim, []).append(each.premise)
        changed = [(a, b) for texts in by_claim.values() for a in texts for b in texts if a < b]
        changed += [(each.premise, each.claim) for each in breaking if each.label == CONTRADICTS]
        learned = exchanged(changed)
        bare = FUNCTION | frozenset("other some all same very another any".split())
        learned = {word: kept for word, by in learned.items() if (kept := tuple(x for x in by if x not in bare))}
        self.others = {word: OTHERS.get(word) or learned[word] for word in OTHERS.keys() | (learned.keys() - bare)}
        for word in _AMBIGUOUS:
            self.others.pop(word, None)
        self.names = sorted(
            {
                word
                for each in rows
                for word in re.findall(r"(?<=[a-z,] )[A-Z][a-z]{3,}", each.premise)
                if word.lower() not in self.others
            }
        )

    def draw(self, chances: random.Random) -> Example:
        """One example, as written or edited."""
        name = chances.choices(list(SHARES), list(SHARES.values()))[0]
        if name == EDITS:
            found = self.edited(chances)
        elif name == INSERTS:
            found = self.inserted(chances)
        elif name == RELATIONS:
            found = Example(*related(chances), 0, RELATIONS)
        elif name == SILENT:
            found = self.said_of_another(chances)
        else:
            found = self.negated(chances.choice(self.sets[name]), chances)
        return self.dressed(found, chances)

    def said_of_another(self, chances: random.Random) -> Example:
        """A silent pair: the nearest, or any."""
        if chances.random() < _RANDOM:
            one = chances.choice(self.agreeing)
            return one._replace(premise=chances.choice(self.premises), label=NEUTRAL, source=SILENT)
        return chances.choice(self.silent)

    def negated(self, given: Example, chances: random.Random) -> Example:
        """Now and then, the claim denied: what contradicted now agrees, what agreed contradicts."""
        found = re.search(r"\b(is|are|was|were|can|will|has|had|did|does|could|should)\b(?! not|n't)", given.claim)
        if found is None or given.label == NEUTRAL or chances.random() > _NEGATED or " not " in given.claim:
            return given
        claim = given.claim[: found.end()] + " not" + given.claim[found.end() :]
        return given._replace(claim=claim, label=AGREES if given.label == CONTRADICTS else CONTRADICTS)

    def edited(self, chances: random.Random) -> Example:
        """An agreeing pair with one word that both hold exchanged in one of them, in both, or in neither."""
        for _ in range(TRIES):
            given = chances.choice(self.agreeing)
            words = re.findall(r"[A-Za-z]+(?:-[a-z]+)*|\d[\d,.]*\d|\d", given.claim)
            low = {word.lower() for word in re.findall(r"[A-Za-z]+(?:-[a-z]+)*|\d[\d,.]*\d|\d", given.premise)}
            shared = [(at, word) for at, word in enumerate(words) if word.lower() in low]
            able = [(at, word, by) for at, word in shared if (by := self.instead(word, at, chances)) is not None]
            if not able:
                continue
            at, word, by = chances.choice(able)
            if by.lower() in low or by.lower() in (each.lower() for each in words):
                continue
            premise, claim = _put(given.premise, word, by), _put(given.claim, word, by)
            named = word[0].isupper() and word.lower() not in self.others and not word[0].isdigit()
            # Another name at the start is another subject: of that one the premise says nothing.
            apart = NEUTRAL if named and at < 2 else CONTRADICTS
            way = chances.random()
            if way < 0.38:
                return given._replace(claim=claim, label=apart, source=EDITS)
            if way < 0.70:
                return given._replace(premise=premise, label=apart, source=EDITS)
            if way < 0.88:
                return given._replace(premise=premise, claim=claim, source=EDITS)
            return given._replace(source=EDITS)
        return given

    def instead(self, word: str, at: int, chances: random.Random) -> str | None:
        """A word of the same sort, if it has one."""
        if word[0].isdigit():
            return _other_number(word, chances)
        others = self.others.get(word.lower())
        if others:
            by = chances.choice(others)
            return by.capitalize() if word[0].isupper() else by
        if word[0].isupper() and len(word) > 3 and at > 0:
            return chances.choice(self.names)
        return None

    def inserted(self, chances: random.Random) -> Example:
        """An agreeing pair with a time or a place set into both texts, or a person of whom it is told."""
        given = chances.choice(self.agreeing)
        if chances.random() < 0.45:
            return self.told_of(given, chances)
        make = _when if chances.random() < 0.55 else _where
        said, same, other = make(chances)
        way = chances.random()
        if way < 0.2:  # the premise does not say it
            return given._replace(claim=_with(given.claim, same, chances), label=NEUTRAL, source=INSERTS)
        premise = _with(given.premise, said, chances)
        if way < 0.3:
            return given._replace(premise=premise, source=INSERTS)
        label, stated = (AGREES, same) if way < 0.6 else (CONTRADICTS, other)
        return given._replace(premise=premise, claim=_with(given.claim, stated, chances), label=label, source=INSERTS)

    def told_of(self, given: Example, chances: random.Random) -> Example:
        """The premise told of a person, and a claim about that person."""
        who = f"{chances.choice(FIRST_NAMES)} {chances.choice(FAMILY_NAMES)}"
        nation, trade = chances.choice(NATIONALITIES), chances.choice(TRADES)
        second = chances.choice([each for each in TRADES if each != trade])
        country, other_country = chances.sample(sorted(PLACES), 2)
        city, other_city = chances.choice(PLACES[country].split()), chances.choice(PLACES[other_country].split())
        day, month, year = chances.randint(1, 28), chances.choice(MONTHS), chances.randint(1900, 2005)
        born = chances.choice((f"born {day} {month} {year}", f"born {month} {day} , {year}", f"born in {year}"))
        head = chances.choice((
            f"{who} ({born} in {city}, {country}) is {_a(nation)} {trade} and {second}",
            f"{who} ({born}) is {_a(nation)} {trade} from {city}",
            f"{who}, {_a(nation)} {trade} and {second} {born} in {city},",
            f"The {nation} {trade} {who} was {born} in {city}, {country}",
        ))  # fmt: skip
        premise = f"{head}{chances.choice((' . ', ' , known for this : ', ' who said : '))}{given.premise}"
        wrong_nation = chances.choice([each for each in NATIONALITIES if each != nation])
        wrong_trade = chances.choice([each for each in TRADES if each not in {trade, second}])
        wrong_year = year + chances.choice((-40, -17, -9, -3, -1, 1, 2, 5, 12, 30))
        facts = [
            (f"is {_a(nation)}", f"is {_a(wrong_nation)}", f" {chances.choice(('person', trade, 'citizen'))}."),
            (f"is {_a(trade)}", f"is {_a(wrong_trade)}", "."),
            (f"was born in {year}", f"was born in {wrong_year}", "."),
            (f"was born in {city}", f"was born in {other_city}", "."),
        ]
        if f", {country}" in head:
            facts.append((f"was born in {country}", f"was born in {other_country}", "."))
        if f"in {city}" not in head:
            facts = [fact for fact in facts if "born in " + city not in fact[0]]
        true, false, end = chances.choice(facts)
        way = chances.random()
        if way < 0.12:
            unsaid = chances.choice((*UNSAID, f"lived in {other_city}", f"visited {other_country}"))
            return given._replace(premise=premise, claim=f"{who} {unsaid}.", label=NEUTRAL, source=INSERTS)
        if way < 0.24:
            another = f"{chances.choice(FIRST_NAMES)} {chances.choice(FAMILY_NAMES)}"
            if another != who:
                claim = f"{another} {chances.choice((true, false))}{end}"
                return given._replace(premise=premise, claim=claim, label=NEUTRAL, source=INSERTS)
        if way < 0.32:
            return given._replace(premise=premise, source=INSERTS)
        if way < 0.40:
            denied = re.sub(r"^(is|was) ", r"\1 not ", true)
            return given._replace(premise=premise, claim=f"{who} {denied}{end}", label=CONTRADICTS, source=INSERTS)
        right = way < 0.70
        claim = f"{who} {true if right else false}{end}"
        return given._replace(premise=premise, claim=claim, label=AGREES if right else CONTRADICTS, source=INSERTS)

    def dressed(self, given: Example, chances: random.Random) -> Example:
        """Now and then another sentence before or behind, or with white space around each sign."""
        premise, claim = given.premise.strip(), given.claim.strip()
        if chances.random() < _DISTRACTED and len(premise.split()) < 40:
            other = chances.choice(self.premises).strip()
            if len(other.split()) < 40:
                premise = f"{premise} {other}" if chances.random() < 0.5 else f"{other} {premise}"
        if chances.random() < _SPACED:
            premise, claim = _spaced(premise), _spaced(claim)
        return given._replace(premise=premise, claim=claim)


def _put(text: str, word: str, by: str) -> str:
    def cased(found: re.Match[str]) -> str:
        return by.capitalize() if found[0][0].isupper() else by

    return re.sub(rf"(?<![\w-]){re.escape(word)}(?![\w-])", cased, text, flags=re.IGNORECASE)


def _a(word: str) -> str:
    return f"{'an' if word[0].lower() in 'aeiou' else 'a'} {word}"


def _other_number(word: str, chances: random.Random) -> str | None:
    if not word.isdigit() or len(word) > 6:
        return None
    value = int(word)
    if 1000 < value < 2100:
        return str(value + chances.choice((-100, -31, -12, -5, -2, -1, 1, 2, 3, 8, 20, 40)))
    by = chances.choice((value + 1, value + 2, max(value - 1, 0), value * 2, value * 10, value + 5))
    return str(by) if by != value else None


def _when(chances: random.Random) -> tuple[str, str, str]:
    """A time as the premise says it, as a claim may, and another one."""
    day, month, year = chances.randint(1, 28), chances.choice(MONTHS), chances.randint(1850, 2024)
    other_year = year + chances.choice((-50, -20, -7, -2, -1, 1, 2, 4, 11, 30))
    other_month = chances.choice([each for each in MONTHS if each != month])
    said = chances.choice((f"on {day} {month} {year}", f"on {month} {day} , {year}", f"in {month} {year}"))
    later = year + chances.randint(1, 20)
    return chances.choice((
        (said, f"in {year}", f"in {other_year}"),
        (said, f"in {month}", f"in {other_month}"),
        (said, f"in {month} {year}", f"in {other_month} {year}"),
        (said, f"before {later}", f"after {later}"),
        (said, f"after {year - chances.randint(1, 20)}", f"before {year - chances.randint(1, 20)}"),
        (said, said, said.replace(str(year), str(other_year))),
        (f"in {year}", f"in {year}", f"in {other_year}"),
    ))  # fmt: skip


def _where(chances: random.Random) -> tuple[str, str, str]:
    """A place as the premise says it, as a claim may, and another one."""
    country, other_country = chances.sample(sorted(PLACES), 2)
    city, other_city = chances.choice(PLACES[country].split()), chances.choice(PLACES[other_country].split())
    return chances.choice((
        (f"in {city} , {country} ,", f"in {country}", f"in {other_country}"),
        (f"in {city} , {country} ,", f"in {city}", f"in {other_city}"),
        (f"in {city}", f"in {city}", f"in {other_city}"),
        (f"in {country}", f"in {country}", f"in {other_country}"),
    ))  # fmt: skip


def _with(text: str, adjunct: str, chances: random.Random) -> str:
    bare = text.strip().rstrip(".").rstrip()
    adjunct = adjunct.rstrip(" ,") if chances.random() < 0.5 else adjunct
    if chances.random() < 0.3:
        return f"{adjunct[0].upper()}{adjunct[1:]}{'' if adjunct.endswith(',') else ' ,'} {bare[:1].lower()}{bare[1:]}."
    return f"{bare} {adjunct.rstrip(' ,')}."


def _spaced(text: str) -> str:
    text = re.sub(r"([.,;:!?])(?=\s|$)", r" \1", text)
    text = re.sub(r"'s\b", " 's", text).replace("(", " -LRB- ").replace(")", " -RRB- ")
    return re.sub(r" +", " ", text).strip()
