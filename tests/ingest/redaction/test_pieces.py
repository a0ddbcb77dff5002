"""How a text is cut: words, quotations, numbers in groups, parts of addresses, signs."""

from __future__ import annotations

import pytest

from meridia.ingest.redaction.rules import SecretNames
from meridia.ingest.redaction.value_shapes import cut_pieces

NAMES = SecretNames()


def cut(text: str) -> list[tuple[str, str]]:
    return [(piece.text, piece.sort) for piece in cut_pieces(text, 0, len(text), NAMES)]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("pw: x1!", [("pw", "word"), (":", "sign"), ("x1!", "word")]),
        ('a: "b c"', [("a", "word"), (":", "sign"), ("b c", "quoted")]),
        ("on 12 34 56, ok.", [("on", "word"), ("12 34 56", "group"), (",", "sign"),
                              ("ok", "word"), (".", "sign")]),
        ("ftp://h/a?t=9", [("ftp://", "word"), ("h", "address"), ("/", "sign"), ("a", "address"),
                           ("?", "sign"), ("t", "address"), ("=", "sign"), ("9", "address")]),
        ("密码是 x9", [("密码是", "unspaced"), ("x9", "word")]),
    ],
)  # fmt: skip
def test_a_text_is_cut_into_words_and_signs(text: str, pieces: list[tuple[str, str]]) -> None:
    assert cut(text) == pieces


def test_every_piece_stands_where_it_says() -> None:
    text = 'He said "a b", https://h.example/p?k=v or not: done!\nnext = 5'
    for piece in cut_pieces(text, 0, len(text), NAMES):
        assert text[piece.start : piece.end] == piece.text


def test_words_that_name_secrets_are_cues() -> None:
    cues = {
        piece.text: piece.cue
        for piece in cut_pieces("my password and DB_TOKEN, or a Passwort", 0, 39, NAMES)
        if piece.cue
    }
    assert set(cues) == {"password", "DB_TOKEN", "Passwort"}
    assert cues["DB_TOKEN"] == "token"
