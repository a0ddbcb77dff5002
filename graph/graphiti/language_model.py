"""The language model with which Graphiti reads episodes: that of the settings, by its own client.

It is asked by graphiti-core, which has its own prompts and knows nothing of our budget.
"""

from __future__ import annotations

import importlib
from typing import Any

from ...core.errors import InvalidInput
from ...core.settings import ModelSettings
from .graphiti_core import models

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
