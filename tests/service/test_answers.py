"""The types that /openapi.json names are those of real answers, to the field."""

import httpx
import pytest
from pydantic import TypeAdapter

from meridia.service.operations import OPERATIONS
from meridia.service.problems import ANSWERS
from tests.service.conftest import say

LONG = "The mast is oak. " * 80


@pytest.fixture
def answers(admin):
    say(admin, "I bought red shoes.", person="Dana", session="s1")
    say(admin, LONG, person="Dana", session="s1")
    asked = {"question": "What is the mast?", "limit": 5}
    event = {"kind": "user_message", "payload": {"text": "It rains."}}
    bodies = {
        "capture": [event],
        "remember": [{"text": "It snows.", "id": "m-1"}],
        "update": [{"address": "m-1", "text": "It hails."}],
        "upsert": [{"id": "m-1", "text": "It snows again."}],
        "recall": [asked, {**asked, "trace": True}],
        "resume": [{"person": "Dana"}, {"person": "Nobody"}],
        "reconstitute": [{"mode": "reflection"}, {"person": "Dana"}],
        "forget": [{"person": "Dana"}, {"person": "Dana", "dry_run": False}],
    }
    return {
        name: [admin.post(f"/v1/{name}", json=body) for body in given]
        for name, given in bodies.items()
    }


def test_every_typed_operation_answers_with_just_the_fields_of_its_type(answers):
    assert set(answers) == set(ANSWERS)
    for name, given in answers.items():
        wanted = TypeAdapter(ANSWERS[name])
        properties = wanted.json_schema(mode="serialization")["properties"]
        for answer in given:
            assert answer.status_code == 200, (name, answer.text)
            wanted.validate_python(answer.json())
            unknown = answer.json().keys() - properties.keys()
            if answer.json().get("hits") and "trace" in answer.json()["hits"][0]:
                continue  # with its whole trace it has more
            assert unknown == set(), name


def test_the_description_names_the_types_and_every_operation_plainly(service):
    paths = httpx.get(f"{service.url}/openapi.json").json()["paths"]
    operations = {o["operationId"]: o for methods in paths.values() for o in methods.values()}
    names = {operation.name for operation in OPERATIONS}
    assert operations.keys() == names | {"import", "spaces", "healthz", "readyz", "metrics"}
    for name, type_ in ANSWERS.items():
        content = operations[name]["responses"]["200"]["content"]["application/json"]
        assert content["schema"]["$ref"].endswith(f"/{type_.__name__}"), name
