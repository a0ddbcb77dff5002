"""WordPiece: the ids and the spans that Hugging Face's tokenizer gives, for any text."""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import BertWordPieceTokenizer

from meridia.cli import main
from meridia.models import tokens
from meridia.models.tokens import WordPiece

VOCABULARY = Path(tokens.__file__).with_name("data") / "minilm-vocab.txt"
DEMO = Path(main.__file__).with_name("data") / "demo.jsonl"
PIECES_MAX = 256
#: Of the code points outside the first blocks a short run looks at a sample.
_STEP = 1 if os.environ.get("MERIDIA_THOROUGH") else 17
CODES = [*range(0x3400), *range(0x3400, 0xD800, _STEP), *range(0xE000, 0x110000, 10 * _STEP)]
CODES += [*range(0xF900, 0x33480, _STEP), *range(0xE0000, 0xE01F0, _STEP)]
FRAGMENTS = [
    *"the boats isn't naïve Ångström İstanbul ΣΊΣΥΦΟΣ straße Привет שָׁלוֹם".split(),
    *"مَرْحَبًا नमस्ते สวัสดี 東京 カタカナ 한국어 ﾊﾝｶｸ ｆｕｌｌ 𝒞𝓊 👩\u200d👩\u200d👧 🇩🇪 ❤️ 👍🏽".split(),
    *"e\u0301 q\u0323\u0307 ½ ™ ≠ \u037e [CLS] [SEP] [sep] [MASK] ##ing a@b.example $3.50".split(),
    *(" ", "\t", "\r\n", "\0", "\x1f", "\x85", "\xad", "\u200b", "\u2028", "\u3000", "\ufeff"),
    *("\ufffd", "\ue000", "a" * 100, "a" * 101, "x" * 400, "word " * 300),
]
ordinary = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
fragments = st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join)


@pytest.fixture(scope="module")
def theirs() -> BertWordPieceTokenizer:
    tokenizer = BertWordPieceTokenizer(str(VOCABULARY), lowercase=True)
    tokenizer.enable_truncation(PIECES_MAX)
    return tokenizer


@pytest.fixture(scope="module")
def ours() -> WordPiece:
    return WordPiece(VOCABULARY, PIECES_MAX)


def reordered(text: str) -> bool:
    """Say whether accents of a text change places in its canonical form."""
    return unicodedata.normalize("NFD", text) != "".join(
        unicodedata.normalize("NFD", char) for char in text
    )


@given(ordinary | fragments)
def test_ids_and_spans_are_those_of_the_reference(ours, theirs, text):
    pieces, reference = ours.encode(text), theirs.encode(text)
    assert pieces.ids == reference.ids
    assert len(pieces.spans) == len(pieces.ids)
    # Where accents change places, the reference counts an accent to the wrong letter.
    if not reordered(text):
        assert pieces.spans == reference.offsets


def test_every_character_is_treated_like_the_reference_does():
    ours = WordPiece(VOCABULARY, pieces_max=10_000)
    theirs = BertWordPieceTokenizer(str(VOCABULARY), lowercase=True)
    for start in range(0, len(CODES), 2_000):
        text = " ".join(f"a{chr(code)}b" for code in CODES[start : start + 2_000])
        pieces, reference = ours.encode(text), theirs.encode(text)
        assert pieces.ids == reference.ids, hex(CODES[start])
        assert pieces.spans == reference.offsets, hex(CODES[start])


def test_a_real_conversation_is_encoded_like_the_reference_does(ours, theirs):
    payloads = [json.loads(line)["payload"] for line in DEMO.read_text("utf-8").splitlines()]
    texts = [value for body in payloads for value in body.values() if isinstance(value, str)]
    assert len(texts) > 100
    for text in [*texts, "\n".join(texts)]:
        pieces, reference = ours.encode(text), theirs.encode(text)
        assert (pieces.ids, pieces.spans) == (reference.ids, reference.offsets)


def test_a_span_says_where_a_piece_stands_in_the_text(ours):
    text = "The naïve sailmaker\u00a0[SEP] 東京!"
    spans = ours.encode(text).spans
    written = ["", "The", "naïve", "sail", "maker", "[SEP]", "東", "京", "!", ""]
    assert [text[start:end] for start, end in spans] == written


def test_an_empty_text_has_the_two_special_tokens(ours):
    assert ours.encode("").ids == [101, 102]


def test_a_long_text_is_truncated_and_ends_as_every_text_does(ours):
    pieces = ours.encode("word " * 100_000)
    assert len(pieces.ids) == len(pieces.spans) == PIECES_MAX
    assert (pieces.ids[-1], pieces.spans[-1]) == (102, (0, 0))
