"""The encoder of all-MiniLM-L6-v2 as an ONNX graph: exact, or on eight-bit whole numbers.

Uses onnxruntime's fused operators (domain com.microsoft) for what a transformer repeats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

LAYERS, HEADS, WIDTH, POSITIONS = 6, 12, 384, 256
# Weights are whole numbers in -90..90. Activations are 1..181 around 91, or 0..180 where they cannot be negative.
WEIGHT_REACH, TOKEN_REACH, LARGEST_CODE = 90, 90, 181
assert 2 * WEIGHT_REACH * LARGEST_CODE <= 2**15 - 1, "two products would saturate 16 bits"
GELU_LEAST = np.float32(0.17)  # gelu(x) > -0.17 for every x
SMALLEST = np.float32(1e-9)  # keeps the scale of an all-zero row above zero

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
        """A constant."""
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value).reshape(value.shape), name))
        return name

    def numbers(self, *values: int) -> str:
        """A constant list of whole numbers: a shape, or axes."""
        return self.const(np.array(values, np.int64))

    def op(self, kind: str, *inputs: str, fused: bool = False, **attributes: Any) -> str:
        """What an operator makes of its inputs; `fused` says that it is one of onnxruntime's own."""
        return self.ops(kind, *inputs, count=1, fused=fused, **attributes)[0]

    def ops(self, kind: str, *inputs: str, count: int, fused: bool = False, **attributes: Any) -> list[str]:
        """The same, for an operator with several outputs."""
        outputs = [f"v{len(self.nodes)}_{i}" for i in range(count)]
        domain = "com.microsoft" if fused else ""
        self.nodes.append(helper.make_node(kind, list(inputs), outputs, domain=domain, **attributes))
        return outputs


# Writes x · weightᵀ and returns it without its bias, and the bias still to be added.
Dense = Callable[[Graph, str, Matrix], tuple[str, NDArray[np.float32]]]
Lookup = Callable[[Graph, str, NDArray[np.float32]], str]


def exact_dense(graph: Graph, x: str, matrix: Matrix) -> tuple[str, NDArray[np.float32]]:
    """A dense layer in float32."""
    return graph.op("MatMul", x, graph.const(matrix.weight.T)), matrix.bias


def exact_lookup(graph: Graph, ids: str, table: NDArray[np.float32]) -> str:
    """Rows of a table in float32."""
    return graph.op("Gather", graph.const(table), ids)


def eight_bit_lookup(graph: Graph, ids: str, table: NDArray[np.float32]) -> str:
    """Rows of a table of whole numbers, each row with its own scale."""
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
        product = graph.op("MatMulIntegerToFloat", quantised, graph.const(codes.T), one, columns, zero, fused=True)
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
        return graph.op("SkipLayerNormalization", y, x, *norm(name), graph.const(bias), fused=True, epsilon=1e-12)

    shape, length = graph.op("Shape", "input_ids"), graph.op("Shape", "input_ids", start=1, end=2)

    def by_text(x: str, width: int) -> str:
        return graph.op("Reshape", x, graph.op("Concat", shape, graph.numbers(width), axis=0))

    every = graph.op("Reshape", "input_ids", graph.numbers(-1))
    words = lookup(graph, every, weights["embeddings.word_embeddings.weight"])
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

    ids, attended = (
        helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
        for name in ("input_ids", "attention_mask")
    )
    outputs = [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["texts", WIDTH])]
    outputs += [helper.make_tensor_value_info(value, TensorProto.FLOAT, None) for value in (watched or {}).values()]
    body = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", [ids, attended], outputs, graph.constants)
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=9, producer_name="upheld")
