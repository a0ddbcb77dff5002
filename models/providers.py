"""The library's model of a server, in the protocol that the settings name.

Chat completions (`openai`) are what OpenAI and most local servers speak, messages (`anthropic`)
what Anthropic and some gateways speak. Only the protocol that is set up is loaded. A request sends
nothing that it does not need: no facts about this machine, no headers or keys of the environment;
no redirect is followed, so that a key stays where it was meant for.
"""

from __future__ import annotations

import ipaddress
import ssl
from functools import cache
from urllib.parse import urlsplit

import httpx2
from pydantic_ai.models import Model

from ..core.settings import ModelSettings
from .answer_stream import ENCODINGS, limit_size

#: The library wants a key; where there is none, no header with one is sent.
NO_KEY = "none"
_KEY_HEADERS = frozenset({"authorization", "x-api-key"})
_SENT_HEADERS = frozenset(
    "accept accept-encoding anthropic-beta anthropic-version authorization connection"
    " content-length content-type host transfer-encoding user-agent x-api-key".split()
)
#: The vendors' own servers; named, because the environment may name others.
_OPENAI, _ANTHROPIC = "https://api.openai.com/v1", "https://api.anthropic.com"


def key_of(settings: ModelSettings) -> str:
    """Return the key to send, or `NO_KEY`."""
    return settings.api_key.get_secret_value().strip() or NO_KEY


def open_provider(settings: ModelSettings, http: httpx2.AsyncClient) -> Model:
    """Return the library's model that the settings name; it sends with `http`."""
    return (
        _anthropic(settings, http) if settings.dialect == "anthropic" else _openai(settings, http)
    )


def _anthropic(settings: ModelSettings, http: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415 (see above)
    from pydantic_ai.profiles.anthropic import AnthropicModelProfile  # noqa: PLC0415
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

    provider = AnthropicProvider(
        api_key=key_of(settings), base_url=settings.base_url or _ANTHROPIC, http_client=http
    )
    # Which models know schemas is tried out; the client then asks in a form that is known.
    profile = AnthropicModelProfile(supports_json_schema_output=True)
    return AnthropicModel(settings.name, provider=provider, profile=profile)


def _openai(settings: ModelSettings, http: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415 (see above)
    from pydantic_ai.profiles.openai import OpenAIModelProfile  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider  # noqa: PLC0415

    key = key_of(settings)
    if settings.base_url in {"", _OPENAI}:
        vendor = OpenAIProvider(base_url=_OPENAI, api_key=key, http_client=http)
        return OpenAIChatModel(settings.name, provider=vendor)
    profile = OpenAIModelProfile(
        # Which servers know these forms is tried out.
        supports_json_schema_output=True,
        supports_json_object_output=True,
        # Local servers know `max_tokens`, and silently ignore its younger name.
        openai_chat_supports_max_completion_tokens=False,
    )
    compatible = OpenAICompatibleProvider(
        "openai-compatible",
        base_url=settings.base_url,
        api_key=key,
        http_client=http,
        profile=profile,
    )
    return OpenAIChatModel(settings.name, provider=compatible)


def open_http(settings: ModelSettings) -> httpx2.AsyncClient:
    """Return the client to send with, which adds and follows nothing."""
    key = key_of(settings)
    allowed = _SENT_HEADERS if key != NO_KEY else _SENT_HEADERS - _KEY_HEADERS

    async def strip(request: httpx2.Request) -> None:
        headers = request.headers
        for name in {*headers} - allowed:
            del headers[name]
        # Variables of the environment can put another key into these.
        for name in _KEY_HEADERS & {*headers}:
            headers[name] = f"Bearer {key}" if name == "authorization" else key
        headers["user-agent"] = "meridia"
        headers["accept-encoding"] = ENCODINGS

    # Proxies of the environment are respected, except on the way to this machine itself.
    respected = not is_loopback(settings.base_url)
    return httpx2.AsyncClient(
        verify=_certificates(environment=respected),
        trust_env=respected,
        follow_redirects=False,
        event_hooks={"request": [strip], "response": [limit_size]},
    )


@cache
def _certificates(*, environment: bool) -> ssl.SSLContext:
    """Read whom this machine trusts, once a process: it takes as long as two encodings."""
    return httpx2.create_ssl_context(trust_env=environment)


def is_loopback(base_url: str) -> bool:
    """Say whether an address is on this machine."""
    hostname = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(hostname).is_loopback
    except ValueError:
        return hostname == "localhost" or hostname.endswith(".localhost")
