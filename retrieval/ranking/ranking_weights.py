"""The weights of the ranking formula: built in, or read from a file of learned weights.

`make train-ranker` writes the file and `recall.ranker` names it: a JSON object with weights by name
for all candidates (`default`) and for reranked ones (`close`), the training sets, and the scores on
held-out questions. A weight that the file lacks has its built-in value. Nothing is learned here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ...core.calls.cleaning import read_json
from ...core.errors import InvalidInput
from ...core.types import Json


@dataclass(frozen=True, slots=True)
class RankingWeights:
    """Weights of the default profile; each is the score of a memory that has it in full."""

    meaning_in_context: float = 8.0
    meaning_alone: float = 5.0
    words: float = 4.5
    pairs: float = 0.5
    matches: float = 0.35
    matches_unread: float = 20.0
    session_words: float = 3.5
    speaker: float = 2.6
    asker: float = 2.0
    participant: float = 2.5
    when: float = 2.3
    month: float = 4.7
    period: float = 3.8
    day: float = 2.9
    information: float = 0.7
    asks_back: float = -0.6
    length: float = -0.3
    passages: float = -1.3
    walk: float = 1.0
    token_match: float = 0.0
    phrased: float = 0.0
    phrased_around: float = 0.0
    echo: float = 0.0


DEFAULT_WEIGHTS = RankingWeights()
#: For the reranked memories: each word's nearest word replaces the literal words.
RERANK_WEIGHTS = replace(
    DEFAULT_WEIGHTS,
    meaning_in_context=4.0,
    meaning_alone=8.9,
    words=0.0,
    pairs=0.4,
    matches=0.65,
    session_words=2.5,
    speaker=2.5,
    when=1.8,
    month=3.8,
    period=3.3,
    day=2.8,
    information=0.6,
    length=-0.8,
    token_match=4.5,
    phrased=3.2,
    phrased_around=11.0,
    echo=-2.0,
)


FORMAT = "meridia-ranker/1"
_NAMES = frozenset(asdict(DEFAULT_WEIGHTS))


def read(path: str) -> tuple[RankingWeights, RankingWeights]:
    """Return the weights of a file, of all candidates and of reranked ones; "" is the built-in.

    Raises `InvalidInput` if the file cannot be read, has another format, or names a weight that
    does not exist or is not a finite number.
    """
    if not path:
        return DEFAULT_WEIGHTS, RERANK_WEIGHTS
    try:
        document = read_json(Path(path).expanduser().read_bytes(), "the file", any_number=True)
    except OSError as error:
        raise _invalid(path, f"cannot be read ({error.strerror or error})") from None
    except InvalidInput as error:
        raise _invalid(path, f"is not a JSON file ({error})") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _invalid(path, f"is not a file of weights: its format is not {FORMAT!r}")
    return from_json(document, path)


def from_json(document: Mapping[str, Json], path: str) -> tuple[RankingWeights, RankingWeights]:
    """Read both sets of weights; `path` names their place in errors (`InvalidInput`)."""
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
