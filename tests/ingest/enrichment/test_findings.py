"""What a model reads in a session, from the server's answer to what recall and packs show."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from meridia.core.entries import FactAsserted
from meridia.core.facts import Fact, fold_facts
from meridia.core.ids import person_id
from meridia.core.settings import ModelSettings
from meridia.core.types import EntryKind, Filters
from meridia.ingest.capture.scoring import Scoring
from meridia.ingest.enrichment import session_question as transcript
from meridia.ingest.enrichment.model_pass import ModelPass
from meridia.models.model_factory import open_model
from meridia.resume.experience_views import read_experiences
from meridia.storage.store import Store
from tests.drafts import a_draft, recorded
from tests.ingest.model_session import HOME, LIGHT, WISH, add, by_model, episode, whole
from tests.model_server import ModelServer, Reply

TALK = (
    ("Dana", "My dad passed away last week. I moved to Turin in May."),
    ("Toby", "Oh no! I'll send you the photos of him tonight. Promise!"),
    ("Dana", "Thank you. I'm lost without him, honestly."),
    ("Toby", "Sent them, the photos are in your mail."),
)


def item(number: int, quote: str, **more: Any) -> dict[str, Any]:
    return {"message": number, "speaker": TALK[number - 1][0], "quote": quote, **more}


LIVES = {"subject": "Dana", "predicate": "lives_in", "object": "Turin"}
PHOTOS = {"verb": "send", "objects": ["photos"]}
READ: dict[str, Any] = {
    "topic": "A death in the family",
    "summary": "Dana told of her father's death.",
    "events": [item(1, "My dad passed away")],
    "facts": [item(1, "I moved to Turin", **LIVES)],
    "promises": [item(2, "I'll send you the photos", kind="promise", **PHOTOS)],
    "feelings": [item(3, "I'm lost without him", emotion="grieving", intensity=0.9, valence=-0.9)],
}


@pytest.fixture
def talk(private_file: Store) -> Sequence[str]:
    """Give the ids of a session that was captured lightly, and in which rules found nothing."""
    ids = add(
        private_file,
        *(whole(said(who, text), LIGHT) for who, text in TALK),
    )
    people = {who: person_id(HOME, who) for who, _ in TALK}
    met = [
        a_draft(EntryKind.PERSON_MET, id, {"person": id, "name": who}) for who, id in people.items()
    ]
    add(private_file, *met, episode(*ids))
    return ids


def said(who: str, text: str) -> dict[str, Any]:
    return WISH | {"person": who, "payload": {"text": text}}


def read(file: Store, server: ModelServer, *answers: Mapping[str, Any]) -> None:
    """Let a model that answers so read what has ended."""
    server.will(*(Reply(json.dumps(answer)) for answer in answers))
    settings = ModelSettings(dialect="openai", name="m-1", base_url=f"{server.origin}/v1")
    model = open_model(settings, clock=file.clock)
    try:
        assert ModelPass(file, lambda: model, settings, Scoring()).catch_up(HOME)
    finally:
        model.close()


def facts(file: Store) -> list[Fact]:
    return list(fold_facts(file.space(HOME).facts.list_all()).values())


def test_one_call_reads_a_whole_session_of_light_messages(private_file, talk, server):
    read(private_file, server, READ)
    (request,) = server.received
    assert all(text in request.words.replace('\\"', '"') for _, text in TALK)
    record = recorded(by_model(private_file, EntryKind.EPISODE_SYNTHESISED)[0])["model"]
    assert (record["prompt"], record["dropped"]) == ("session", 0)


def test_what_was_read_stands_where_the_rules_write(private_file, talk, server):
    read(private_file, server, READ)
    (fact,) = facts(private_file)
    assert (fact.text, fact.by, fact.experience) == ("Dana lives in Turin.", "model", talk[0])
    (entry,) = by_model(private_file, EntryKind.FACT_ASSERTED)
    assert isinstance(entry.payload, FactAsserted)
    assert entry.payload.evidence == fact.record()["evidence"] == "I moved to Turin"
    views = read_experiences(private_file, HOME, Filters())
    (promise,) = (each for each in views[1].utterances if each.kinds.get("promise", 0) > 0.9)
    assert promise.sentence_of(TALK[1][1]) == "I'll send you the photos of him tonight."
    (told,) = views[0].utterances
    assert told.sentence_of(TALK[0][1]) == "My dad passed away last week."
    assert told.kinds["news"] > 0.9
    felt = views[2].signature
    assert felt is not None
    assert (felt.primary, felt.valence) == (("grieving",), -0.9)
    assert views[2].phenomenology.anchors[0].phrase == "I'm lost without him"


def test_an_invented_quote_and_a_wrong_speaker_are_refused_and_counted(private_file, talk, server):
    invented = item(1, "I moved to Rome", **(LIVES | {"object": "Rome"}))
    of_another = item(1, "I moved to Turin", **LIVES) | {"speaker": "Toby"}
    other_word = item(3, "I'm lost without him", emotion="wistful")
    read(
        private_file,
        server,
        {"topic": "t", "summary": "s", "facts": [invented, of_another], "feelings": [other_word]},
    )
    assert facts(private_file) == []
    (entry,) = by_model(private_file)
    assert entry.kind is EntryKind.EPISODE_SYNTHESISED
    assert recorded(entry)["model"]["dropped"] == 3
    (line,) = private_file.trace.read(HOME)
    assert line.detail["dropped"] == 3


def test_what_the_rules_found_is_not_said_twice(private_file, talk, server):
    start = TALK[1][1].index("I'll")
    sentence = {"start": start, "end": TALK[1][1].index(" Promise!")}
    told = sentence | {"kinds": {"opinion": 0.9}, "feelings": {}, "marks": ["own"]}
    by_rule = {"experience": talk[1], "utterances": [told]}
    known = {"experience": talk[0], "subject_id": person_id(HOME, "Dana"), **LIVES}
    add(
        private_file,
        a_draft(EntryKind.EXPERIENCE_ENRICHED, talk[1], by_rule),
        a_draft(EntryKind.FACT_ASSERTED, "f", known | {"fact": "f", "text": "x"}),
    )
    news = item(2, "I'll send you the photos")
    read(private_file, server, READ | {"events": [news]})
    assert [fact.by for fact in facts(private_file)] == ["rule"]
    views = read_experiences(private_file, HOME, Filters())
    (utterance,) = views[1].utterances
    assert (utterance.marks, {*utterance.kinds}) == (("own",), {"news", "promise"})


def test_rules_that_read_again_later_do_not_hide_what_a_model_read(private_file, talk, server):
    read(private_file, server, READ)
    again = {"experience": talk[1], "utterances": [], "phenomenology": {}, "by": "rule"}
    add(private_file, a_draft(EntryKind.EXPERIENCE_ENRICHED, talk[1], again))
    assert len(read_experiences(private_file, HOME, Filters())[1].utterances) == 1


def test_a_long_session_is_read_in_parts_and_a_part_that_fails_is_read_later(
    private_file, server, monkeypatch
):
    monkeypatch.setattr(transcript, "WINDOW_CHARS", 100)
    ids = add(private_file, *(whole(said(who, text), LIGHT) for who, text in TALK))
    add(private_file, episode(*ids))
    parts = [{"topic": f"Part {n}", "summary": f"It was part {n}."} for n in range(1, 5)]
    server.will(Reply(json.dumps(parts[0])), Reply("no JSON"), Reply("none again"))
    read(private_file, server, *parts[1:])
    (task,) = private_file.space(HOME).tasks.waiting()
    assert task.stage == "model:episode"
    assert len(by_model(private_file)) == 1, "what was read is kept"
    private_file.space(HOME).tasks.retry()
    read(private_file, server)
    told = [recorded(entry) for entry in by_model(private_file)]
    assert [one["topic"] for one in told] == ["Part 1"] * len(told)
    assert told[-1]["summary"] == " ".join(part["summary"] for part in parts)
    assert private_file.space(HOME).tasks.waiting() == []


def test_what_a_model_reads_as_felt_changes_a_persons_feeling_once(private_file, server, talk):
    glad = item(1, "I moved to Turin", emotion="relieved", intensity=0.6, valence=0.5)
    read(private_file, server, READ | {"feelings": [glad, *READ["feelings"]]})
    (change,) = [
        entry.payload for entry in private_file.journal.of_kind(HOME, EntryKind.STATE_TRANSITIONED)
    ]
    assert (change.experience, change.person, change.by) == (
        talk[2],
        person_id(HOME, "Dana"),
        "model",
    )
    assert (change.before["primary"], change.after["primary"]) == (["relieved"], ["grieving"])
