"""Learned weights in a file: written by `make train-ranker`, named by `recall.ranker`.

A readable JSON object: weights by name for all candidates (`default`) and for reranked ones
(`close`), the training sets, and the scores on held-out questions. A missing weight is the built-in
one. Nothing is learned here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

from ...core.calls.outside_json import read_json
from ...core.errors import InvalidInput
from ...core.types import Json
from .ranking_weights import DEFAULT_WEIGHTS, RERANK_WEIGHTS, RankingWeights

FORMAT = "meridia-ranker/1"
_NAMES = frozenset(asdict(DEFAULT_WEIGHTS))


def read(path: str) -> tuple[RankingWeights, RankingWeights]:
    """Return the weights of a file, of all candidates and of reranked ones; "" is the built-in.

    Raises `InvalidInput` where the file cannot be read, is no such file, or names a weight that
    does not exist or is no finite number.
    """
    if not path:
        return DEFAULT_WEIGHTS, RERANK_WEIGHTS
    try:
        document = read_json(Path(path).expanduser().read_bytes(), "the file", any_number=True)
    except OSError as error:
        raise _invalid(path, f"cannot be read ({error.strerror or error})") from None
    except InvalidInput as error:
        raise _invalid(path, f"is no JSON file ({error})") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _invalid(path, f"is no file of weights: its format is not {FORMAT!r}")
    return from_json(document, path)


def from_json(document: Mapping[str, Json], path: str) -> tuple[RankingWeights, RankingWeights]:
    """Read both sets of weights; `path` is what `InvalidInput` calls the place they stand in."""
    return (
        replace(DEFAULT_WEIGHTS, **_weights(path, document, "default")),
        replace(RERANK_WEIGHTS, **_weights(path, document, "close")),
    )


def as_json(weights: tuple[RankingWeights, RankingWeights]) -> dict[str, Json]:
    """Return both sets of weights by name, those that the built-in ones have too left out."""
    return {
        section: {name: value for name, value in asdict(given).items() if value != built_in[name]}
        for section, given, built_in in (
            ("default", weights[0], asdict(DEFAULT_WEIGHTS)),
            ("close", weights[1], asdict(RERANK_WEIGHTS)),
        )
    }


def to_document(
    close: RankingWeights, trained_on: Mapping[str, int], figures: Json
) -> dict[str, Json]:
    """Return the contents of a file of weights for reranking, two significant digits each."""
    return {
        "format": FORMAT,
        "close": {name: float(f"{value:.2g}") for name, value in asdict(close).items()},
        "trained_on": dict(trained_on),
        "figures": figures,
    }


def _weights(path: str, document: Mapping[str, Json], section: str) -> dict[str, float]:
    given = document.get(section, {})
    if not isinstance(given, dict):
        raise _invalid(path, f"has no weights by name under {section!r}")
    unknown = sorted(given.keys() - _NAMES)
    if unknown:
        raise _invalid(path, f"names weights that do not exist: {', '.join(unknown)}")
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
            raise _invalid(path, f"has no finite number for {section}.{name}: {value!r}")
    return {name: float(value) for name, value in given.items() if isinstance(value, int | float)}


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _invalid(path: str, what: str) -> InvalidInput:
    return InvalidInput(
        f"recall.ranker: {path} {what}; write it again with `make train-ranker`, or empty the "
        "setting"
    )
