"""Tone: valence and intensity; English only."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.language.tone import NEUTRAL, analyse_sentiment


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("I'm really frustrated with this build.", -1),
        ("I'm happy with the result.", 1),
        ("Thank you, that was kind.", 1),
        ("This is a horrible mess.", -1),
        ("The file has forty lines.", 0),
    ],
)
def test_d5_a_message_has_valence_and_intensity(text, sign):
    valence, intensity = analyse_sentiment(text)
    assert abs(valence) > 0.2 if sign else (valence, intensity) == NEUTRAL
    assert valence * sign >= 0
    assert intensity >= abs(valence) - 1e-9


@pytest.mark.parametrize(
    "text",
    [
        "Das ist frustrierend, die Party war super, ich bin so fatal müde.",
        "La vie est belle, je suis super content, c'est un grave succès.",
        "No me gusta nada, es fatal y brutal.",
        "Isto é incrível, obrigado. Super!",
        "Het is een brutale super dag, niet erg.",
        "To jest super, dziękuję.",
        "我很高兴 😊",
        "これは素晴らしいです!",
        "Мне очень нравится 😊",
        "هذا رائع",
    ],
)
def test_another_language_is_simply_neutral(text):
    assert analyse_sentiment(text) == NEUTRAL


@pytest.mark.parametrize(
    "text",
    [
        "```\nfatal: hateful horrible disaster\n```",
        "Run `kill -9 terrible` and see.",
        "> I am so angry\nThe file is there.",
        "See https://example.org/horrible/disaster",
        "Yes, please cancel it. No problem.",
        "Kill the process, then save the file. The security alert is critical.",
        "",
        " \n ",
    ],
)
def test_code_quotations_links_and_plain_work_have_no_tone(text):
    assert analyse_sentiment(text) == NEUTRAL


def test_a_foreign_word_or_name_does_not_make_english_foreign():
    assert analyse_sentiment("Thanks José, I really love it.")[0] > 0.3
    assert analyse_sentiment("Bien sûr, I am happy with the new version.")[0] > 0.3


def test_the_intensity_is_that_of_the_strongest_sentence():
    calm, strong = "It is nice.", "I hate this horrible disaster!"
    assert analyse_sentiment(f"{calm} {strong}")[1] == analyse_sentiment(strong)[1]
    assert (
        analyse_sentiment(strong)[0]
        < analyse_sentiment(f"{calm} {strong}")[0]
        < analyse_sentiment(calm)[0]
    )


@given(st.text(max_size=300))
def test_every_text_has_a_tone_within_range(text):
    valence, intensity = analyse_sentiment(text)
    assert -1 <= valence <= 1
    assert 0 <= intensity <= 1


def test_a_very_long_text_is_read_in_part():
    assert analyse_sentiment("It is fine. " * 100_000) == analyse_sentiment("It is fine. " * 400)


def test_the_lexicon_is_not_loaded_before_the_first_text():
    code = "import sys, meridia.language.tone; sys.exit('vader' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
