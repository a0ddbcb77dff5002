"""Encodes a question: the texts given to an encoder, and the vectors it returns.

A recall record stores the texts instead of the vectors; a replay encodes them again.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from ...core.people import Gazetteer
from ...core.recall_settings import RecallSettings
from ...language.analyser import Analyser
from ...models.encoder_ports import Embedder, SelectiveEmbedder, TokenEmbedder
from ...models.tokens import Encoded, Matrix
from ..query.query_rewrite import rewrite_in_first_person
from ..query.question import words_of_form
from .late_interaction import QuestionTokens, question_tokens, with_rewritten_tokens


@dataclass(frozen=True, slots=True)
class QuestionTexts:
    """A question, the same in the first person, and the words of people's names that it has."""

    text: str
    rewritten: str
    names: Sequence[str] = ()


def question_texts(text: str, people: Gazetteer, analyser: Analyser) -> QuestionTexts:
    """Return the texts that are encoded for a question to a space that knows `people`."""
    analyser = analyser.of(text)
    stems = {word.stem for word in analyser.words(text)}
    words = people.words | words_of_form(text, analyser, people)
    names = sorted(word for word in words if not stems.isdisjoint(analyser.terms(word)))
    return QuestionTexts(text, rewrite_in_first_person(text, people), names)


def encode_question(
    texts: QuestionTexts, embedder: Embedder | None, settings: RecallSettings, analyser: Analyser
) -> tuple[Matrix | None, QuestionTokens | None]:
    """Return the vector of a question in the first person, and the vectors of its own words."""
    if embedder is None:
        return None, None
    text, rewritten = texts.text, texts.rewritten
    if settings.profile == "reference":
        return embedder.embed([text])[0], None
    if not isinstance(embedder, TokenEmbedder) or not settings.rerank_depth:
        return embedder.embed([rewritten])[0], None
    encoded, rewritten_encoding = _encode_both(embedder, text, rewritten)
    asked = question_tokens(text, encoded, embedder.model, analyser, frozenset(texts.names))
    if isinstance(embedder, SelectiveEmbedder):
        asked = replace(asked, competence=embedder.competence(text, texts.names))
    return rewritten_encoding.vector, with_rewritten_tokens(
        asked, rewritten, rewritten_encoding, analyser
    )


def _encode_both(embedder: TokenEmbedder, text: str, rewritten: str) -> tuple[Encoded, Encoded]:
    """Encode a question and its rewritten form side by side: short texts keep no two cores busy."""
    if rewritten == text:
        encoded = embedder.encode(text)
        return encoded, encoded
    with ThreadPoolExecutor(1) as other_thread:
        waiting = other_thread.submit(embedder.encode, rewritten)
        return embedder.encode(text), waiting.result()
