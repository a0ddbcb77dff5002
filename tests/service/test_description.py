"""Schemathesis asks the service what its description allows, and what it does not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from meridia.storage.api_keys import Access
from tests.service.conftest import say

CONFIG = Path(__file__).with_name("schemathesis.toml")


def ask(service, *options):
    """Run schemathesis with all checks over a space with something in it."""
    with service.client("described", access=Access.ADMIN) as client:
        say(client, "The race is on the 12th of May.", person="Dana", session="s1")
        client.post("/v1/recall", json={"question": "When is the race?"})
        key = client.headers["authorization"]
    command = [Path(sys.executable).with_name("schemathesis"), "--config-file", CONFIG, "run"]
    command += [f"{service.url}/openapi.json", "--header", f"Authorization: {key}", "--no-color"]
    command += ["--checks", "all", "--exclude-path", "/v1/import", "--seed", "1", *options]
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, timeout=280
    )


@pytest.mark.thorough
def test_every_example_of_the_description_passes_every_check(service):
    done = ask(service, "--phases", "examples")
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout


@pytest.mark.thorough
def test_what_the_description_allows_and_forbids_is_answered_so(service):
    done = ask(service, "--phases", "fuzzing", "--max-examples", "3")
    assert done.returncode == 0, done.stdout


@pytest.mark.thorough
def test_what_an_answer_leads_to_is_answered_too(service):
    done = ask(service, "--phases", "stateful", "--max-examples", "20")
    assert done.returncode == 0, done.stdout
    assert "API Links" in done.stdout


def test_every_link_of_an_answer_leads_to_an_operation_that_takes_it(service):
    paths = httpx.get(f"{service.url}/openapi.json").json()["paths"].values()
    operations = {found["operationId"]: found for path in paths for found in path.values()}
    links = [
        link
        for operation in operations.values()
        for link in operation["responses"].get("200", {}).get("links", {}).values()
    ]
    assert len(links) == 11
    for link in links:
        taken = {given["name"] for given in operations[link["operationId"]]["parameters"]}
        assert link["parameters"].keys() <= taken
