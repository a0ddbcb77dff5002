"""Arguments as models and strict clients write them."""

from __future__ import annotations

import json

import pytest

from meridia.core.errors import InvalidInput
from meridia.service.mcp_server import read_arguments, schema_of
from meridia.service.mcp_tools import chosen_tools

TOOLS = chosen_tools(["all"])
SIX = list(chosen_tools(["default"]))
REFUSED = {"$ref", "$defs", "anyOf", "oneOf", "allOf", "additionalProperties", "default", "title"}


def nodes(schema):
    """Yield every schema within one."""
    yield schema
    for inner in schema.get("properties", {}).values():
        yield from nodes(inner)
    if "items" in schema:
        yield from nodes(schema["items"])


@pytest.mark.parametrize("name", TOOLS)
def test_a_schema_is_flat_and_describes_every_argument(name):
    schema = schema_of(TOOLS[name])
    assert schema["type"] == "object"
    for node in nodes(schema):
        assert not REFUSED & node.keys(), node
        assert isinstance(node["type"], str)
        for inner in node.get("properties", {}).values():
            assert 2 <= len(inner["description"]) <= 100


def read(tool, **given):
    return read_arguments(TOOLS[tool], given)


def test_numbers_lists_and_objects_may_come_as_text():
    given = read("recall", question="a", limit="3", where='{"topic": "sailing"}')
    assert (given.limit, given.where) == (3, {"topic": "sailing"})
    assert read("recall", question="a", limit=" 3 ").limit == 3
    assert read("recall", question=3).question == "3"
    assert read("forget", ids='["@1", "@2"]', dry_run="false").ids == ["@1", "@2"]
    assert read("forget", ids="@1, @2 @3", dry_run="False").ids == ["@1", "@2", "@3"]
    assert read("forget", ids="my own id").ids == read("forget", ids=["my own id"]).ids
    messages = json.dumps([{"text": "Hi.", "metadata": {"n": 1}}])
    assert read("remember_batch", messages=messages).messages[0]["metadata"] == {"n": 1}


def test_a_number_where_an_address_stands_is_one():
    assert read("show", address=12).address == "@12"
    assert read("show", address="12").address == "12"
    assert read("forget", ids=[12]).ids == ["@12"]


def test_null_and_an_empty_text_leave_an_argument_out():
    given = read("remember", text="Hi.", person=None, session="", at="", metadata=None)
    assert (given.person, given.session, given.at, given.metadata) == (None, None, None, None)


@pytest.mark.parametrize("tool", SIX)
def test_an_unknown_argument_is_named_beside_the_known_ones(tool):
    known = schema_of(TOOLS[tool])["properties"]
    with pytest.raises(InvalidInput) as refusal:
        read(tool, colour="blue", **dict.fromkeys(known, "x"))
    assert "'colour'" in str(refusal.value)
    assert all(name in str(refusal.value) for name in known)


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("recall", {}, "question is missing. recall takes question (required)"),
        ("recall", {"question": None}, "question"),
        ("recall", {"question": "a", "limit": "many"}, "limit: "),
        ("recall", {"question": "a", "limit": 0}, "greater than or equal to 1"),
        ("remember", {"text": "a", "metadata": "blue"}, "metadata must be a JSON object"),
        ("remember", {"text": "a", "metadata": "[1]"}, "metadata must be a JSON object"),
        ("recall", {"question": "x" * 200_000}, "100000 characters"),
        ("remember", {"text": "a", "role": "boss"}, "'user', 'assistant' or 'note'"),
        ("forget", {"ids": []}, "ids: "),
    ],
)
def test_what_is_wrong_is_said_in_words(tool, given, said):
    with pytest.raises(InvalidInput) as refusal:
        read(tool, **given)
    assert said in str(refusal.value)
    assert len(str(refusal.value)) < 600


@pytest.mark.parametrize("role", ["User", " human ", "AI", "model", "ASSISTANT", "Note"])
def test_a_role_is_understood_under_the_names_that_others_have_for_it(role):
    assert read("remember", text="a", role=role).role in {"user", "assistant", "note"}


@pytest.mark.parametrize("cited", [12, "@12", "[@12]", " (@12) ", '"@12"', "`@12`"])
def test_an_address_is_understood_as_it_was_cited(cited):
    assert read("show", address=cited).address == "@12"


@pytest.mark.parametrize("other", ["12", "m-12", "users/1/12", "@12 and @13", "last 3"])
def test_what_is_more_than_a_number_stays_as_it_is(other):
    assert read("show", address=other).address == other
