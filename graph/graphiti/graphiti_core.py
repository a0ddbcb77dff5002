"""graphiti-core, imported with its telemetry off and without reading a `.env` file."""

from __future__ import annotations

import importlib
import os
import warnings
from functools import cache
from types import SimpleNamespace
from typing import Any

from ...core.errors import InvalidInput

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
