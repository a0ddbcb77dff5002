"""Skeletons in hindsight: one request a session, and what its answer makes of each."""

from __future__ import annotations

from typing import Any, cast

import pytest

from meridia.core.entries import ExperienceReevaluated
from meridia.core.settings import ModelSettings
from meridia.core.types import EntryKind
from meridia.ingest.capture.scoring import Scoring
from meridia.ingest.enrichment.model_pass import ModelPass
from meridia.ingest.enrichment.session_question import ModelQuestion, StageSources, ask_hindsight
from meridia.models import model_types
from meridia.models.answer_types import HindsightAnswer
from meridia.models.model_types import AnswerFormat, Model, ModelAnswer, ModelOutcome
from meridia.storage.store import Store
from tests.drafts import a_draft
from tests.ingest.model_session import (
    BUILD,
    GREETING,
    HOME,
    LIGHT,
    LOOK,
    NEAR,
    SKELETON,
    add,
    episode,
    skeleton,
    whole,
)

REEVALUATED = EntryKind.EXPERIENCE_REEVALUATED
ROUTINE = {"significance": 0.3, "status": "skeleton", "near": False, "threshold": 0.5}


def asked(file: Store) -> ModelQuestion[Any] | None:
    """Return what is asked about the episode that was told last."""
    (entry,) = file.journal.read(HOME)[-1:]
    return ask_hindsight(StageSources(file, ModelSettings(), Scoring()), entry)


def wanted(file: Store) -> ModelQuestion[Any]:
    question = asked(file)
    assert question is not None
    return question


def answer(*verdicts: tuple[int, float]) -> HindsightAnswer:
    return HindsightAnswer.model_validate(
        {"verdicts": [{"event": event, "score": score} for event, score in verdicts]}
    )


def entries(
    question: ModelQuestion[Any], *verdicts: tuple[int, float]
) -> dict[str, ExperienceReevaluated]:
    """Return what an answer becomes, by key."""
    checked, _ = question.check(answer(*verdicts))
    found = [(question.key, question.to_payload(checked)), *question.findings(checked)]
    return {key: payload for key, payload in found if isinstance(payload, ExperienceReevaluated)}


def test_the_skeletons_of_a_session_are_one_question(private_file: Store):
    first, second = add(private_file, skeleton(decision=ROUTINE), skeleton(BUILD, ROUTINE))
    add(private_file, whole(GREETING, LIGHT), skeleton(decision=SKELETON), whole(BUILD, NEAR))
    add(private_file, episode(first, second))
    question = wanted(private_file)
    _, user = model_types.load("hindsight").fill(question.variables)
    assert "1. (tool result) read keel.txt a keel of oak, 4 m\n2. (tool result) It failed:" in user
    assert "3." not in user, "close decisions, and what is kept whole, are not asked about here"
    assert question.key == f"{first}#hindsight"
    judged = entries(question, (2, 0.8), (1, 0.1), (2, 0.0), (7, 0.9))
    assert {key: (p.status.value, p.significance) for key, p in judged.items()} == {
        f"{first}#hindsight": ("noise", 0.1),
        f"{second}#hindsight": ("upgraded", 0.8),
    }
    assert judged[f"{second}#hindsight"].event == BUILD, "its whole event is held from now on"
    assert question.check(answer((2, 0.8), (2, 0.0), (7, 0.9)))[1] == 2


def test_what_an_answer_says_nothing_of_stays_as_it_is(private_file: Store):
    first, second = add(private_file, skeleton(decision=ROUTINE), skeleton(BUILD, ROUTINE))
    add(private_file, episode(first, second))
    judged = entries(wanted(private_file))
    assert {key: (p.status.value, p.significance) for key, p in judged.items()} == {
        f"{first}#hindsight": ("skeleton", None)
    }


def test_the_most_significant_are_asked_about_where_there_are_many(private_file: Store):
    scores = [0.2 + n / 100 for n in range(12)]
    drafts = [skeleton(decision=ROUTINE | {"significance": score}) for score in scores]
    ids = add(private_file, *drafts)
    add(private_file, episode(*ids))
    question = wanted(private_file)
    assert question.key == f"{ids[2]}#hindsight"
    assert question.variables["events"].count("\n") == 9


@pytest.mark.parametrize("status", ["upgraded", "noise"])
def test_what_a_rule_has_settled_since_is_not_asked_about(private_file: Store, status: str):
    (id,) = add(private_file, skeleton(decision=ROUTINE))
    payload = {"experience": id, "status": status, "significance": 0.6, "event": LOOK}
    add(private_file, a_draft(EntryKind.EXPERIENCE_REEVALUATED, f"{id}#{status}", payload))
    add(private_file, episode(id))
    assert asked(private_file) is None


def test_nobody_is_asked_twice_or_by_an_episode_of_a_model(private_file: Store):
    (id,) = add(private_file, skeleton(decision=ROUTINE))
    add(private_file, episode(id, by="model"))
    assert asked(private_file) is None
    (key, payload) = (f"{id}#hindsight", {"experience": id, "status": "skeleton"})
    add(private_file, a_draft(EntryKind.EXPERIENCE_REEVALUATED, key, payload), episode(id))
    assert asked(private_file) is None


def test_an_answer_about_skeletons_that_changed_meanwhile_is_not_taken(private_file: Store):
    ids = add(private_file, skeleton(decision=ROUTINE), skeleton(BUILD, ROUTINE))
    add(private_file, episode(*ids))

    class Meanwhile:
        """A model while whose answer comes, a rule raises the second skeleton."""

        def ask(self, prompt: model_types.Prompt, *_: Any) -> ModelAnswer[Any]:
            by = "m-1", prompt.name, prompt.version, AnswerFormat.TEXT, 1
            if prompt.name != "hindsight":
                return ModelAnswer(ModelOutcome.INVALID, None, *by)
            raised = {"status": "upgraded", "significance": 0.6, "event": BUILD}
            payload = {"experience": ids[1], **raised}
            add(private_file, a_draft(REEVALUATED, f"{ids[1]}#upgraded", payload))
            return ModelAnswer(ModelOutcome.ANSWERED, answer((1, 0.9), (2, 0.9)), *by)

        def close(self) -> None:
            """Hold nothing."""

    model = cast("Model", Meanwhile())
    ModelPass(private_file, lambda: model, ModelSettings(), Scoring()).catch_up(HOME)
    assert not private_file.journal.by_keys(HOME, REEVALUATED, [f"{ids[0]}#hindsight"])
