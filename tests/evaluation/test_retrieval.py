"""What questions find is counted, and what another setting changes is tried on a copy."""

import pytest

from meridia import Memory
from meridia.core.errors import InvalidInput
from meridia.evaluation.answering import (
    ask_all,
    compare,
    opened_with,
    report,
    scores_of,
    settings_to_ask,
)
from meridia.evaluation.questions import ALL, EvaluationQuestion

TEXTS = ["The mast of my boat is oak", "Ben sold the tractor", "Dana wants three reefs", "Thanks!"]


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "a.db", enrich="manual") as opened:
        for number, text in enumerate(TEXTS, 1):
            opened.remember(text, person="Ann", session="s", id=f"m-{number}")
        opened.enrich()
        yield opened


def asked(question, *ids, groups=()):
    return EvaluationQuestion(question, frozenset(ids), groups)


QUESTIONS = [
    asked("What is the mast of the boat?", "m-1", groups=("wood",)),
    asked("Who sold the tractor?", "m-2", "gone"),
    asked("Where is the anchor?", "gone"),
]


def test_each_question_tells_where_what_answers_stands(memory):
    found = ask_all(memory, QUESTIONS, 4)
    assert [one.rank for one in found] == [1, 1, None]
    assert found[0].places == {"m-1": 1}
    assert all(one.tokens > 0 and one.ms > 0 for one in found)


def test_a_memory_that_was_said_twice_is_found_under_both_ids(memory):
    memory.remember(TEXTS[1], person="Ann", session="s", id="m-5")
    memory.enrich()
    (one,) = ask_all(memory, [asked("Who sold the tractor?", "m-2", "m-5")], 4)
    assert one.places == {"m-2": 1, "m-5": 1}


def test_the_report_counts_groups_and_names_what_is_never_found(memory):
    found = ask_all(memory, QUESTIONS, 2)
    said = report(memory, found, 2)
    assert said["scores"] == {
        ALL: {"questions": 3} | dict(scores_of(found, 2)[ALL]),
        "wood": {"questions": 1, "recall@1": 1.0, "recall@2": 1.0, "all@2": 1.0, "MRR": 1.0},
    }
    assert said["scores"][ALL]["recall@2"] == pytest.approx(0.5)
    assert said["in_no_memory"] == ["gone"]
    assert (said["never_found"], said["memories"]) == ([], 4)
    hidden = ask_all(memory, [asked("Who sold the tractor?", "m-4")], 1)
    (missed,) = report(memory, hidden, 1)["never_found"]
    assert (missed["id"], missed["text"]) == ("m-4", "Thanks!")
    assert report(memory, hidden, 1)["never_shown"] == 3


def test_other_settings_are_tried_on_a_copy_and_nothing_is_kept(memory):
    before = ask_all(memory, QUESTIONS, 4)
    with opened_with(memory, {"recall.profile": "simple"}, ["default"]) as other:
        assert other.settings.recall.profile == "simple"
        assert other.parts.path != memory.parts.path
        after = ask_all(other, QUESTIONS, 4)
    told = compare(before, after, 4)
    assert told["scores"][ALL].keys() == scores_of(before, 4)[ALL].keys()
    assert (told["gained"], told["lost"]) == ([], [])


def test_what_is_found_more_or_less_is_named(memory):
    wide, narrow = (ask_all(memory, QUESTIONS[:1], limit) for limit in (4, 1))
    lost = [asked("Nothing like it", "m-1")]
    missed = ask_all(memory, lost, 1)
    assert compare(missed, wide, 1)["gained"] == [QUESTIONS[0].question]
    assert compare(wide, missed, 1)["lost"] == ["Nothing like it"]
    assert compare(wide, narrow, 1)["lost"] == []


@pytest.mark.parametrize("key", ["recall.nothing", "scoring.novelty", "model.name", "x"])
def test_a_setting_that_changes_no_answer_is_refused(memory, key):
    with pytest.raises(InvalidInput, match=f"--with {key}: give a setting of recall or embedding"):
        settings_to_ask(memory.settings, {key: "1"})
