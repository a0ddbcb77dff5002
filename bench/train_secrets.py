"""Learn which values of a text are secrets: language/data/secrets.json and secrets.npz.

    python -m bench.train_secrets [--out FOLDER]

From lines labelled by hand (bench/data/secrets.jsonl: invented, no value is real), from the kinds
of `bench.redaction`, and from texts that hold none: conversations, outputs of tools and code, which
is that of Python's own modules, so that the same Python learns the same. Labelled lines count again
with other values in the same places. Every fifth kind is held out for the figures in the file; what
ships learns from all.
"""

from __future__ import annotations

import argparse
import codecs
import json
import random
import re
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bench.drawn_words import AROUND, SECRETS
from bench.redaction import DATA, drawn, read_kinds
from bench.train_heads import figures_of
from bench.varied_secrets import varied
from meridia.ingest.redaction.rules import SecretNames
from meridia.ingest.redaction.scanner import find_by_rules
from meridia.ingest.redaction.statements import candidates
from meridia.ingest.redaction.token_formats import long_words
from meridia.language.heads import Net
from tests.planted_secrets import MAKERS

_ROOT = Path(__file__).parents[1]
_OUT = _ROOT / "language" / "data"
_LABELLED = "secrets.jsonl"
_KINDS = ("redaction_secrets.txt", "redaction_harmless.txt")
_WITHOUT = (
    "mentions-a.jsonl",
    "mentions-b.jsonl",
    "coding.jsonl",
    "work.jsonl",
    "tool_outputs.jsonl",
    "standing.jsonl",
    "association.jsonl",
    "utterances.tsv",
    "instructions.tsv",
    "setbacks.tsv",
    "personal_questions.txt",
    "near_misses.txt",
)
_OPEN = re.compile(rf"⟨(?:{'|'.join((*AROUND, *SECRETS))})⟩")
_HELD_OUT, _DRAWS, _OPEN_DRAWS, _ROWS_MIN, _WEIGHT_MIN = 5, 2, 6, 5, 0.08
#: How much a row of each source counts.
_OF_LABELLED, _OF_SECRETS, _OF_HARMLESS, _OF_TALKS = 2.0, 1.0, 2.0, 1.0
_OF_VARIED, _VARIED = 0.25, {"labelled": 2, "kinds": 1}
_TEXT_CHARS_MAX, _VARIED_CHARS_MAX = 4000, 1500
#: The net, and how it is learned: Adagrad, features left out by chance.
_UNITS, _ROUNDS, _BATCH, _RATE, _LEFT_OUT, _PENALTY = 24, 14, 512, 0.1, 0.3, 1e-5
#: What ships is the mean of the last rounds, so that a line more moves it less.
_AVERAGED = 5
#: What one step of a whole number stands for, in features and in units.
_STEP, _OVER_STEP, _BYTE = 1 / 48, 1 / 64, 127


class Line(NamedTuple):
    """A text with its secrets, and with what may be hidden or not; `group` is held out together."""

    group: int
    text: str
    secrets: list[str]
    weight: float
    either: list[str]


class Row(NamedTuple):
    """A candidate of a text: its features, and whether it is a secret."""

    group: int
    features: list[str]
    is_secret: bool
    weight: float


def main() -> None:
    """Learn, write, and print the figures on what was held out."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, default=_OUT)
    out = parser.parse_args().out
    names = SecretNames()
    rows = [row for line in lines() for row in rows_of(line, names)]
    held = [row.group == 0 for row in rows]
    trained = net_of([row for row, out_of in zip(rows, held, strict=True) if not out_of])
    tested = [
        row for row, is_out in zip(rows, held, strict=True) if is_out and row.weight >= _OF_SECRETS
    ]
    scores = np.array([trained.score(row.features) for row in tested], np.float32)
    figures = figures_of(
        (1 / (1 + np.exp(-scores))).astype(np.float32), np.array([row.is_secret for row in tested])
    )
    net = net_of(rows)
    print(f"secret {len(net.places):6} {figures}")
    described = {
        "learned_from": f"bench/data: {', '.join((_LABELLED, *_KINDS, *_WITHOUT))}",
        "figures": figures,
        "scale": net.scale,
    }
    (out / "secrets.json").write_text(json.dumps(described, indent=1) + "\n", "utf-8")
    listed = np.frombuffer("\0".join(net.places).encode(), np.uint8)
    np.savez_compressed(
        out / "secrets.npz",
        allow_pickle=False,
        names=listed,
        units=np.array(net.units, np.int8).reshape(len(net.places), -1),
        bias=np.array(net.bias),
        over=np.array(net.over),
    )


def lines() -> Iterator[Line]:
    """Yield all lines, those with labels also with other values."""
    for source in (labelled, kinds):
        draw = random.Random(source.__name__)
        for line in source():
            yield line
            for _ in range(_VARIED[source.__name__] * (len(line.text) < _VARIED_CHARS_MAX)):
                other = varied(line.text, line.secrets, draw)
                if other:
                    text, secrets = other
                    either = [] if secrets else line.either
                    yield Line(line.group, text, secrets, line.weight * _OF_VARIED, either)
    yield from planted_lines()
    yield from talks()


def labelled() -> Iterator[Line]:
    """Yield the lines that were labelled by hand."""
    for text in (DATA / _LABELLED).read_text("utf-8").splitlines():
        row = json.loads(text)
        read = _plain if row.get("rot13") else str
        secrets, either = (list(map(read, row.get(name, []))) for name in ("secrets", "optional"))
        yield Line(_group(row["kind"]), read(row["text"]), secrets, _OF_LABELLED, either)


def _plain(text: str) -> str:
    """Return a text that is written so that nobody takes what it holds for a key in force."""
    return codecs.decode(text, "rot13")


def kinds() -> Iterator[Line]:
    """Yield the kinds of `bench.redaction`, drawn some times, those to learn from in sentences."""
    for name in ("secrets", "harmless"):
        for kind in read_kinds(name):
            draw = random.Random(kind.template)
            for number in range(_draws_of(kind.template)):
                text, values = drawn(kind.template, draw)
                if number and kind.part == "learned" and name == "secrets":
                    text = draw.choice(["ok so ", "note: ", "hi, ", "btw ", ""]) + text
                    text += draw.choice([", thanks", " ok?", ". See you.", "", " please"])
                secrets = values if name == "secrets" else []
                weight = _OF_SECRETS if secrets else _OF_HARMLESS
                weight *= 1.5 if kind.part == "learned" else 1
                yield Line(_group(kind.template), text, secrets, weight, [])


def _draws_of(template: str) -> int:
    """Return how often a kind is drawn: oftener where a part of it may be anything."""
    return 1 if "⟨" not in template else _OPEN_DRAWS if _OPEN.search(template) else _DRAWS


def planted_lines() -> Iterator[Line]:
    """Yield the secrets that the tests plant, as they stand, in a sentence and in broken JSON."""
    draw = random.Random(0)
    for number, make in enumerate(MAKERS):
        for around in ("{}", "Here you are:\n{}\nThanks a lot!", '{{"b": "{}", ...', "It said: {}"):
            sample = make(draw)
            text = around.format(sample.text)
            yield Line(number % _HELD_OUT, text, list(sample.secrets), _OF_SECRETS, [])


def talks() -> Iterator[Line]:
    """Yield texts without secrets."""
    for name in _WITHOUT:
        for number, row in enumerate((DATA / name).read_text("utf-8").splitlines()):
            for text in _texts(json.loads(row) if name.endswith("l") else row):
                yield Line(_group(f"{name} {number // 50}"), text, [], _OF_TALKS, [])
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[::2]:
        for text in path.read_text("utf-8").split("\n\n"):
            yield Line(_group(path.name), text[:_TEXT_CHARS_MAX], [], _OF_TALKS, [])


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value[:_TEXT_CHARS_MAX]
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _group(kind: str) -> int:
    return crc32(kind.encode()) % _HELD_OUT


def rows_of(line: Line, names: SecretNames) -> Iterator[Row]:
    """Yield the candidates of a line; those that are a secret in part say nothing."""
    text, lowered = line.text, line.text.lower()
    secret, either = (_places(text, values) for values in (line.secrets, line.either))
    ruled = find_by_rules(text, lowered, names, long_words(text))
    for each in candidates(text, lowered, names, ruled):
        shared = sum(max(0, min(each.end, e) - max(each.start, s)) for s, e in secret)
        is_secret = shared * 2 >= each.end - each.start
        if (shared > 0) == is_secret and not any(
            start < each.end and each.start < end for start, end in either
        ):
            features = list(map(sys.intern, dict.fromkeys(each.features)))
            yield Row(line.group, features, is_secret, line.weight)


def _places(text: str, values: list[str]) -> list[tuple[int, int]]:
    found = []
    for value in values:
        place = text.find(value)
        while place >= 0:
            found.append((place, place + len(value)))
            place = text.find(value, place + 1)
    return found


class _Layers(NamedTuple):
    """A net in fractions: features by units and one, bias by units and one, units."""

    features: NDArray[np.float32]
    bias: NDArray[np.float32]
    over: NDArray[np.float32]


class _Known(NamedTuple):
    """What is learned from: by row the columns of its features, what is wanted, its weight."""

    columns: list[NDArray[np.int64]]
    wanted: NDArray[np.float32]
    weights: NDArray[np.float32]


def net_of(rows: list[Row]) -> Net:
    """Learn a net."""
    often = Counter(name for row in rows for name in row.features)
    names = sorted(name for name, count in often.items() if count >= _ROWS_MIN)
    places = {name: place for place, name in enumerate(names)}
    draw = np.random.default_rng(0)
    layers = _Layers(
        (draw.standard_normal((len(names), _UNITS + 1)) * 0.05).astype(np.float32),
        np.zeros(_UNITS + 1, np.float32),
        (draw.standard_normal(_UNITS) * 0.3).astype(np.float32),
    )
    layers.features[:, _UNITS] = 0
    squares = _Layers(*(np.full_like(layer, 1e-3) for layer in layers))
    columns = [np.array([places[f] for f in row.features if f in places]) for row in rows]
    weights = np.array([row.weight for row in rows], np.float32)
    wanted = np.array([row.is_secret for row in rows], np.float32)
    known = _Known(columns, wanted, weights / weights.mean())
    sums = _Layers(*(np.zeros_like(layer) for layer in layers))
    for number in range(_ROUNDS):
        rate = _RATE * (1.1 - number / _ROUNDS)
        order = draw.permutation(len(rows))
        for start in range(0, len(rows), _BATCH):
            batch = order[start : start + _BATCH]
            changes = _changes(layers, known, batch, draw)
            for layer, square, (there, change) in zip(layers, squares, changes, strict=True):
                square[there] += change**2
                layer[there] -= rate * change / np.sqrt(square[there])
        if number >= _ROUNDS - _AVERAGED:
            for total, layer in zip(sums, layers, strict=True):
                np.add(total, layer / _AVERAGED, out=total)
    return _rounded(sums, places)


def _changes(
    layers: _Layers, known: _Known, rows: NDArray[np.int64], draw: np.random.Generator
) -> Iterator[tuple[Any, NDArray[np.float32]]]:
    """Yield for each layer which of it some rows want otherwise, and by how much."""
    features = np.concatenate([known.columns[row] for row in rows])
    place = np.repeat(np.arange(len(rows)), [len(known.columns[row]) for row in rows])
    kept = draw.random(len(features)) >= _LEFT_OUT
    features, place = features[kept], place[kept]
    sums = layers.bias + _summed(layers.features[features], place, len(rows)) / (1 - _LEFT_OUT)
    units = np.maximum(sums[:, :-1], 0)
    likely = 1 / (1 + np.exp(-np.clip(units @ layers.over + sums[:, -1], -30, 30)))
    error = ((likely - known.wanted[rows]) * known.weights[rows] / len(rows)).astype(np.float32)
    back = np.hstack([error[:, None] * layers.over * (sums[:, :-1] > 0), error[:, None]])
    order = np.argsort(features, kind="stable")
    there, first = np.unique(features[order], return_index=True)
    of_features = np.add.reduceat(back[place[order]], first, axis=0) / (1 - _LEFT_OUT)
    yield there, of_features + _PENALTY * layers.features[there]
    yield ..., back.sum(axis=0)
    yield ..., units.T @ error + 10 * _PENALTY * layers.over


def _summed(
    values: NDArray[np.float32], place: NDArray[np.int64], count: int
) -> NDArray[np.float32]:
    """Return the sums of values by row; rows are in order, and may have none."""
    sums = np.zeros((count, values.shape[1]), np.float32)
    there, first = np.unique(place, return_index=True)
    sums[there] = np.add.reduceat(values, first, axis=0)
    return sums


def _rounded(layers: _Layers, places: dict[str, int]) -> Net:
    """Return a net of whole numbers, without features that weigh nothing."""
    units = np.clip(np.rint(layers.features / _STEP), -_BYTE - 1, _BYTE).astype(np.int8)
    over = np.rint(np.append(layers.over, 1) / _OVER_STEP).astype(np.int64)
    bias = np.rint(layers.bias / _STEP).astype(np.int64)
    weighty = np.flatnonzero(np.abs(layers.features).max(axis=1) >= _WEIGHT_MIN)
    names = list(places)
    kept = {names[place]: number for number, place in enumerate(weighty)}
    rows = memoryview(units[weighty].tobytes()).cast("b")
    return Net(kept, rows, bias.tolist(), over.tolist(), _STEP * _OVER_STEP)


if __name__ == "__main__":
    main()
