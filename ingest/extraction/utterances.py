"""What each sentence of a message does: tells news, plans, promises, thanks, asks; and feels.

Linear heads over the sentence's vector and over features of its clauses, learned by
bench/train_utterances.py from sentences that were written and labelled for it (bench/data).
The weights and their figures stand in models/data/utterances.json. English only.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from ...core.experience import Utterance
from ...language.reading import LIKELY_MIN, UNTRUE, read_message
from ...models import tagger
from ...models.products import product
from ...models.tagger import Floats
from .analysis.analysis import Analysis, Sentence
from .analysis.clauses import Clause, Tense

#: The kind whose words are others' too: meaning tells bad news from talk in hard words.
SETBACK = "setback"
_WEIGHTS = Path(tagger.__file__).parent / "data" / "utterances.json"

_CONTENT_TAGS = frozenset("NN NNS JJ RB UH VB VBD VBG VBN VBP VBZ".split())
#: Words that place what is told in the past, or in the future.
_PAST_TIMES = frozenset("yesterday ago last just finally recently lately already earlier".split())
_FUTURE_TIMES = frozenset("tomorrow next tonight soon later upcoming".split())
_HYPOTHETICAL = frozenset("if would could might maybe perhaps someday wish hope".split())


def sentence_features(sentences: Sequence[Sentence], place: int) -> dict[str, float]:
    """Return the features of one sentence of a message by name, each 0 to 1."""
    sentence = sentences[place]
    words = [token.lower for token in sentence.tokens]
    features = dict.fromkeys(_named(sentence, words), 1.0)
    features["length"] = min(1.0, math.log1p(len(words)) / 4)
    if place == 0:
        features["first"] = 1.0
    if place == len(sentences) - 1:
        features["last"] = 1.0
    return features


def _named(sentence: Sentence, words: Sequence[str]) -> Iterator[str]:
    if sentence.is_question:
        yield "question"
    if sentence.text.rstrip().endswith("!"):
        yield "exclamation"
    inside = frozenset(words)
    for name, vocabulary in (
        ("past time", _PAST_TIMES),
        ("future time", _FUTURE_TIMES),
        ("hypothetical", _HYPOTHETICAL),
        ("you", frozenset({"you", "your", "yours"})),
        ("mine", frozenset({"my", "our", "mine"})),
    ):
        if inside & vocabulary:
            yield name
    if any(token.tag in {"NNP", "NNPS"} for token in sentence.tokens[1:]):
        yield "name"
    if any(token.tag == "CD" for token in sentence.tokens):
        yield "number"
    if words:
        yield f"opens {words[0]}"
    yield from _verbs(sentence)
    yield from (f"word {t.lower}" for t in sentence.tokens if t.tag in _CONTENT_TAGS)
    yield from (f"pair {first} {second}" for first, second in pairwise(words))


def _verbs(sentence: Sentence) -> Iterator[str]:
    for clause in sentence.clauses:
        yield from _of_clause(clause)
    if not sentence.clauses:
        yield "no verb"
        if sentence.tokens and sentence.tokens[0].tag in {"VBG", "VBN"}:
            yield "subjectless"


def _of_clause(clause: Clause) -> Iterator[str]:
    subject = _subject_of(clause)
    tense = "progressive" if clause.progressive and clause.tense is Tense.PRESENT else clause.tense
    main = "" if not clause.depends_on else "under "
    yield f"{main}{subject} {tense}"
    if clause.negated:
        yield f"{main}{subject} not"
    if clause.object is not None and not clause.object.is_pronoun:
        yield f"{main}{subject} {tense} object"
    if clause.verb and not main:
        yield f"{subject} verb {clause.verb}"


def _subject_of(clause: Clause) -> str:
    if clause.subject is None:
        return "none"
    if clause.is_own:
        return "own"
    if clause.is_first_person:
        return "my"
    word = clause.subject.head_token.lower
    return word if word in {"you", "it", "that", "this", "there", "he", "she", "they"} else "other"


def utterances_of(analysis: Analysis) -> tuple[Utterance, ...]:
    """Return what each sentence of a message does (`language.reading`), and feels.

    What a sentence that tells what is not so (a dream, a joke) does is left out, and so is what
    one feels where there is no vector.
    """
    factual = {sentence.start for sentence in analysis.factual}
    places = {sentence.start: place for place, sentence in enumerate(analysis.sentences)}
    return tuple(
        _with_feelings(read, analysis, places[read.start])
        if read.start in factual
        else replace(read, kinds={}, marks=(*read.marks, UNTRUE))
        for read in read_message(analysis.text)
    )


def _with_feelings(read: Utterance, analysis: Analysis, place: int) -> Utterance:
    vector = analysis.sentences[place].vector
    if vector is None:
        return read
    heads = _heads()
    scores = heads.bias + product(vector, heads.by_vector)
    for name, value in sentence_features(analysis.sentences, place).items():
        if name in heads.by_feature:
            scores += value * heads.by_feature[name]
    likely = _likely(heads.labels, (1 / (1 + np.exp(-scores))).tolist())
    setback = likely.pop(SETBACK, 0.0)
    kinds = {kind: by for kind, by in read.kinds.items() if kind != SETBACK}
    kinds |= {SETBACK: setback} if setback else {}
    return replace(read, kinds=kinds, feelings=likely)


@dataclass(frozen=True, slots=True)
class _FeelingHeads:
    """The feelings, and setbacks: biases, and weights of features by name and of vectors."""

    labels: tuple[str, ...]
    bias: Floats
    by_feature: Mapping[str, Floats]
    by_vector: Floats


def _likely(labels: Sequence[str], likelihoods: Sequence[float]) -> dict[str, float]:
    return {
        label: round(likelihood, 2)
        for label, likelihood in zip(labels, likelihoods, strict=True)
        if likelihood >= LIKELY_MIN
    }


@cache
def _heads() -> _FeelingHeads:
    described = json.loads(_WEIGHTS.read_text("utf-8"))
    names, heads = described["features"], described["heads"]
    rows = list(heads.values())
    weights = np.array([row["weights"] for row in rows], np.float32).T
    return _FeelingHeads(
        tuple(heads),
        np.array([row["bias"] for row in rows], np.float32),
        dict(zip(names, weights[: len(names)], strict=True)),
        np.ascontiguousarray(weights[len(names) :]),
    )
