"""A reader of two texts on all-MiniLM-L6-v2: its lower half reads each text alone, its upper half both together.

The word table and the three lower layers stay as they are. Above them each token learns which text it is in and
whether the other text holds it too, the upper three layers let the texts attend to each other, and a head lays each
token beside what it attends to in the other text, compares the two, and pools the comparisons.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from numpy.typing import NDArray

LAYERS, LOWER, HEADS, WIDTH, INNER = 5, 3, 12, 384, 1536
MOST_OF_PREMISE, MOST_OF_CLAIM = 72, 36
CLS, SEP = 101, 102
COMPARED = 256
DROPPED = 0.1
_FAR = -1e4


class Tokens(NamedTuple):
    """A pair as it is read."""

    premise: list[int]
    claim: list[int]


def laid(premise: Sequence[int], claim: Sequence[int]) -> Tokens:
    """Each text between [CLS] and [SEP]: of the premise at most 80 tokens, of the claim 40."""
    return Tokens([CLS, *premise[: MOST_OF_PREMISE - 2], SEP], [CLS, *claim[: MOST_OF_CLAIM - 2], SEP])


def padded(texts: Sequence[Sequence[int]]) -> Tensor:
    """Texts as rows of one length; 0 is no token."""
    ids = np.zeros((len(texts), max(map(len, texts))), np.int64)
    for at, text in enumerate(texts):
        ids[at, : len(text)] = text
    return torch.from_numpy(ids)


class Layer(nn.Module):
    """One layer of BERT."""

    def __init__(self, dropped: float) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.norm_1, self.norm_2 = nn.LayerNorm(WIDTH, eps=1e-12), nn.LayerNorm(WIDTH, eps=1e-12)
        self.drop = nn.Dropout(dropped)

    def forward(self, x: Tensor, hidden: Tensor) -> Tensor:
        """What the tokens make of each other."""
        rows, length, _ = x.shape
        q, k, v = self.qkv(x).view(rows, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(2, 3) * (WIDTH // HEADS) ** -0.5 + hidden).softmax(3)
        heard = (weights @ v).transpose(1, 2).reshape(rows, length, WIDTH)
        x = self.norm_1(x + self.drop(self.out(heard)))
        y: Tensor = self.norm_2(x + self.drop(self.down(nn.functional.gelu(self.up(x)))))
        return y


class Crossed(nn.Module):
    """21.6 million weights, of which 4.6 million learn."""

    def __init__(self, weights: dict[str, NDArray[np.float32]]) -> None:
        super().__init__()
        given = {name: torch.from_numpy(np.array(value)) for name, value in weights.items()}
        at = "embeddings"
        self.words = nn.Embedding.from_pretrained(given[f"{at}.word_embeddings.weight"])
        places = given[f"{at}.position_embeddings.weight"][:MOST_OF_PREMISE]
        self.places = nn.Parameter(places + given[f"{at}.token_type_embeddings.weight"][0])
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.norm.load_state_dict({part: given[f"{at}.LayerNorm.{part}"] for part in ("weight", "bias")})
        self.layers = nn.ModuleList(Layer(DROPPED if n >= LOWER else 0.0) for n in range(LAYERS))
        for n, layer in enumerate(self.layers):
            layer.load_state_dict(_layer(given, f"encoder.layer.{n}"))
        for still in (self.norm, *self.layers[:LOWER]):
            still.requires_grad_(False)
        self.places.requires_grad_(False)
        # Rows: in the premise, in the claim, in the premise and shared, in the claim and shared.
        self.kinds = nn.Parameter(0.02 * torch.randn(4, WIDTH))
        self.ask, self.show = nn.Linear(WIDTH, 128), nn.Linear(WIDTH, 128)
        self.likeness, self.same, self.nothing_score = (nn.Parameter(torch.tensor(x)) for x in (5.0, 3.0, 1.0))
        self.nothing = nn.Parameter(torch.zeros(WIDTH))
        self.compare = nn.Sequential(
            nn.Linear(4 * WIDTH + 3, COMPARED), nn.GELU(), nn.Dropout(DROPPED), nn.Linear(COMPARED, COMPARED), nn.GELU()
        )
        self.decide = nn.Sequential(
            nn.Dropout(DROPPED), nn.Linear(4 * COMPARED + 2 * WIDTH, COMPARED), nn.GELU(),
            nn.Dropout(DROPPED), nn.Linear(COMPARED, 3),
        )  # fmt: skip

    def alone(self, ids: Tensor) -> Tensor:
        """Each text read on its own by the lower half."""
        with torch.no_grad():
            x: Tensor = self.norm(self.words(ids) + self.places[: ids.shape[1]])
            hidden = (ids == 0)[:, None, None, :] * _FAR
            for layer in self.layers[:LOWER]:
                x = layer(x, hidden)
        return x

    def forward(self, premise: Tensor, claim: Tensor) -> Tensor:
        """Three scores per pair before softmax, contradiction first."""
        said, claimed = premise != 0, claim != 0
        wordly = (claim > 999)[:, None, :]  # the numbers below are of special tokens
        equal = (premise[:, :, None] == claim[:, None, :]) & wordly
        in_both, in_two = equal.any(2), equal.any(1)
        one, other = self.alone(premise), self.alone(claim)
        alike = nn.functional.normalize(one, dim=2) @ nn.functional.normalize(other, dim=2).transpose(1, 2)
        alike = alike.masked_fill(~(said[:, :, None] & claimed[:, None, :]), -1.0)
        x = torch.cat([one + self.kinds[2 * in_both.long()], other + self.kinds[1 + 2 * in_two.long()]], 1)
        hidden = (~torch.cat([said, claimed], 1))[:, None, None, :] * _FAR
        for layer in self.layers[LOWER:]:
            x = layer(x, hidden)
        one, other = x[:, : premise.shape[1]], x[:, premise.shape[1] :]
        given = self.likeness * alike + self.same * equal
        back = given.transpose(1, 2) + self.ask(other) @ self.show(one).transpose(1, 2) / 128**0.5
        there = given + self.ask(one) @ self.show(other).transpose(1, 2) / 128**0.5
        near_one, near_other = (
            torch.stack([shared.float(), alike.max(axis).values], 2) for shared, axis in ((in_both, 2), (in_two, 1))
        )
        sides = (
            self._side(other, one, back.masked_fill(~said[:, None, :], _FAR), near_other, claimed),
            self._side(one, other, there.masked_fill(~claimed[:, None, :], _FAR), near_one, said),
        )
        scores: Tensor = self.decide(torch.cat([*sides, one[:, 0], other[:, 0]], 1))
        return scores

    def _side(self, mine: Tensor, theirs: Tensor, weights: Tensor, near: Tensor, here: Tensor) -> Tensor:
        """Each token of one text beside what it attends to in the other; `near` says how it stands to that text."""
        nothing = self.nothing_score.expand(weights.shape[0], weights.shape[1], 1)
        share = torch.cat([weights, nothing], 2).softmax(2)
        met = share[:, :, :-1] @ theirs + share[:, :, -1:] * self.nothing
        seen = self.compare(torch.cat([mine, met, (mine - met).abs(), mine * met, near, share[:, :, -1:]], 2))
        seen = seen.masked_fill(~here[:, :, None], 0.0)
        return torch.cat([seen.sum(1) / 8, seen.max(1).values.clamp(min=0.0)], 1)


def _layer(given: dict[str, Tensor], here: str) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for part in ("weight", "bias"):
        own = [given[f"{here}.attention.self.{name}.{part}"] for name in ("query", "key", "value")]
        state[f"qkv.{part}"] = torch.cat(own)
        for name, there in (
            ("out", "attention.output.dense"),
            ("norm_1", "attention.output.LayerNorm"),
            ("up", "intermediate.dense"),
            ("down", "output.dense"),
            ("norm_2", "output.LayerNorm"),
        ):
            state[f"{name}.{part}"] = given[f"{here}.{there}.{part}"]
    return state


def probabilities(net: Crossed, rows: Sequence[Tokens], batch: int = 32) -> NDArray[np.float32]:
    """Three shares per pair, contradiction first, in the order of the rows."""
    order = sorted(range(len(rows)), key=lambda at: len(rows[at].premise) + len(rows[at].claim))
    found = np.zeros((len(rows), 3), np.float32)
    net.eval()
    with torch.inference_mode():
        for start in range(0, len(order), batch):
            these = order[start : start + batch]
            said, claimed = padded([rows[at].premise for at in these]), padded([rows[at].claim for at in these])
            found[these] = net(said, claimed).softmax(1).numpy()
    return found
