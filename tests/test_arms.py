"""The ways of searching: which notes of each group one finds, held against a plain reading of what it promises."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from upheld.db.arms import _TIE, SHORTLIST, WITHIN, Scored, _closest, _ranked
from upheld.db.index import GROUP_BITS, LINKED, REST, STANDING
from upheld.ports import Arm, Most

Hit = tuple[int, int, int]
"""How well a note fits, its position, its group: sorted as they are ranked."""

ROUNDS, ROUNDS_LONG = 400, 6000
FARTHEST = 2**32 - 1
SHARES = ((0.4, 0.3, 0.3), (0.02, 0.5, 0.48), (0.98, 0.01, 0.01))


def drawn(chance: np.random.Generator) -> tuple[list[Scored], list[Hit]]:
    """What some scopes scored, crowded or not, with ties or not; and the same, best first."""
    size, last = int(chance.choice([0, 1, 5, 50, 199, 201, 1000])), int(chance.choice([5000, FARTHEST]))
    positions = chance.permutation(np.unique(chance.integers(1, last, size, dtype=np.int64)))
    scored: list[Scored] = []
    hits: list[Hit] = []
    for seqs in np.array_split(positions, int(chance.integers(1, 4))):
        found = chance.uniform(-1, 1, len(seqs)) * int(chance.choice([0, 1, 2500]))
        scores = np.round(found, int(chance.choice([1, 5]))).astype(np.float32)
        groups = chance.choice(3, len(seqs), p=SHARES[int(chance.integers(3))])
        scored.append(((seqs << GROUP_BITS) + groups, scores, groups == STANDING))
        ranks = np.rint(scores * np.float64(_TIE)).astype(np.int64)
        hits += zip(ranks.tolist(), seqs.tolist(), groups.tolist(), strict=True)
    return scored, sorted(hits, reverse=True)


def promised(hits: list[Hit], most: Most) -> Arm:
    """What an arm promises to find."""
    standing = [hit for hit in hits if hit[2] == STANDING][: most.in_force]
    full = len(standing) == most.in_force
    fitting = [hit for hit in hits if not (most.within and full) or hit[:2] > standing[-1][:2]]
    linked = [hit for hit in fitting if hit[2] == LINKED][: most.linked]
    rest = [hit for hit in fitting if hit[2] == REST][: most.rest]
    return Arm(
        in_force=[seq for _, seq, _ in standing],
        linked=[seq for _, seq, _ in linked],
        together=[seq for _, seq, _ in sorted(standing + linked, reverse=True)][: most.in_force],
        rest=[seq for _, seq, _ in rest],
        ahead=[sum(ahead[:2] > fallen[:2] for ahead in standing) for fallen in rest],
    )


def test_an_arm_finds_of_each_group_what_fits_best(seed: int, long: bool) -> None:
    chance = np.random.default_rng(seed)
    cut = 0
    for number in range(ROUNDS_LONG if long else ROUNDS):
        scored, hits = drawn(chance)
        depth, within = int(chance.choice([20, 100])), bool(chance.integers(2))
        for most in (Most(depth, depth // 2, depth // 4, within=within), Most(depth, depth, depth), Most(depth)):
            assert Arm(*map(list, _ranked(scored, most))) == promised(hits, most), (number, most)
        some, every = Most(depth, depth, depth, within=True), Most(depth, depth, depth)
        cut += promised(hits, some).rest != promised(hits, every).rest
    assert cut > 5, "the control: sometimes what fits worse was left out"


def test_vectors_are_compared_by_the_distance_of_their_signs_and_of_what_fell_fewer(seed: int, long: bool) -> None:
    chance = np.random.default_rng(seed)
    fewer = 0
    for number in range(ROUNDS_LONG if long else ROUNDS):
        width, count = int(chance.choice([65, 385, 4097])), int(chance.choice([1, 50, 300, 3000]))
        distance = np.clip(chance.normal(width / 2, width / 8, count), 0, width - 1).astype(np.uint16)
        groups = chance.choice(4, count, p=(*np.array(SHARES[int(chance.integers(3))]) * 0.9, 0.1))
        look = SimpleNamespace(width=width, band=(groups * width).astype(np.uint16))
        wanted: dict[bool, set[int]] = {}
        for within in (False, True):
            furthest, wanted[within] = width - 1, set()
            for group, share in enumerate(SHORTLIST):
                near = np.sort(distance[groups == group])
                last = min(int(near[share - 1]) if len(near) >= share else width - 1, furthest)
                wanted[within] |= set(np.flatnonzero((groups == group) & (distance <= last)).tolist())
                if within and group == STANDING and len(near) >= WITHIN:
                    furthest = int(near[WITHIN - 1])
            found = _closest(distance.copy(), look, within=within)  # type: ignore[arg-type]
            assert set(found.tolist()) == wanted[within], (number, within)
        fewer += wanted[True] != wanted[False]
    assert fewer > 5, "the control: sometimes fewer of what fell were compared"
