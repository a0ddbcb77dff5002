from __future__ import annotations

import re
from collections import Counter

import pytest

from meridia.ingest.importers.chat_texts import language_of

SENTENCES = {
    "German": "ich habe das nicht gesehen und du bist auch noch nicht da",
    "English": "i have not seen it and you are not there with the others",
    "Spanish": "no lo he visto y tú tampoco estás con los otros en la casa",
    "Portuguese": "não vi isso e você também não está com os outros na casa",
    "Italian": "non ho visto questo e anche tu non sei con gli altri nella casa",
    "French": "je ne suis pas avec les autres et tu es dans la maison",
    "Dutch": "ik heb het niet gezien en jij bent ook niet bij de anderen",
    "Turkish": "ben bunu çok gördüm ama sen de onlar için bir şey değil mi",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_a_language_is_told_by_its_function_words(language: str) -> None:
    assert language_of(Counter(re.findall(r"\w+", SENTENCES[language]))) == language


def test_few_words_or_names_alone_tell_nothing() -> None:
    assert language_of(Counter(["the", "and"])) is None
    assert language_of(Counter(["odile", "robin", "segel", "mast", "kiel", "boje"])) is None
