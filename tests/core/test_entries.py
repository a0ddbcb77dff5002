"""Entries: one payload a kind, frozen and small."""

from __future__ import annotations

from typing import get_args

import pytest

from meridia.core.entries import EntryPayload, ExperienceEnriched, combined
from meridia.core.experience import Phenomenology, Utterance
from meridia.core.types import EntryKind
from meridia.core.vocabulary import Engagement

CLASSES = get_args(EntryPayload)


def test_every_kind_has_a_payload():
    assert {type.kind for type in CLASSES} == {*EntryKind}


@pytest.mark.parametrize("type", CLASSES, ids=[type.__name__ for type in CLASSES])
def test_a_payload_is_frozen_and_slotted(type):
    assert type.__dataclass_params__.frozen
    assert "__slots__" in vars(type)


def test_a_later_enrichment_replaces_what_it_says_and_nothing_else():
    routine, engaged = (Phenomenology(engagement=e) for e in (Engagement.ROUTINE, "engaged"))
    rule = ExperienceEnriched("e", routine, concepts={"boat": "boats"}, people=(), by="rule")
    model = ExperienceEnriched("e", engaged, people=None, by="model")
    assert rule.updated(model) == ExperienceEnriched(
        "e", engaged, concepts={"boat": "boats"}, people=(), by="model"
    )


def test_a_model_adds_to_what_rules_found_whenever_those_read():
    opinion = Utterance(0, 20, {"opinion": 0.9}, {}, marks=("own",))
    promise = Utterance(5, 30, {"promise": 0.95}, {})
    done = Utterance(40, 60, {"done": 0.95}, {})
    earlier = ExperienceEnriched("e", utterances=(), people=(), by="rule")
    model = ExperienceEnriched("e", utterances=(promise, done), by="model")
    later = ExperienceEnriched("e", utterances=(opinion,), by="rule")
    joined = combined([earlier, model, later]).utterances
    assert joined == (Utterance(0, 20, {"promise": 0.95}, {}, marks=("own",)), done)
    assert combined([model]) is model
    assert combined([earlier, later]) == earlier.updated(later)
    assert combined([earlier, model]).people == ()
    assert combined([]) == ExperienceEnriched("")
