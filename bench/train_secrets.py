"""Learn which values beside a word for a secret are one: language/data/secrets.json.

    python -m bench.train_secrets [--out FOLDER]

From lines labelled by hand (bench/data/secrets.jsonl: invented, no value is real), from the kinds
of `bench.redaction`, and from texts that hold none: conversations, outputs of tools, code and
documents. Every fifth kind is held out for the figures in the file; what ships learns from all.
"""

from __future__ import annotations

import argparse
import codecs
import json
import random
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from bench.redaction import DATA, drawn, read_kinds
from bench.train_heads import Sparse, figures_of, learn, write
from meridia.ingest.redaction.rules import SecretNames
from meridia.ingest.redaction.scanner import find_by_rules
from meridia.ingest.redaction.statements import candidates
from meridia.ingest.redaction.token_formats import long_words
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
)
_HELD_OUT, _DRAWS, _ROWS_MIN, _WEIGHT_MIN = 5, 2, 4, 0.08
#: How much a row of each source counts.
_OF_LABELLED, _OF_SECRETS, _OF_HARMLESS, _OF_TALKS = 2.0, 1.0, 2.0, 1.0
_TEXT_CHARS_MAX, _PENALTY, _STEPS = 4000, 4e-5, 170


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
    rows = [
        row
        for line in (*labelled(), *kinds(), *planted_lines(), *talks())
        for row in rows_of(line, names)
    ]
    held = [row.group == 0 for row in rows]
    trained = weights_of([row for row, out_of in zip(rows, held, strict=True) if not out_of])
    tested = [row for row, out_of in zip(rows, held, strict=True) if out_of]
    scores = np.array([score(row.features, *trained) for row in tested], np.float32)
    figures = figures_of(
        (1 / (1 + np.exp(-scores))).astype(np.float32), np.array([row.is_secret for row in tested])
    )
    weights, bias = weights_of(rows)
    print(f"secret {len(weights):6} {figures}")
    head = {"figures": figures, "bias": round(bias, 3), "weights": weights}
    write(out / "secrets.json", (_LABELLED, *_KINDS, *_WITHOUT), {"secret": head})


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
            for number in range(_DRAWS if "⟨" in kind.template else 1):
                text, values = drawn(kind.template, draw)
                if number and kind.part == "learned" and name == "secrets":
                    text = draw.choice(["ok so ", "note: ", "hi, ", "btw ", ""]) + text
                    text += draw.choice([", thanks", " ok?", ". See you.", "", " please"])
                secrets = values if name == "secrets" else []
                weight = _OF_SECRETS if secrets else _OF_HARMLESS
                weight *= 1.5 if kind.part == "learned" else 1
                yield Line(_group(kind.template), text, secrets, weight, [])


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
            for text in _texts(json.loads(row)):
                yield Line(_group(f"{name} {number // 50}"), text, [], _OF_TALKS, [])
    for path in (*_ROOT.glob("docs/*.md"), *_ROOT.glob("[a-z]*/**/*.py"), *_modules()):
        if not {"tests", "redaction", "bench"} & set(path.parts) and crc32(path.name.encode()) % 3:
            for text in path.read_text("utf-8").split("\n\n"):
                yield Line(_group(path.name), text[:_TEXT_CHARS_MAX], [], _OF_TALKS, [])


def _modules() -> list[Path]:
    return sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[2::5]


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


def weights_of(rows: list[Row]) -> tuple[dict[str, float], float]:
    """Learn the weights of features, and the bias."""
    often = Counter(name for row in rows for name in row.features)
    names = sorted(name for name, count in often.items() if count >= _ROWS_MIN)
    matrix = Sparse.of([dict.fromkeys(row.features, 1.0) for row in rows], names)
    wanted = np.array([[row.is_secret] for row in rows])
    known = np.array([[row.weight] for row in rows], np.float32)
    weights, bias = learn(matrix, wanted, known, _PENALTY, _STEPS)
    listed = zip(names, weights[:, 0].tolist(), strict=True)
    return {n: round(w, 2) for n, w in listed if abs(w) >= _WEIGHT_MIN}, float(bias[0])


def score(features: list[str], weights: dict[str, float], bias: float) -> float:
    """Return the log-odds that a candidate with these features is a secret."""
    return bias + sum(weights.get(name, 0.0) for name in features)


if __name__ == "__main__":
    main()
