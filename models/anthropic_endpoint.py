"""The Anthropic protocol (messages), as Anthropic itself and some gateways speak it.

Only `model_loading` loads this module, and only where this protocol is set up.
"""

from __future__ import annotations

import httpx2
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.profiles.anthropic import AnthropicModelProfile
from pydantic_ai.providers.anthropic import AnthropicProvider

from .http_endpoint import HttpEndpoint
from .model_types import ModelAddress

_VENDOR = "https://api.anthropic.com"


def open_endpoint(address: ModelAddress) -> HttpEndpoint:
    """Open an endpoint that speaks messages."""
    return HttpEndpoint(address, _protocol)


def _protocol(address: ModelAddress, key: str, http: httpx2.AsyncClient) -> Model:
    provider = AnthropicProvider(
        api_key=key, base_url=address.base_url or _VENDOR, http_client=http
    )
    # Which models know schemas is found out by asking; the client steps down and remembers.
    profile = AnthropicModelProfile(supports_json_schema_output=True)
    return AnthropicModel(address.name, provider=provider, profile=profile)
