"""The same id with other content is an error, in every operation that writes."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from meridia.service.operations import OPERATIONS
from meridia.storage.api_keys import Access
from tests.service.conftest import say

Given = dict[str, Any]
EVENT = {"kind": "user_message", "payload": {"text": "The heron is back at the pond."}}
OTHER = {"kind": "user_message", "payload": {"text": "The kettle is broken once more."}}
#: Operation → what is given under an id, and other contents that may not be given under it.
WRITES: dict[str, tuple[Given, list[Given]]] = {
    "capture": (EVENT, [OTHER, {**EVENT, "person": "Robin"}]),
    "remember": (
        {"text": "The heron is back at the pond.", "person": "Dana"},
        [
            {"text": "The kettle is broken once more.", "person": "Dana"},
            {"text": "The heron is back at the pond.", "person": "Robin"},
            {"text": "The heron is back at the pond.", "person": "Dana", "metadata": {"n": 1}},
            {"text": "The heron is back at the pond.", "person": "Dana", "session": "s"},
        ],
    ),
    "capture_batch": ({"events": [EVENT]}, [{"events": [OTHER]}]),
    "remember_batch": (
        {"messages": [{"text": "The heron is back at the pond."}]},
        [{"messages": [{"text": "The kettle is broken once more."}]}],
    ),
    "update": (
        {"address": "first", "text": "Jonas lives in Basel now."},
        [
            {"address": "first", "text": "Jonas lives in Geneva now."},
            {"address": "second", "text": "Jonas lives in Basel now."},
        ],
    ),
    "feedback": (
        {"address": "first", "verdict": "useful"},
        [
            {"address": "first", "verdict": "wrong"},
            {"address": "second", "verdict": "useful"},
            {"address": "first", "rating": 5},
            {"address": "first", "verdict": "useful", "note": "because"},
            {"address": "first", "undo": True},
        ],
    ),
    "set_relationship": (
        {"person": "Dana", "relationship": "collaborator"},
        [
            {"person": "Dana", "relationship": "primary"},
            {"person": "Dana", "relationship": "collaborator", "threshold": 0.2},
            {"person": "Robin", "relationship": "collaborator"},
        ],
    ),
    "name_person": (
        {"person": "Dana", "name": "Dee"},
        [{"person": "Dana", "name": "Didi"}, {"person": "Robin", "name": "Dee"}],
    ),
    "refuse_name": (
        {"person": "Dana", "name": "Bo"},
        [{"person": "Dana", "name": "Didi"}, {"person": "Robin", "name": "Bo"}],
    ),
    "merge": (
        {"entity": "Bern", "into": "Basel"},
        [{"entity": "Basel", "into": "Bern"}, {"entity": "Bern", "into": "Geneva"}],
    ),
    "unmerge": ({"entity": "Bern"}, [{"entity": "Basel"}]),
}
#: Those that take no key of idempotency, and why.
WITHOUT_ID = {
    "upsert": "other content under its id is the next version",
    "propose_ideas": "what is proposed depends on the journal alone",
    "decide_idea": "an idea is decided, or not: its own id says which",
    "forget": "what is forgotten is forgotten",
}
NAMED = {o.name: o for o in OPERATIONS if o.access is not Access.READ and not o.takes_query}
NUMBERS = itertools.count()


def test_every_operation_that_writes_is_looked_at_here():
    assert set(NAMED) == set(WRITES) | set(WITHOUT_ID), "add the new one, with its contents"


@pytest.fixture
def client(service, admin, request):
    """Give a client of a space with people, entities and two memories, `first` and `second`."""
    say(admin, "Jonas lives in Bern.", person="Dana", id="first")
    say(admin, "Jonas worked in Basel.", person="Robin", id="second")
    say(admin, "My brother lives in Geneva.", person="Robin")
    service.memory.in_space(request.node.name).enrich()
    return admin


def prepared(client, name):
    """Do what an operation needs to be done before."""
    if name == "unmerge":
        for entity in ("Bern", "Basel"):
            done = client.post("/v1/merge", json={"entity": entity, "into": "Geneva"})
            assert done.status_code == 200, done.text


def send(client, name, given, id, how):
    """Send a write under an id, in the document or as the key of idempotency."""
    headers = {"idempotency-key": id} if how == "header" else {}
    if how == "field":
        for field in ("events", "messages"):
            if field in given:
                given = {field: [{**item, "id": id} for item in given[field]]}
                break
        else:
            given = {**given, "id": id}
    return client.post(NAMED[name].path, json=given, headers=headers)


def stored(client):
    """Return how many entries there are, without those that are worked out later."""
    kinds = {"ExperienceCaptured", "FeedbackGiven", "RelationshipChanged"}
    kinds |= {"EntitiesMerged", "EntitiesUnmerged"}
    items = client.get("/v1/journal", params={"limit": 1000}).json()["items"]
    return sorted(item["seq"] for item in items if item["kind"] in kinds)


def is_refused(answer):
    """Say whether an answer is a conflict, alone or of each in a batch."""
    document = answer.json()
    if answer.status_code == 200 and "answers" in document:
        return {one.get("code") for one in document["answers"]} == {"id_conflict"}
    return answer.status_code in {409, 422}


@pytest.mark.parametrize("how", ["field", "header"])
@pytest.mark.parametrize("name", sorted(WRITES))
def test_the_same_id_is_one_entry_and_with_other_content_an_error(client, name, how):
    prepared(client, name)
    given, others = WRITES[name]
    id = f"own-{next(NUMBERS)}"
    first = send(client, name, given, id, how)
    assert first.status_code == 200, first.text
    before = stored(client)
    again = send(client, name, given, id, how)
    assert again.status_code == 200, again.text
    for other in others:
        answer = send(client, name, other, id, how)
        assert is_refused(answer), (other, answer.text)
    assert stored(client) == before
    assert send(client, name, given, id, how).status_code == 200


@pytest.mark.parametrize("name", sorted(WITHOUT_ID))
def test_a_key_that_nobody_keeps_is_refused(client, name):
    given = {
        "forget": {"person": "Dana"},
        "decide_idea": {"idea": "x", "decision": "reject"},
        "upsert": {"id": "mine", "text": "The heron is back."},
    }
    answer = send(client, name, given.get(name, {}), "key", "header")
    assert answer.status_code == 422
    assert "takes no Idempotency-Key" in answer.json()["detail"]


def test_an_import_tells_of_ids_that_are_taken(client):
    lines = [json.dumps({**EVENT, "id": "first"}), json.dumps({**EVENT, "id": "third"})]
    answer = client.post("/v1/import", content="\n".join(lines).encode())
    told = [json.loads(line) for line in answer.text.splitlines()]
    assert [line["code"] for line in told if "code" in line] == ["id_conflict"]
    assert (told[-1]["refused"], told[-1]["captured"] + told[-1]["text_only"]) == (1, 1)
