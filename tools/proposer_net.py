"""A net over aligned words: each is compared with what it attends to in the other text, and the results are pooled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from proposer_features import PAIR_FEATURES, WIDTH, WORD_FEATURES, Floats, Words, laid
from torch import Tensor, nn

if TYPE_CHECKING:
    from numpy.typing import NDArray

INNER, BATCH, BUCKET = 64, 128, 20
LEARNING_RATE, WEIGHT_DECAY, SMOOTHING, DROPPED = 2e-3, 1e-3, 0.05, 0.2
_FAR = -1e4


@dataclass(frozen=True, slots=True)
class Laid:
    """Two texts and the features of their words and of the pair."""

    premise: Words
    claim: Words
    of_premise: Floats
    of_claim: Floats
    pair: Floats

    @classmethod
    def of(cls, premise: Words, claim: Words) -> Laid:
        """Lay a claim beside a premise."""
        return cls(premise, claim, *laid(premise, claim))


class AlignmentNet(nn.Module):
    """About 68,000 weights: three scores for a pair, contradiction first."""

    def __init__(self) -> None:
        super().__init__()
        self.project = nn.Linear(WIDTH, INNER)
        self.attend = nn.Linear(INNER, INNER, bias=False)
        self.likeness, self.same, self.nothing_score = (nn.Parameter(torch.tensor(x)) for x in (5.0, 4.0, 1.0))
        self.nothing = nn.Parameter(torch.zeros(INNER))
        self.compare = nn.Sequential(
            nn.Dropout(DROPPED), nn.Linear(4 * INNER + WORD_FEATURES, INNER), nn.ReLU(),
            nn.Dropout(DROPPED), nn.Linear(INNER, INNER), nn.ReLU(),
        )  # fmt: skip
        self.scale = nn.BatchNorm1d(PAIR_FEATURES)
        self.decide = nn.Sequential(
            nn.Dropout(DROPPED), nn.Linear(4 * INNER + PAIR_FEATURES, INNER), nn.ReLU(),
            nn.Dropout(DROPPED), nn.Linear(INNER, 3),
        )  # fmt: skip

    def forward(self, rows: Sequence[Laid]) -> Tensor:
        """Scores before softmax, one row per pair."""
        premises, said = _padded([row.premise.vectors for row in rows])
        claims, asked = _padded([row.claim.vectors for row in rows])
        of_premise, _ = _padded([row.of_premise for row in rows])
        of_claim, _ = _padded([row.of_claim for row in rows])
        alike = np.zeros((len(rows), premises.shape[1], claims.shape[1]), np.float32)
        equal = np.zeros_like(alike)
        for place, row in enumerate(rows):
            alike[place, : len(row.premise), : len(row.claim)] = row.premise.units @ row.claim.units.T
            equal[place, : len(row.premise), : len(row.claim)] = row.premise.stems[:, None] == row.claim.stems
        one, other = torch.relu(self.project(premises)), torch.relu(self.project(claims))
        weights = torch.einsum("bnd,bmd->bnm", self.attend(one), other) / INNER**0.5
        weights = weights + self.likeness * torch.from_numpy(alike) + self.same * torch.from_numpy(equal)
        sides = (
            self._side(other, one, weights.masked_fill(~said[:, :, None], _FAR).transpose(1, 2), asked, of_claim),
            self._side(one, other, weights.masked_fill(~asked[:, None, :], _FAR), said, of_premise),
        )
        whole = self.scale(torch.from_numpy(np.stack([row.pair for row in rows])))
        decided: Tensor = self.decide(torch.cat([*sides, whole], 1))
        return decided

    def _side(self, mine: Tensor, theirs: Tensor, weights: Tensor, here: Tensor, marks: Tensor) -> Tensor:
        nothing = self.nothing_score.expand(weights.shape[0], weights.shape[1], 1)
        share = torch.cat([weights, nothing], 2).softmax(2)
        met = share[:, :, :-1] @ theirs + share[:, :, -1:] * self.nothing
        seen = self.compare(torch.cat([mine, met, (mine - met).abs(), mine * met, marks], 2)) * here[:, :, None]
        return torch.cat([seen.sum(1) / 4, seen.max(1).values], 1)


def trained(
    rows: Sequence[Laid], truth: NDArray[np.int64], of: NDArray[np.int64], *, epochs: int, seed: int
) -> AlignmentNet:
    """A net that saw the rows `of` so many times, in an order that the seed sets; pairs of like length go together."""
    net, chances = AlignmentNet(), np.random.default_rng(seed)
    lengths = np.array([len(row.premise) + len(row.claim) for row in rows])
    optimiser = torch.optim.AdamW(net.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    steps = epochs * (len(of) // BATCH + BUCKET)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, LEARNING_RATE, total_steps=steps, pct_start=0.15)
    for epoch in range(epochs):
        net.train()
        order, total, batches = chances.permutation(of), 0.0, 0
        for start in range(0, len(order), BATCH * BUCKET):
            bucket = order[start : start + BATCH * BUCKET]
            bucket = bucket[np.argsort(lengths[bucket], kind="stable")]
            for at in range(0, len(bucket), BATCH):
                batch = bucket[at : at + BATCH]
                said = net([rows[place] for place in batch])
                loss = nn.functional.cross_entropy(said, torch.from_numpy(truth[batch]), label_smoothing=SMOOTHING)
                optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 1.0)
                optimiser.step()
                schedule.step()
                total, batches = total + float(loss.detach()), batches + 1
        print(f"  epoch {epoch + 1}: mean loss {total / batches:.3f}", flush=True)  # noqa: T201 (a tool's terminal)
    return net.eval()


def probabilities(net: AlignmentNet, rows: Sequence[Laid]) -> Floats:
    """Three shares per pair, contradiction first, in the order of the rows."""
    order = sorted(range(len(rows)), key=lambda at: len(rows[at].premise) + len(rows[at].claim))
    found = np.zeros((len(rows), 3), np.float32)
    with torch.no_grad():
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            found[batch] = net([rows[at] for at in batch]).softmax(1).numpy()
    return found


def _padded(tables: Sequence[Floats]) -> tuple[Tensor, Tensor]:
    """Tables of one width as one tensor, and which of its rows are real; at least one row each."""
    longest = max(1, *map(len, tables))
    whole = np.zeros((len(tables), longest, tables[0].shape[1]), np.float32)
    real = np.zeros((len(tables), longest), bool)
    for place, table in enumerate(tables):
        whole[place, : len(table)], real[place, : len(table)] = table, True
    return torch.from_numpy(whole), torch.from_numpy(real)
