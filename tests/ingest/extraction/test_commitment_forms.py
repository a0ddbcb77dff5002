"""Set forms that commit."""

from __future__ import annotations

import pytest

from meridia.ingest.extraction.commitment_forms import FORMS, UPDATES


def forms(text):
    return [kind.value for form, kind, _ in FORMS if form.search(text)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Count me in for Friday", "promise"),
        ("We are off to Crete", "plan"),
        ("The plan is to drive up", "plan"),
        ("Let me text you the name", "promise"),
        ("Need to renew it by Friday", "deadline"),
        ("ok, imma bring it", "promise"),
    ],
)
def test_a_form_has_a_kind(text, kind):
    assert forms(text) == [kind]


@pytest.mark.parametrize(
    "text", ["We're off to a good start", "Let me tell you", "I was ill", "You must go"]
)
def test_what_only_looks_like_a_form_is_none(text):
    assert forms(text) == []


@pytest.mark.parametrize("text", ["tell you all about it", "report back", "fill you in"])
def test_to_tell_how_it_went_is_an_update(text):
    assert UPDATES.search(text)
