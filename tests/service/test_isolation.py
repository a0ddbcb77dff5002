"""A key for one space sees nothing of another: random requests, through every route and tool."""

from __future__ import annotations

import asyncio
import random

import pytest

from meridia.service.mcp_tools import chosen_tools
from meridia.service.operations import OPERATIONS
from meridia.storage.api_keys import Access
from tests.service.conftest import SETTINGS, say
from tests.service.test_mcp_server import over_http
from tests.thorough import THOROUGH

PROBES = 10_000 if THOROUGH else 150
#: What only the other space holds, and no request names.
SECRETS = ("quokka", "wombat", "ignatz", "den-4")
#: What it holds, and requests name.
NAMES = ("Ulrike", "burrow-9")
STATEMENTS = (
    "MATCH (n) RETURN n",
    "MATCH (n) WHERE n.space = 'secret' RETURN n",
    "MATCH (n:Space_secret) RETURN n",
    "MATCH (n {space: 'secret'}) RETURN n.text AS text",
    "MATCH (a)-[r]->(b) RETURN a, r, b",
    "CALL db.labels() YIELD label RETURN label",
    "MATCH (e:Experience) RETURN e.text AS text, e.space AS space",
    "MATCH (p:Person) RETURN p.name AS name",
)


@pytest.fixture(scope="module")
def secrets(service):
    """Fill the other space; return what a caller could have learned of it by other ways."""
    with service.client("secret", access=Access.ADMIN) as client:
        first = say(client, "The quokka sleeps.", person="Ulrike", session="burrow-9", id="q-1")
        second = say(client, "I saw a wombat.", person="Ignatz", session="den-4")
        body = {"question": "Where is the quokka?"}
        recall = client.post("/v1/recall", json=body).json()["recall"]
        pack = client.post("/v1/resume", json={"person": "Ulrike"}).json()["pack"]
    ids = [first["id"], "q-1", second["id"], recall, pack]
    addresses = [f"meridia://{id}" for id in ids] + [
        f"@{answer['seq']}" for answer in (first, second)
    ]
    return [*ids, *addresses, "last", *NAMES]


def value(chance, name, schema, known):
    """Return a random value for a parameter: often one that is known of the other space."""
    by_name = {
        "statement": STATEMENTS,
        "space": (None, "own", "secret", "*", "default", "Secret", "secret "),
        "profile": ("simple", "default"),
        "policy": ("spread", "walk"),
        "verdict": ("useful", "wrong"),
    }
    by_kind = {
        "integer": (0, 1, 2, 5, 1000),
        "boolean": (True, False),
        "object": ({"space": "secret"}, {"text": {"ne": ""}}, {}),
        "array": ([chance.choice(known)],),
    }
    kind = schema.get("type") or schema.get("anyOf", [{}])[0].get("type")
    return chance.choice(by_name.get(name) or by_kind.get(kind) or known)


def probe(chance, operation, known):
    """Return random parameters of an operation; those that are required are always there."""
    schema = operation.parameters.model_json_schema()
    required = set(schema.get("required", ()))
    given = {
        name: value(chance, name, details, known)
        for name, details in schema["properties"].items()
        if name in required or chance.random() < 0.35
    }
    return {name: item for name, item in given.items() if item is not None}


def leaked(answer):
    """Return the secrets that an answer has."""
    return [word for word in SECRETS if word in answer.lower()]


@pytest.mark.timeout(1800)
def test_no_route_shows_anything_of_another_space(service, secrets):
    chance = random.Random(7)
    operations = [operation for operation in OPERATIONS if operation.access is Access.READ]
    operations += [o for o in OPERATIONS if o.name in {"update", "feedback", "merge", "forget"}]
    statuses = set()
    with service.client("own", access=Access.ADMIN) as client:
        say(client, "A heron stands at the pond.", person="Dana", session="s1")
        for number in range(PROBES):
            operation = operations[number % len(operations)]
            given = probe(chance, operation, secrets)
            if operation.takes_query:
                answer = client.get(operation.path, params=given)
            else:
                answer = client.post(operation.path, json=given)
            statuses.add(answer.status_code)
            assert answer.status_code < 500, (operation.name, given, answer.text)
            assert leaked(answer.text) == [], (operation.name, given)
    assert {200, 403, 404, 422} <= statuses
    with service.client("secret") as client:
        kept = client.post("/v1/list", json={}).json()["memories"]
    assert [memory["text"] for memory in kept] == ["The quokka sleeps.", "I saw a wombat."]


@pytest.mark.timeout(1800)
def test_no_tool_and_no_resource_shows_anything_of_another_space(service, secrets):
    chance = random.Random(11)
    offered = chosen_tools(SETTINGS.service.tools).values()
    tools = [tool for tool in offered if tool.name not in {"capture", "remember"}]

    async def run():
        async with over_http(service, service.key("own", access=Access.ADMIN)) as client:
            for number in range(PROBES // 5):
                tool = tools[number % len(tools)]
                given = probe(chance, tool, secrets)
                answer = await client.call_tool(tool.name, given)
                assert leaked(answer.model_dump_json()) == [], (tool.name, given)
            listed = await client.list_resources()
            assert leaked(listed.model_dump_json()) == []
            for address in secrets:
                try:
                    answer = (await client.read_resource(address)).model_dump_json()
                except Exception as error:  # noqa: BLE001 - whatever is said, it says nothing
                    answer = str(error)
                assert leaked(answer) == []

    asyncio.run(run())
