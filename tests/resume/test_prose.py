"""Prose by a model, taken only when it cites and fits, and its twin by rule."""

from dataclasses import dataclass

import pytest

from meridia.models.answer_types import ReconstitutionAnswer
from meridia.models.model_types import ModelAnswer, ModelOutcome
from meridia.resume.prose import render_prose
from tests.resume.pack_samples import opened, story, uncited


@dataclass
class Teller:
    """A model that tells what it was made to tell, and keeps what it was told."""

    summary: str | None
    heard: str = ""

    def ask(self, prompt, variables, answer_type, time_limit_s, at=None) -> ModelAnswer:
        self.heard = variables["memories"]
        if self.summary is None:
            return ModelAnswer(ModelOutcome.TIMED_OUT, None, "m", prompt.name, prompt.version)
        value = ReconstitutionAnswer(summary=self.summary, citations=("meridia://x",))
        return ModelAnswer(ModelOutcome.ANSWERED, value, "m", prompt.name, prompt.version)

    def close(self) -> None:
        """Hold nothing."""


@pytest.fixture
def told():
    with opened() as memory:
        story(memory)
        yield memory, memory.reconstitute("crisis", tokens=900)


def test_without_a_model_it_stays_what_it_is(told):
    memory, pack = told
    prose = memory.packs.prose(pack)
    assert (prose.by, prose.why) == ("rule", "no model")
    assert prose.text == pack.text


def test_a_models_prose_is_taken_when_it_cites_and_fits(told):
    memory, pack = told
    uri = pack.citations[0].uri
    teller = Teller(f"I remember the mast [{uri}].")
    prose = render_prose(pack, teller, 5.0)
    assert prose.by == "model"
    assert f"[{pack.citations[0].short}]" in prose.text
    assert uncited(memory, prose.text) == []
    assert uri in teller.heard
    assert "@" not in teller.heard.replace("meridia://", "")


@pytest.mark.parametrize(
    ("summary", "why"),
    [
        ("I remember it all.", "a paragraph cites nothing"),
        ("I remember [meridia://nobody].", "it cites what the pack does not"),
        ("I remember all of that so very well {uri}. " * 120, "it is longer than the budget"),
        (None, "timed_out"),
    ],
)
def test_prose_that_cannot_be_trusted_gives_way_to_quotes(told, summary, why):
    memory, pack = told
    said = summary and summary.replace("{uri}", f"[{pack.citations[0].uri}]")
    prose = render_prose(pack, Teller(said), 5.0)
    assert (prose.by, prose.why) == ("rule", why)
    assert prose.text == memory.packs.prose(pack).text
