"""The model that reads episodes is the one of the settings."""

import pytest

from meridia.core.settings import ModelSettings
from meridia.graph.graphiti.graphiti_core import llm_of


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
