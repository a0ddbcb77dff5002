"""The client: what it refuses before it connects; the rest is tested with the sink."""

import pytest

from meridia.core.errors import InvalidInput, Refused, Unavailable
from meridia.core.settings import GraphitiSettings, GraphSettings, Settings
from meridia.graph.graphiti.client import client_of
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
    with pytest.raises(Unavailable, match=r"graphiti\.uri names no Neo4j"):
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
