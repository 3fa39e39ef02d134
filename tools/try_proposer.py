"""Train two small proposers of contradictions and measure whether either earns a place behind the values judge.

    python -m venv trial && trial/bin/pip install -e . numpy onnx onnxruntime tokenizers scikit-learn torch
    trial/bin/python tools/try_proposer.py --data FOLDER          # the folder of the public data sets

Nothing is written: it prints the figures of `docs/decisions/0009-a-trained-proposer-does-not-ship-yet.md`.

Learned from: SNLI, MNLI, Breaking-NLI and the training part of CAD-NLI, folds 0 to 6 of their premises (a hash says
which), and silent pairs made of these: a premise beside the claim of another. Fold 7 sets the threshold. Never learned
from: folds 8 and 9, the other parts of CAD-NLI, FEVER-symmetric, RTE, SciTail, and the keyed changes, look-alikes and
silent pairs of `upheld.bench`. Measured on those pairs of `upheld.bench` of which neither text was learned from.
"""

# ruff: noqa: T201 (it speaks to a terminal)

from __future__ import annotations

import argparse
import csv
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")  # several threads add numbers in several orders

import numpy as np
import torch
from proposer_features import Floats, Reader, Words, best_sentence, middle
from proposer_net import AlignmentNet, Laid, probabilities, trained
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score

from upheld.bench import judge as suite
from upheld.bench import nli
from upheld.bench.pairs import (
    AGREES,
    CONTRADICTS,
    KEYED,
    LOOKALIKE,
    NEUTRAL,
    PROSE,
    SILENT,
    Labelled,
    chunks_of,
    strongest,
)
from upheld.document import Finding, Pair, Verdict
from upheld.judgement import Cascade, judged
from upheld.judges.values import Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 20261130
LABELS = (CONTRADICTS, AGREES, NEUTRAL)
LEARNED = ("snli", "mnli", "breaking_nli")
CHOOSING, UNSEEN = 7, 8  # the fold that sets the threshold, and the first of those that are never looked at
MOST_SILENT_PCT, MOST_AGREEING_PCT = 0.5, 5.0  # of the bars, applied to fold 7
FEVER = "fever_symmetric_v0.1"
FEVER_BAR_PCT = 60.0
NEAR, BLOCK = 4, 256

Score = Callable[[Sequence[Laid]], Floats]


class Example(NamedTuple):
    """One pair to learn from; `silent` where it was made of two."""

    premise: str
    claim: str
    label: str
    fold: int
    silent: bool = False


class Rows:
    """Keeps nothing of what the suite says while it builds its pairs."""

    def add(self, kind: str, **values: object) -> None:
        """Leave it."""


class Proposer:
    """A judge that only proposes: the likeliest sentence of a passage, where its score reaches the threshold."""

    def __init__(self, name: str, score: Score, reader: Reader, threshold: float) -> None:
        self.name, self.score, self.reader, self.threshold = name, score, reader, threshold
        self.scores: dict[tuple[str, str], float] = {}
        self.seconds, self.asked = 0.0, 0

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Propose, or abstain."""
        began = time.process_time()
        texts = [(best_sentence(pair.chunk.text, pair.claim.statement), pair.claim.statement) for pair in pairs]
        each = list(dict.fromkeys(text for two in texts for text in two))
        words = dict(zip(each, self.reader.read(each), strict=True))
        scores = self.score([Laid.of(words[said], words[claim]) for said, claim in texts])
        self.seconds, self.asked = self.seconds + time.process_time() - began, self.asked + len(pairs)
        for pair, score in zip(pairs, scores, strict=True):
            self.scores[pair.claim.statement, pair.chunk.text] = float(score)
        return [
            Verdict(finding=Finding.CONTRADICTED, confidence=float(score), claim_quote=claim, chunk_quote=said)
            if score >= self.threshold
            else Verdict(finding=Finding.ABSTAIN, confidence=0.0)
            for (said, claim), score in zip(texts, scores, strict=True)
        ]

    def score_of(self, pair: Labelled) -> float:
        """What it made of a pair; 0 where it was not asked."""
        return max((self.scores.get((pair.note, chunk.text), 0.0) for chunk in chunks_of(pair.doc)), default=0.0)


def fold(premise: str) -> int:
    """Which tenth a premise, and all that is said of it, belongs to."""
    return sha256(premise.strip().lower().encode()).digest()[0] % 10


def examples(data: Path) -> list[Example]:
    """What may be learned from: the labelled pairs of folds 0 to 7 whose texts are not in a set that is kept out."""
    sets = nli.read_all(data / nli.FOLDER, Counter())
    kept_out = {text for pair in sets["cad_nli"] for text in (pair.note, pair.doc)}
    found = [Example(pair.doc, pair.note, pair.label, fold(pair.doc)) for name in LEARNED for pair in sets[name]]
    with (data / nli.FOLDER / "cad_nli/NLI/all_combined/train.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            label = {"contradiction": CONTRADICTS, "entailment": AGREES, "neutral": NEUTRAL}[row["gold_label"]]
            found.append(Example(row["sentence1"], row["sentence2"], label, fold(row["sentence1"])))
    unique = {(each.premise, each.claim): each for each in found}.values()
    return [each for each in unique if each.fold < UNSEEN and not {each.premise, each.claim} & kept_out]


def silent(learned: Sequence[Example], words: Mapping[str, Words], taken: set[tuple[str, str]]) -> Iterator[Example]:
    """A premise beside the claim of another within the same part: any claim for a quarter of them, then the nearest.

    The nearest is of those that their own premise entails. Pairs that the bench draws are left out.
    """
    chances = random.Random(SEED)
    for choosing in (False, True):
        part = [each for each in learned if (each.fold == CHOOSING) is choosing]
        for each in part:
            other = chances.choice(part)
            if chances.random() < 0.25 and other.premise != each.premise and (each.premise, other.claim) not in taken:
                yield Example(each.premise, other.claim, NEUTRAL, each.fold, silent=True)
        premises = list(dict.fromkeys(each.premise for each in part))
        places = np.stack([middle(words[premise]) for premise in premises])
        agreeing = [each for each in part if each.label == AGREES]
        for start in range(0, len(agreeing), BLOCK):
            block = agreeing[start : start + BLOCK]
            likeness = np.stack([middle(words[each.claim]) for each in block]) @ places.T
            for each, row in zip(block, likeness, strict=True):
                nearest = np.argpartition(-row, NEAR)[:NEAR]
                for place in nearest[np.argsort(-row[nearest], kind="stable")]:
                    if premises[place] != each.premise and (premises[place], each.claim) not in taken:
                        yield Example(premises[place], each.claim, NEUTRAL, each.fold, silent=True)
                        break


def threshold_of(scores: Floats, chosen: Sequence[Example]) -> float:
    """The least score from which on the pairs of fold 7 keep within both bars."""
    for_bars = []
    for most, rows in (
        (MOST_SILENT_PCT, [each.silent for each in chosen]),
        (MOST_AGREEING_PCT, [each.label == AGREES for each in chosen]),
    ):
        ordered = np.sort(scores[np.array(rows)])[::-1]
        for_bars.append(float(np.nextafter(ordered[int(len(ordered) * most / 100)], np.float32(2))))
    return max(for_bars)


def measured(pairs: Sequence[Labelled], proposer: Proposer) -> list[tuple[Labelled, Verdict]]:
    """The verdict of values, and of the proposer behind it, on each pair."""
    cuts = [pair.pairs() for pair in pairs]
    answers = iter(judged(Cascade((Values(), proposer)), [cut for some in cuts for cut in some]))
    return [
        (pair, strongest([row.verdict for row in (next(answers) for _ in some) if row.verdict is not None]))
        for pair, some in zip(pairs, cuts, strict=True)
    ]


def report(found: Sequence[tuple[Labelled, Verdict]], proposer: Proposer) -> None:
    """Print what the bars ask for."""

    def line(name: str, rows: Sequence[tuple[Labelled, Verdict]]) -> None:
        acted = sum(verdict.acts for _, verdict in rows)
        proposed = sum(verdict.finding is Finding.CONTRADICTED and not verdict.acts for _, verdict in rows)
        by_values, by_both = (100 * count / max(1, len(rows)) for count in (acted, proposed))
        print(f"  {name:36} n {len(rows):5}  values {by_values:5.1f} %  proposed {by_both:5.2f} % ({proposed})")

    def of(test: Callable[[Labelled], bool]) -> list[tuple[Labelled, Verdict]]:
        return [row for row in found if test(row[0])]

    cost = 1000 * proposer.seconds / proposer.asked
    print(f"{proposer.name}: threshold {proposer.threshold:.3f}, {cost:.2f} CPU-ms a pair that it was asked about")
    line("silent", of(lambda pair: pair.part == SILENT))
    line("silent, same topic", of(lambda pair: pair.part == SILENT and pair.tag == "same topic"))
    line("agreeing, all", of(lambda pair: pair.label == AGREES))
    line("look-alikes", of(lambda pair: pair.part == LOOKALIKE and pair.label != CONTRADICTS))
    line("keyed changes and endings", of(lambda pair: pair.part == KEYED and pair.label == CONTRADICTS))
    for source in sorted({pair.source for pair, _ in found if pair.part == PROSE}):
        for label in LABELS:
            if rows := of(lambda pair, s=source, la=label: pair.part == PROSE and (pair.source, pair.label) == (s, la)):
                line(f"{source}, {label}", rows)
    fever = of(lambda pair: pair.source == FEVER and pair.part == PROSE)
    scores, loud = (
        np.array([proposer.score_of(pair) for pair, _ in rows])
        for rows in (fever, of(lambda pair: pair.part == SILENT))
    )
    truth, left_open = np.array([pair.label == CONTRADICTS for pair, _ in fever]), scores > 0
    area = roc_auc_score(truth[left_open], scores[left_open])
    print(f"  {FEVER}, {left_open.sum()} that values leaves open: AUC {area:.3f}")
    print(f"    all that could be found there: {100 * left_open[truth].mean():.1f} % of the contradictions")
    for share in (FEVER_BAR_PCT, 30.0, 10.0):
        least = np.sort(scores[truth])[-round(truth.sum() * share / 100)]
        false, said = 100 * (scores[~truth] >= least).mean(), 100 * (loud >= least).mean()
        print(f"    to find {share:.0f} % of them: {false:.1f} % of the agreeing, {said:.2f} % of the silent pairs")


def main() -> None:
    """Train both, and print the figures of both."""
    parser = argparse.ArgumentParser(description="Does a small trained proposer earn its place?")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public data sets")
    parser.add_argument("--epochs", type=int, default=4, help="how often the net sees each pair")
    given = parser.parse_args()
    torch.manual_seed(SEED)
    torch.set_num_threads(1)

    built = list(suite.build(given.data, Rows(), long=False))
    learned, reader = examples(given.data), Reader()
    texts = list(dict.fromkeys(text for each in learned for text in each[:2]))
    words: dict[str, Words] = dict(zip(texts, reader.read(texts), strict=True))
    taken = {(pair.doc, pair.note) for pair in built if pair.part == SILENT}
    learned += list(silent(learned, words, taken))
    laid_out = [Laid.of(words[each.premise], words[each.claim]) for each in learned]
    print(f"{len(learned)} pairs: {dict(Counter((each.label, each.silent) for each in learned))}", flush=True)

    truth: NDArray[np.int64] = np.array([LABELS.index(each.label) for each in learned])
    choosing = np.array([each.fold == CHOOSING for each in learned])
    train, chosen = np.flatnonzero(~choosing), np.flatnonzero(choosing)
    trees = HistGradientBoostingClassifier(max_iter=200, learning_rate=0.08, max_leaf_nodes=15, random_state=1)
    trees.fit(np.stack([laid_out[at].pair for at in train]), truth[train])
    net: AlignmentNet = trained(laid_out, truth, train, epochs=given.epochs, seed=SEED)
    unseen = [pair for pair in built if not _seen(pair, words)]
    print(f"{len(built) - len(unseen)} of {len(built)} pairs of the bench hold a text that was learned from: left out")

    def by_trees(rows: Sequence[Laid]) -> Floats:
        return np.asarray(trees.predict_proba(np.stack([row.pair for row in rows]))[:, 0], np.float32)

    def by_net(rows: Sequence[Laid]) -> Floats:
        return probabilities(net, rows)[:, 0]

    scoring: tuple[tuple[str, Score], ...] = (("trees", by_trees), ("net", by_net))
    for name, score in scoring:
        scores = score([laid_out[at] for at in chosen])
        proposer = Proposer(name, score, reader, threshold_of(scores, [learned[at] for at in chosen]))
        report(measured(unseen, proposer), proposer)


def _seen(pair: Labelled, words: dict[str, Words]) -> bool:
    return pair.doc in words or pair.note in words


if __name__ == "__main__":
    main()
