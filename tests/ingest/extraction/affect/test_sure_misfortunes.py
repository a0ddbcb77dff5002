"""Misfortunes without a doubt, and bad words of what ended well."""

from __future__ import annotations

import pytest

from meridia.ingest.extraction.affect.sure_misfortunes import ends_well, is_sure_misfortune


@pytest.mark.parametrize(
    "text",
    [
        "Last month I got fired, but I'm staying positive!",
        "Lost my job at the mill, so now I want to work for myself!",
        "My bike got stolen.",
        "We broke up, and that's fine.",
        "I had to close my stall, but I have new plans.",
        "I've hit a creative block.",
    ],
)
def test_a_misfortune_told_in_plain_words_is_one(text):
    assert is_sure_misfortune(text)


@pytest.mark.parametrize(
    "text",
    [
        "I almost got fired.",
        "If I got fired, I'd travel.",
        "I was never rejected.",
        "I lost my fear of heights.",
        "We broke up into small groups.",
        "She lost her job.",
        "My bike got stolen, but I got my bike back.",
    ],
)
def test_what_did_not_happen_and_what_is_over_is_none(text):
    assert not is_sure_misfortune(text)


def test_it_ended_well():
    assert ends_well("It was close, but we pulled it off.")
    assert ends_well("I got through the season without an injury.")
    assert not ends_well("I got a flat on the way home.")
