"""Measure whether a trained proposer earns a place behind the values judge.

    trial/bin/python tools/weigh_proposer.py --data FOLDER --source some.whl --net FOLDER/net.pt

Fold 7 of the training sets says whether it is shown the best sentence of a passage or all of it, and sets the
threshold. Never learned from: folds 8 and 9, the other parts of CAD-NLI, FEVER-symmetric, RTE, SciTail, and the keyed
changes, look-alikes and silent pairs of `upheld.bench`. Measured on those pairs of `upheld.bench` of which neither
text was learned from. Nothing is written: it prints the figures of decision 9.
"""

# ruff: noqa: T201 (it speaks to a terminal)

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("OMP_NUM_THREADS", "1")  # several threads add numbers in several orders

import numpy as np
import torch
from make_weights import tensors, upstream
from proposer_mix import CHOOSING, SILENT, Example, Mix, examples, nearest
from proposer_net import Crossed, laid, probabilities
from sklearn.metrics import roc_auc_score
from tokenizers import Tokenizer

from upheld.bench import judge as suite
from upheld.bench import pairs as of_bench
from upheld.bench.judge import wilson
from upheld.bench.pairs import AGREES, CONTRADICTS, KEYED, LABELS, LOOKALIKE, NEUTRAL, PROSE, Labelled, strongest
from upheld.document import Finding, Pair, Verdict
from upheld.judgement import Cascade, judged
from upheld.judges.own import sentences
from upheld.judges.tokens import shallow
from upheld.judges.values import Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 20261130
MOST_SILENT_PCT, MOST_AGREEING_PCT = 1.0, 5.0  # of the pairs of fold 7 that may be proposed
FEVER = "fever_symmetric_v0.1"
SHARES_PCT = (10.0, 30.0, 40.0, 50.0, 60.0, 70.0)
BESIDE, TRIED = 3, 750

Cut = Callable[[str, str], str]


class Rows:
    """Keeps nothing of what the suite says while it builds its pairs."""

    def add(self, kind: str, **values: object) -> None:
        """Leave it."""


def best_sentence(text: str, claim: str) -> str:
    """The sentence of a text that holds most stems of the claim; of equals the shorter, then the first."""
    wanted = shallow(claim)

    def worth(sentence: str) -> tuple[int, int]:
        held = shallow(sentence)
        return len(held & wanted), -len(held)

    return max(sentences(text) or [text], key=worth)


def whole(text: str, claim: str) -> str:  # noqa: ARG001 (as the one above)
    """All of it."""
    return text


class Reader:
    """Texts in, shares out."""

    def __init__(self, source: Path, net: Path) -> None:
        files = upstream(source)
        self.tokenizer = Tokenizer.from_buffer(files["tokenizer.json"])
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.net = Crossed(tensors(files["model.safetensors"]))
        self.net.load_state_dict(torch.load(net))

    def shares(self, texts: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Contradicts, agrees, neutral: one row per premise and claim."""
        said = self.tokenizer.encode_batch([one for one, _ in texts], add_special_tokens=False)
        claimed = self.tokenizer.encode_batch([other for _, other in texts], add_special_tokens=False)
        return probabilities(self.net, [laid(a.ids, b.ids) for a, b in zip(said, claimed, strict=True)])


class Proposer:
    """A judge that only proposes: what of a passage it is shown, from the threshold on."""

    name = "proposer"

    def __init__(self, reader: Reader, cut: Cut, threshold: float) -> None:
        self.reader, self.cut, self.threshold = reader, cut, threshold
        self.scores: dict[tuple[str, str], float] = {}
        self.seconds, self.asked = 0.0, 0

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Propose, or abstain."""
        began = time.process_time()
        texts = [(self.cut(pair.chunk.text, pair.claim.statement), pair.claim.statement) for pair in pairs]
        scores = self.reader.shares(texts)[:, 0]
        self.seconds, self.asked = self.seconds + time.process_time() - began, self.asked + len(pairs)
        for pair, score in zip(pairs, scores, strict=True):
            self.scores[pair.claim.statement, pair.chunk.text] = float(score)
        return [
            Verdict(finding=Finding.CONTRADICTED, confidence=float(score), claim_quote=claim, chunk_quote=said)
            if score >= self.threshold and claim.strip() != said.strip()
            else Verdict(finding=Finding.ABSTAIN, confidence=0.0)
            for (said, claim), score in zip(texts, scores, strict=True)
        ]

    def score_of(self, pair: Labelled) -> float:
        """What it made of a pair; 0 where it was not asked."""
        return max((self.scores.get((pair.note, each.text), 0.0) for each in of_bench.chunks_of(pair.doc)), default=0.0)


def threshold_of(scores: NDArray[np.float32], chosen: Sequence[Example]) -> float:
    """The least score from which on the pairs of fold 7 keep within both bars."""
    for_bars = []
    for most, rows in (
        (MOST_SILENT_PCT, [each.source == SILENT for each in chosen]),
        (MOST_AGREEING_PCT, [each.label == AGREES for each in chosen]),
    ):
        ordered = np.sort(scores[np.array(rows)])[::-1]
        for_bars.append(float(np.nextafter(ordered[int(len(ordered) * most / 100)], np.float32(2))))
    return max(for_bars)


def area(scores: NDArray[np.float32], chosen: Sequence[Example], other: Callable[[Example], bool]) -> float:
    """How well contradictions are told from other pairs: 0.5 is not at all, 1 always."""
    kept = [at for at, each in enumerate(chosen) if each.label == CONTRADICTS or other(each)]
    return float(roc_auc_score([chosen[at].label == CONTRADICTS for at in kept], scores[kept]))


def choice(reader: Reader, rows: Sequence[Example]) -> tuple[Cut, float]:
    """What to show it, and from which score on to propose: the better of two on passages made of fold 7."""
    chances = random.Random(SEED)
    part = [each for each in rows if each.fold == CHOOSING]
    premises = list(dict.fromkeys(each.premise for each in part))
    silent = nearest(part)
    silent += [each._replace(premise=chances.choice(premises), label=NEUTRAL, source=SILENT) for each in part[:TRIED]]
    edits = Mix(part, silent)
    made = [edits.edited(chances) for _ in range(TRIED)] + [edits.inserted(chances) for _ in range(TRIED)]
    chosen = part + chances.sample(silent, min(len(silent), 2 * TRIED))
    alone = reader.shares([(each.premise, each.claim) for each in chosen])[:, 0]
    found: list[tuple[float, Cut]] = []
    few = chances.sample(made + chosen, 2 * TRIED)
    passages = []
    for each in few:
        parts = [each.premise, *chances.sample(premises, BESIDE)]
        chances.shuffle(parts)
        passages.append(" ".join(said if said.rstrip().endswith((".", "!", "?")) else f"{said}." for said in parts))
    for cut in (best_sentence, whole):
        shown = reader.shares([(cut(said, each.claim), each.claim) for said, each in zip(passages, few, strict=True)])
        found.append((area(shown[:, 0], few, lambda each: each.label != CONTRADICTS), cut))
        print(f"fold 7, passages of {BESIDE + 1} premises, {cut.__name__}: AUC {found[-1][0]:.3f}")
    labels = np.array([LABELS.index(each.label) for each in part])
    right = (reader.shares([(each.premise, each.claim) for each in part]).argmax(1) == labels).mean()
    print(f"fold 7: {len(part)} pairs, right of three {100 * right:.1f} %; contradicting against agreeing AUC "
          f"{area(alone, chosen, lambda each: each.label == AGREES):.3f}, against silent "
          f"{area(alone, chosen, lambda each: each.source == SILENT):.3f}")  # fmt: skip
    edited = reader.shares([(each.premise, each.claim) for each in made])[:, 0]
    print(f"fold 7, edits and inserts: AUC against agreeing {area(edited, made, lambda e: e.label == AGREES):.3f}")
    return max(found, key=lambda each: each[0])[1], threshold_of(alone, chosen)


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

    def line(name: str, test: Callable[[Labelled], bool]) -> None:
        rows = [row for row in found if test(row[0])]
        acted = sum(verdict.acts for _, verdict in rows)
        said = sum(verdict.finding is Finding.CONTRADICTED and not verdict.acts for _, verdict in rows)
        if rows:
            print(f"  {name:36} n {len(rows):5}  values {100 * acted / len(rows):5.1f} %  "
                  f"proposed {100 * said / len(rows):5.2f} % ({said})  {wilson(said, len(rows))}")  # fmt: skip

    cost = 1000 * proposer.seconds / max(1, proposer.asked)
    print(f"threshold {proposer.threshold:.4f}, {proposer.cut.__name__}; asked about {proposer.asked}, "
          f"{cost:.1f} CPU-ms each (float32)")  # fmt: skip
    line("silent", lambda pair: pair.part == of_bench.SILENT)
    line("silent, random", lambda pair: pair.part == of_bench.SILENT and pair.tag == "random")
    line("silent, same topic", lambda pair: pair.part == of_bench.SILENT and pair.tag == "same topic")
    line("agreeing, all", lambda pair: pair.label == AGREES)
    line("look-alikes", lambda pair: pair.part == LOOKALIKE and pair.label != CONTRADICTS)
    line("keyed changes and endings", lambda pair: pair.part == KEYED and pair.label == CONTRADICTS)
    for source in sorted({pair.source for pair, _ in found if pair.part == PROSE}):
        for label in LABELS:
            line(f"{source}, {label}", lambda p, s=source, la=label: p.part == PROSE and (p.source, p.label) == (s, la))
    curve(found, proposer)


def curve(found: Sequence[tuple[Labelled, Verdict]], proposer: Proposer) -> None:
    """Print what finding more of FEVER-symmetric would cost, at thresholds chosen on that very set."""

    def of(test: Callable[[Labelled], bool]) -> NDArray[np.float64]:
        return np.array([proposer.score_of(pair) for pair, _ in found if test(pair)])

    true = of(lambda pair: pair.source == FEVER and pair.part == PROSE and pair.label == CONTRADICTS)
    false = of(lambda pair: pair.source == FEVER and pair.part == PROSE and pair.label == AGREES)
    quiet = of(lambda pair: pair.part == of_bench.SILENT)
    agreeing = of(lambda pair: pair.label == AGREES)
    alike = of(lambda pair: pair.part == LOOKALIKE and pair.label != CONTRADICTS)
    heard = [scores[scores > 0] for scores in (true, false)]
    truth = np.repeat([1, 0], [len(each) for each in heard])
    print(f"  {FEVER}: asked about {100 * (true > 0).mean():.1f} % of the contradictions; of those that values leaves "
          f"open AUC {roc_auc_score(truth, np.concatenate(heard)):.3f}")  # fmt: skip
    for share in SHARES_PCT:
        least = np.sort(true)[-round(len(true) * share / 100)]
        others = (("its agreeing", false), ("silent", quiet), ("agreeing", agreeing), ("look-alikes", alike))
        rest = [f"{name} {100 * (scores >= least).mean():.2f} %" for name, scores in others]
        print(f"    to propose {share:.0f} % of them ({least:.4f}): {', '.join(rest)}")


def main() -> None:
    """Print the figures of a net."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public data sets")
    parser.add_argument("--source", type=Path, required=True, help="a wheel, zip or folder with the upstream MiniLM")
    parser.add_argument("--net", type=Path, required=True, help="the net.pt to weigh")
    given = parser.parse_args()
    torch.set_num_threads(1)
    reader, rows = Reader(given.source, given.net), examples(given.data)
    cut, threshold = choice(reader, rows)
    seen = {text for each in examples(given.data, whole=True) for text in (each.premise, each.claim)}
    built = list(suite.build(given.data, Rows(), long=False))
    unseen = [pair for pair in built if pair.doc not in seen and pair.note not in seen]
    print(f"{len(built) - len(unseen)} of {len(built)} pairs hold a text that may be learned from: left out")
    proposer = Proposer(reader, cut, threshold)
    report(measured(unseen, proposer), proposer)


if __name__ == "__main__":
    main()
