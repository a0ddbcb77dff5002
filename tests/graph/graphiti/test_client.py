"""The client: what it refuses before it connects; the rest is tested with the sink."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys

import pytest

from meridia.core.errors import InvalidInput, Refused, Unavailable
from meridia.core.settings import GraphitiSettings, GraphSettings, ModelSettings, Settings
from meridia.graph.graphiti import mapping
from meridia.graph.graphiti.client import client_of
from meridia.graph.graphiti.mapping import llm_of
from tests.fakes import FakeEmbedder

URI = "bolt://127.0.0.1:9"


def settings(**graphiti):
    graph = GraphSettings(engine="neo4j", neo4j_uri=URI)
    return Settings(graph=graph, graphiti=GraphitiSettings(uri=URI, **graphiti))


def test_the_database_of_our_own_graph_is_refused_unless_it_may_be_shared():
    with pytest.raises(Refused, match="of its own"):
        client_of(settings(), lambda: None)
    client_of(settings(shared=True), lambda: None).close()
    client_of(settings(database_name="other"), lambda: None).close()


def test_without_an_address_there_is_none():
    with pytest.raises(Unavailable, match=r"graphiti\.uri is empty"):
        client_of(Settings(), lambda: None)


def test_without_an_encoder_it_says_what_it_needs():
    client = client_of(settings(shared=True), lambda: None)
    with pytest.raises(InvalidInput, match=r"embedding\.enabled"):
        client.search("s", "who?", 3)
    client.close()


def test_where_nobody_listens_that_is_said_and_no_time_is_spent_on_more_tries():
    client = client_of(settings(shared=True, timeout_s=10.0), FakeEmbedder)
    with pytest.raises(Unavailable, match=r"does not answer: Couldn't connect to 127\.0\.0\.1:9$"):
        client.count("s")
    client.close()


SCRIPT = """
import os, socket
from meridia.graph.graphiti.graphiti_core import models
models()
from graphiti_core.telemetry.telemetry import is_telemetry_enabled
print(is_telemetry_enabled(), os.environ.get("FROM_DOTENV"), "PYTHON_DOTENV_DISABLED" in os.environ)
"""


def test_telemetry_is_off_once_it_is_imported(monkeypatch):
    monkeypatch.setenv("GRAPHITI_TELEMETRY_ENABLED", "true")
    mapping.models.cache_clear()
    mapping.models()
    telemetry = importlib.import_module("graphiti_core.telemetry.telemetry")
    assert not telemetry.is_telemetry_enabled()
    assert "PYTHON_DOTENV_DISABLED" not in os.environ


@pytest.mark.thorough  # a process of its own, in which nothing was imported before
def test_nothing_is_sent_and_no_environment_file_is_read(tmp_path):
    (tmp_path / ".env").write_text("FROM_DOTENV=read\n")
    environment = {**os.environ, "GRAPHITI_TELEMETRY_ENABLED": "true", "HOME": str(tmp_path)}
    answer = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.split() == ["False", "None", "False"]
    assert not (tmp_path / ".cache").exists()


def test_what_is_not_installed_is_said(monkeypatch):
    monkeypatch.setattr(mapping, "_USED", {"no_such_module": ("Any",)})
    mapping.models.cache_clear()
    with pytest.raises(InvalidInput, match=r"pip install 'meridia\[graphiti\]'"):
        mapping.models()
    mapping.models.cache_clear()


def test_none_is_none():
    assert llm_of(ModelSettings()) is None


@pytest.mark.thorough  # the libraries of models take seconds; the sink's tests use one of them
def test_each_dialect_has_a_client():
    for dialect, name in (("openai", "OpenAIGenericClient"), ("anthropic", "AnthropicClient")):
        settings = ModelSettings(
            dialect=dialect, name="m-1", base_url="http://127.0.0.1:9", api_key="k"
        )
        client = llm_of(settings)
        assert type(client).__name__ == name
        assert client.config.model == "m-1"
        assert client.config.base_url == "http://127.0.0.1:9"
