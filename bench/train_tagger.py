"""Learn the tagger's heads: models/data/tagger.npz, and tagger.json with its figures.

    python -m bench.train_tagger --tags FILE… --tags-test FILE --names FILE… --names-test FILE

Parts of speech are learned from CoNLL-U files of Universal Dependencies' English Web Treebank
(CC BY-SA 4.0), names from IOB files with a `# text` line (Universal NER, CC BY-SA 4.0) or in the
form of WNUT 2017 (CC BY 4.0). None of them is part of the project; what ships are the weights.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from meridia.language.tagging import (
    BUCKETS,
    STATE_DIMENSION,
    Floats,
    context_states,
    word_features,
    word_states,
)
from meridia.models.embedder import MiniLmEmbedder

_OUT = Path(__file__).parents[1] / "models" / "data"
_TAGS = tuple(
    "NN NNS NNP NNPS VB VBD VBG VBN VBP VBZ MD JJ JJR JJS RB RBR RBS PRP PRP$ DT IN TO CC CD UH WP"
    " WRB WDT RP EX PDT POS . , : OTHER".split()
)
_NAMES = ("O", *(f"{place}-{kind}" for kind in ("PER", "LOC", "ORG", "OTHER") for place in "BI"))
#: The kinds of WNUT 2017 in ours.
_WNUT = {"person": "PER", "location": "LOC", "corporation": "ORG", "group": "ORG"}
_EPOCHS, _BATCH, _RATE, _STATE_RATE = 5, 256, 0.1, 0.003
#: Of so many sentences the states are hidden, so that letters alone must do, too.
_HIDDEN = 0.15
_TEXT_CHARS_MAX = 700


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence whose words are labelled."""

    text: str
    words: Sequence[str]
    labels: Sequence[str]


@dataclass(frozen=True, slots=True)
class Rows:
    """Words as the heads see them, one row a word; `first` are the rows that begin a sentence."""

    features: NDArray[np.int64]
    states: Floats
    labels: NDArray[np.int64]
    sentence: NDArray[np.int64]


def main() -> None:
    """Read, encode, learn, write, and print the figures on what was held out."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    for name in ("--tags", "--names"):
        parser.add_argument(name, type=Path, nargs="+", required=True)
        parser.add_argument(f"{name}-test", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=_OUT)
    arguments = parser.parse_args()
    weights: dict[str, NDArray[np.generic]] = {}
    described: dict[str, object] = {}
    for name, labels, train, test in (
        ("tags", _TAGS, arguments.tags, arguments.tags_test),
        ("names", _NAMES, arguments.names, arguments.names_test),
    ):
        rows = encode(
            (sentence for file in train for sentence in read(file, name == "tags")), labels
        )
        held_out = encode(read(test, name == "tags"), labels)
        by_feature, by_state = learn(rows, len(labels))
        scale = float(np.abs(by_feature).max()) / 127
        weights[f"{name}_features"] = np.rint(by_feature / scale).astype(np.int8)
        weights[f"{name}_states"] = by_state.astype(np.float16)
        figures = {
            "words_learned_from": len(rows.labels),
            "words_held_out": len(held_out.labels),
            **figures_of(held_out, by_feature, by_state, labels),
        }
        described[name] = {"labels": labels, "scale": scale, "figures": figures}
        print(name, json.dumps(figures))
    np.savez_compressed(arguments.out / "tagger.npz", allow_pickle=False, **weights)
    text = json.dumps(described, indent=1)
    (arguments.out / "tagger.json").write_text(text + "\n", "utf-8")


def read(file: Path, tags: bool) -> Iterable[Sentence]:
    """Yield the sentences of a file: the Penn Treebank tag, or the name's label, of each word."""
    text, words, labels = "", list[str](), list[str]()
    for line in [*file.read_text("utf-8").splitlines(), ""]:
        if line.startswith("# text = "):
            text = line.removeprefix("# text = ")
        elif line.startswith("#"):
            continue
        elif line.strip():
            cells = line.split("\t")
            if not tags and len(cells) == 2:
                words.append(cells[0])
                labels.append(_wnut_label(cells[1]))
            elif cells[0].isdigit():
                words.append(cells[1])
                labels.append(cells[4] if tags else cells[2])
        elif words:
            yield Sentence(text or " ".join(words), words, labels)
            text, words, labels = "", [], []


def _wnut_label(label: str) -> str:
    place, _, kind = label.partition("-")
    return f"{place}-{_WNUT.get(kind, 'OTHER')}" if kind else "O"


def encode(sentences: Iterable[Sentence], labels: Sequence[str]) -> Rows:
    """Return the words of sentences as rows."""
    embedder, index = MiniLmEmbedder(), {label: place for place, label in enumerate(labels)}
    other = index.get("OTHER", 0)
    features, states, wanted, sentence_of = [], [], list[int](), list[int]()
    for number, sentence in enumerate(sentences):
        spans = _spans(sentence)
        if spans is None or len(sentence.text) > _TEXT_CHARS_MAX:
            continue
        encoded = embedder.encode(sentence.text)
        features.append(word_features(sentence.words))
        states.append(context_states(word_states(spans, encoded.pieces, encoded.spans)))
        wanted += [index.get(label, other) for label in sentence.labels]
        sentence_of += [number] * len(sentence.words)
    return Rows(np.vstack(features), np.vstack(states), np.array(wanted), np.array(sentence_of))


def _spans(sentence: Sentence) -> list[tuple[int, int]] | None:
    spans, place = [], 0
    for word in sentence.words:
        start = sentence.text.find(word, place)
        if start < 0:
            return None
        spans.append((start, place := start + len(word)))
    return spans


def learn(rows: Rows, labels: int) -> tuple[Floats, Floats]:
    """Return weights of hashed features and of states: softmax, AdaGrad and Adam."""
    rng = np.random.default_rng(0)
    by_feature = np.zeros((BUCKETS, labels), np.float32)
    squares = np.full((BUCKETS, labels), 1e-4, np.float32)
    by_state = np.zeros((4 * STATE_DIMENSION, labels), np.float32)
    mean, spread, step = np.zeros_like(by_state), np.zeros_like(by_state), 0
    for epoch in range(_EPOCHS):
        hidden = rng.random(rows.sentence.max() + 1) < _HIDDEN
        order = rng.permutation(len(rows.labels))
        for start in range(0, len(order), _BATCH):
            chosen = order[start : start + _BATCH]
            states = rows.states[chosen] * ~hidden[rows.sentence[chosen], None]
            features = rows.features[chosen]
            scores = by_feature[features].sum(axis=1) + states @ by_state
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            errors = scores / scores.sum(axis=1, keepdims=True)
            errors[np.arange(len(chosen)), rows.labels[chosen]] -= 1
            gradient = states.T @ errors / len(chosen)
            step += 1
            mean += 0.1 * (gradient - mean)
            spread += 0.001 * (gradient**2 - spread)
            rate = _STATE_RATE * (1 - epoch / _EPOCHS)
            by_state -= rate * mean / (1 - 0.9**step) / (np.sqrt(spread / (1 - 0.999**step)) + 1e-8)
            used, place = np.unique(features, return_inverse=True)
            sums = np.zeros((len(used), labels), np.float32)
            np.add.at(sums, place.reshape(-1), np.repeat(errors, features.shape[1], axis=0))
            squares[used] += sums**2
            by_feature[used] -= _RATE * sums / np.sqrt(squares[used])
    return by_feature, by_state


def figures_of(
    rows: Rows, by_feature: Floats, by_state: Floats, labels: Sequence[str]
) -> dict[str, float]:
    """Return the share of words labelled rightly, with states and without; of names also F1."""
    alone = by_feature[rows.features].sum(axis=1)
    both = (alone + rows.states @ by_state).argmax(axis=1)
    figures = {
        "right": round(float((both == rows.labels).mean()), 4),
        "right_by_letters": round(float((alone.argmax(axis=1) == rows.labels).mean()), 4),
    }
    if labels[0] == "O":
        wanted, given = _names(rows.labels, labels), _names(both, labels)
        right = len(wanted & given)
        figures["precision"] = round(right / len(given), 4)
        figures["recall"] = round(right / len(wanted), 4)
    return figures


def _names(rows: NDArray[np.int64], labels: Sequence[str]) -> set[tuple[int, int, str]]:
    names, start, kind = set(), 0, ""
    for place, label in enumerate([*(labels[row] for row in rows), "O"]):
        if kind and label != f"I-{kind}":
            names.add((start, place, kind))
            kind = ""
        if label != "O" and not kind:
            start, kind = place, label[2:]
    return names


if __name__ == "__main__":
    main()
