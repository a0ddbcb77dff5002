"""graphiti-core, imported with its telemetry off and without reading a `.env` file."""

from __future__ import annotations

import importlib
import os
import warnings
from functools import cache
from types import SimpleNamespace
from typing import Any

from ...core.errors import InvalidInput
from ...core.settings import ModelSettings

#: What is used of it, by module.
_USED = {
    "graphiti_core.graphiti": ("Graphiti",),
    "graphiti_core.nodes": ("EntityNode", "EpisodeType", "EpisodicNode", "Node"),
    "graphiti_core.edges": ("EntityEdge", "EpisodicEdge"),
    "graphiti_core.driver.neo4j_driver": ("Neo4jDriver",),
    "graphiti_core.embedder.client": ("EmbedderClient",),
    "graphiti_core.cross_encoder.client": ("CrossEncoderClient",),
    "graphiti_core.llm_client.client": ("LLMClient",),
    "graphiti_core.llm_client.config": ("LLMConfig",),
    "graphiti_core.graph_queries": ("get_fulltext_indices", "get_range_indices"),
    "graphiti_core.utils.bulk_utils": ("add_nodes_and_edges_bulk",),
    "graphiti_core.errors": ("NodeNotFoundError",),
}


@cache
def models() -> Any:
    """Return the classes and functions of graphiti-core that are used here, by name.

    Raises `InvalidInput` where it is not installed.
    """
    before = os.environ.get("PYTHON_DOTENV_DISABLED")
    os.environ["GRAPHITI_TELEMETRY_ENABLED"] = "false"
    os.environ["PYTHON_DOTENV_DISABLED"] = "1"  # it would read the `.env` of whoever calls
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of its own classes
            return SimpleNamespace(
                **{
                    name: getattr(importlib.import_module(module), name)
                    for module, names in _USED.items()
                    for name in names
                }
            )
    except ImportError as error:
        raise InvalidInput(
            f"graphiti-core is not installed ({error}): pip install 'meridia[graphiti]'"
        ) from error
    finally:
        if before is None:
            del os.environ["PYTHON_DOTENV_DISABLED"]
        else:
            os.environ["PYTHON_DOTENV_DISABLED"] = before


_CLIENTS = {
    "openai": ("graphiti_core.llm_client.openai_generic_client", "OpenAIGenericClient"),
    "anthropic": ("graphiti_core.llm_client.anthropic_client", "AnthropicClient"),
}


def llm_of(settings: ModelSettings) -> Any:
    """Open graphiti-core's client of the model; None where the settings name none."""
    if settings.dialect == "none":
        return None
    config = models().LLMConfig(
        api_key=settings.api_key.get_secret_value() or "none",
        model=settings.name,
        small_model=settings.name,
        base_url=settings.base_url or None,
        temperature=settings.temperature,
    )
    module, name = _CLIENTS[settings.dialect]
    try:
        return getattr(importlib.import_module(module), name)(config)
    except ImportError as error:
        raise InvalidInput(
            f"Graphiti cannot ask this model ({error}): pip install 'meridia[llm]'"
        ) from error
