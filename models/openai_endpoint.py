"""The OpenAI protocol (chat completions), as OpenAI itself and most local servers speak it.

Only `model_loading` loads this module, and only where this protocol is set up.
"""

from __future__ import annotations

import httpx2
from pydantic_ai.models import Model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from .http_endpoint import HttpEndpoint
from .model_types import ModelAddress

_VENDOR = "https://api.openai.com/v1"


def open_endpoint(address: ModelAddress) -> HttpEndpoint:
    """Open an endpoint that speaks chat completions."""
    return HttpEndpoint(address, _protocol)


def _protocol(address: ModelAddress, key: str, http: httpx2.AsyncClient) -> Model:
    if address.base_url in {"", _VENDOR}:
        vendor = OpenAIProvider(base_url=_VENDOR, api_key=key, http_client=http)
        return OpenAIChatModel(address.name, provider=vendor)
    compatible = OpenAICompatibleProvider(
        "openai-compatible",
        base_url=address.base_url,
        api_key=key,
        http_client=http,
        profile=OpenAIModelProfile(
            # Whether they do is found out by asking; the client steps down and remembers.
            supports_json_schema_output=True,
            supports_json_object_output=True,
            # Local servers know `max_tokens`, and silently ignore its younger name.
            openai_chat_supports_max_completion_tokens=False,
        ),
    )
    return OpenAIChatModel(address.name, provider=compatible)
