"""Every command, tool, route and method that takes an address takes every form of it.

What takes one is listed here; a new one that is not in the list fails a test.
"""

from __future__ import annotations

import inspect
import re
import shutil

import click
import pytest

from meridia import Memory
from meridia.cli.main import cli
from meridia.service import mcp_tools
from meridia.service import operations as table
from tests.cli.command import Command

TEXT = "The race is on the 12th of May."
FORMS = ("seq", "uri", "id", "own", "last")
#: Operations of the service → their arguments besides the address, and where the answer names it.
OPERATIONS = {
    "show": {},
    "history": {},
    "update": {"text": "The race is on the 13th."},
    "feedback": {"verdict": "useful"},
    "explain": {},
    "why_not": {},
    "what_if": {},
    "forget": {"dry_run": True},
}
#: Tools of a model → their other arguments.
TOOLS = {
    "show": {},
    "update": {"text": "The race is on the 13th."},
    "forget": {"dry_run": True},
}
#: Commands → what stands before and after the address.
COMMANDS = {
    "show": ((), ()),
    "history": ((), ()),
    "update": ((), ("The race is on the 13th.",)),
    "feedback": ((), ("useful",)),
    "why": ((), ()),
    "why-not": ((), ()),
    "what-if": ((), ()),
    "inspect": ((), ()),
    "forget": (("--id",), ()),
}
#: Commands whose ID is something else: a key, an entity, an idea, an own id to begin with.
OTHER_IDS = {"keys", "entities", "ideas", "remember"}


@pytest.fixture
def memory():
    with Memory.open() as memory:
        yield prepared(memory)


def prepared(memory):
    """Return a memory whose second entry is the only answer of the newest recall."""
    memory.remember("Buy milk.", person="Kim", id="other")
    memory.remember(TEXT, person="Dana", id="m-1", metadata={"a": 1})
    assert len(memory.recall("When is the race?", where={"a": 1}).hits) == 1
    return memory


def forms(memory):
    """Return every form of the address of the one memory."""
    got = memory.get("m-1")
    texts = (f"@{got.seq}", got.uri, got.id, "m-1", "last 1")
    return dict(zip(FORMS, texts, strict=True))


def test_every_operation_that_takes_an_address_is_listed():
    found = {o.name for o in table.OPERATIONS if "address" in o.parameters.model_fields}
    found |= {o.name for o in table.OPERATIONS if "ids" in o.parameters.model_fields}
    assert found == OPERATIONS.keys()


def test_every_tool_that_takes_an_address_is_listed():
    tools = mcp_tools.chosen_tools(["default"])
    names = ("address", "ids")
    found = {n for n, t in tools.items() if not t.parameters.model_fields.keys().isdisjoint(names)}
    assert found == TOOLS.keys()


def test_every_command_that_takes_an_address_is_listed():
    context = click.Context(cli)
    found = set()
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        metavars = {p.metavar or "" for p in command.params}
        if any(re.search(r"\b(?:ADDRESS|ID)\b", metavar) for metavar in metavars):
            found.add(name)
    assert found - OTHER_IDS == COMMANDS.keys()


def run(operations, name, memory, address, more):
    operation = operations[name]
    fields = operation.parameters.model_fields
    given = {"ids": [address]} if "ids" in fields else {"address": address}
    return operation.run(memory, operation.parameters.model_validate({**given, **more}))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_takes_every_form(memory, name, form):
    operations = {o.name: o for o in table.OPERATIONS}
    answer = run(operations, name, memory, forms(memory)[form], OPERATIONS[name])
    check_names_it(memory, name, answer)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_takes_every_form(memory, name, form):
    tools = mcp_tools.chosen_tools(["default"])
    answer = run(tools, name, memory, forms(memory)[form], TOOLS[name])
    assert "@2" in answer["answer"] or "12th" in answer["answer"]


def check_names_it(memory, name, answer):
    match name:
        case "show":
            assert answer["event_id"] == "m-1"
        case "history":
            assert [item["event_id"] for item in answer["items"]] == ["m-1"]
        case "update":
            assert [m.text for m in memory.history("m-1")][-1] == "The race is on the 13th."
        case "feedback":
            assert memory.feedback.undo("m-1")
        case "explain":
            assert [hit["event_id"] for hit in answer["hits"]] == ["m-1"]
        case "why_not":
            assert "rank 1" in str(answer)
        case "what_if":
            assert isinstance(answer["items"], list)
        case "forget":
            assert answer["memories"] == 1


@pytest.mark.parametrize("form", FORMS)
def test_a_method_takes_every_form(memory, form):
    address = forms(memory)[form]
    assert memory.get(address).event_id == "m-1"
    assert memory.holds(address)
    assert memory.read(address) == memory.get("m-1").text
    assert memory.resolve(address).id == memory.get("m-1").id
    assert [v.event_id for v in memory.history(address)] == ["m-1"]
    assert memory.forget(ids=[address], dry_run=True).memories == 1
    assert memory.reasons.why_not("last", address)
    memory.feedback(address, "useful")
    memory.feedback.undo(address)
    memory.update(address, "The race is on the 13th.")
    assert memory.get("m-1").text == "The race is on the 13th."


def test_every_method_that_takes_an_address_says_so():
    named = {
        name
        for name, method in inspect.getmembers(Memory, inspect.isfunction)
        if not name.startswith("_")
        and {"id", "ids", "uri"} & inspect.signature(method).parameters.keys()
    }
    assert named - {"remember", "upsert"} == {
        *("get", "holds", "read", "resolve", "history", "forget", "update")
    }


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    path = tmp_path_factory.mktemp("addresses") / "m.db"
    with Memory.open(path) as memory:
        prepared(memory)
        return path, forms(memory)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_takes_every_form(meridia: Command, db, name, form, tmp_path):
    path, addresses = db
    if name == "update":  # in a copy: the others find what was answered
        path = shutil.copytree(path.parent, tmp_path / "copy") / path.name
    before, after = COMMANDS[name]
    address = addresses[form]
    words = [address] if before else address.split()
    done = meridia(name, *before, *words, *after, "--json", "--db", path)
    assert done.status == 0, done.err
    assert "Buy milk" not in done.out or name == "inspect"
