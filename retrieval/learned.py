"""Learned weights in a file: what `make train-ranker` writes and `recall.ranker` names.

A readable JSON object: weights by name for all candidates (`default`) and for those that are looked
at closely (`close`), what they were learned from, and how they did on what was left out. A weight
that is not there is the built-in one. Nothing is learned here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

from ..core.errors import InvalidInput
from ..core.types import Json
from .profile import CLOSE, DEFAULT, Weights

FORMAT = "meridia-ranker/1"
_NAMES = frozenset(asdict(DEFAULT))


def read(path: str) -> tuple[Weights, Weights]:
    """Return the weights of a file, of all candidates and of the close ones; "" is the built-in.

    Raises `InvalidInput` where the file cannot be read, is no such file, or names a weight that
    does not exist or is no finite number.
    """
    if not path:
        return DEFAULT, CLOSE
    try:
        found = json.loads(Path(path).expanduser().read_text("utf-8"))
    except OSError as error:
        raise _wrong(path, f"cannot be read ({error.strerror or error})") from None
    except ValueError:
        raise _wrong(path, "is no JSON file") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise _wrong(path, f"is no file of weights: its format is not {FORMAT!r}")
    return from_json(found, path)


def from_json(found: Mapping[str, Json], path: str) -> tuple[Weights, Weights]:
    """Read both sets of weights; `path` is what `InvalidInput` calls the place they stand in."""
    return (
        replace(DEFAULT, **_weights(path, found, "default")),
        replace(CLOSE, **_weights(path, found, "close")),
    )


def as_json(weights: tuple[Weights, Weights]) -> dict[str, Json]:
    """Return both sets of weights by name, those that the built-in ones have too left out."""
    return {
        part: {name: value for name, value in asdict(given).items() if value != built_in[name]}
        for part, given, built_in in (
            ("default", weights[0], asdict(DEFAULT)),
            ("close", weights[1], asdict(CLOSE)),
        )
    }


def written(close: Weights, trained_on: Mapping[str, int], figures: Json) -> dict[str, Json]:
    """Return the contents of a file of weights for the close ones, two significant digits each."""
    return {
        "format": FORMAT,
        "close": {name: float(f"{value:.2g}") for name, value in asdict(close).items()},
        "trained_on": dict(trained_on),
        "figures": figures,
    }


def _weights(path: str, found: Mapping[str, Json], part: str) -> dict[str, float]:
    given = found.get(part, {})
    if not isinstance(given, dict):
        raise _wrong(path, f"has no weights by name under {part!r}")
    unknown = sorted(given.keys() - _NAMES)
    if unknown:
        raise _wrong(path, f"names weights that do not exist: {', '.join(unknown)}")
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
            raise _wrong(path, f"has no finite number for {part}.{name}: {value!r}")
    return {name: float(value) for name, value in given.items() if isinstance(value, int | float)}


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _wrong(path: str, what: str) -> InvalidInput:
    return InvalidInput(
        f"recall.ranker: {path} {what}; write it anew with `make train-ranker`, or empty the "
        "setting"
    )
