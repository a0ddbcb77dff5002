"""The way to a model's server, by pydantic-ai, whichever protocol it speaks.

Sends one request, once, within its time limit, and names what went wrong; trying again is the
client's business. Sends nothing that the request does not need: no telemetry, no facts about this
machine, no headers or keys from the environment. Follows no redirect, so that a key stays where it
was meant for. Needs the extra `llm`; `model_openai` and `model_anthropic` add their protocols.
"""

from __future__ import annotations

import asyncio
import ipaddress
import threading
from collections.abc import Callable
from typing import Any, cast
from urllib.parse import urlsplit

import httpx2
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestTimeout,
    ModelTimeoutError,
    UserError,
)
from pydantic_ai.messages import ModelRequest as Message
from pydantic_ai.messages import ModelResponse, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings

from .answer_types import tidy
from .model_types import (
    AnswerFormat,
    FailureKind,
    ModelAddress,
    ModelFailure,
    ModelReply,
    ModelRequest,
    Usage,
)

#: The library wants a key; where there is none, no header with one is sent.
_NO_KEY = "none"
_KEYS = frozenset({"authorization", "x-api-key"})
_SENT_HEADERS = frozenset(
    "accept accept-encoding anthropic-beta anthropic-version authorization connection"
    " content-length content-type host transfer-encoding user-agent x-api-key".split()
)
#: The library's adapters trip in these ways over bodies that are JSON and yet not the protocol,
#: such as an empty list of choices.
_ADAPTER_ERRORS = (LookupError, AttributeError, TypeError, ValueError)
_STATUS = {
    400: FailureKind.NOT_UNDERSTOOD,
    405: FailureKind.NOT_UNDERSTOOD,
    415: FailureKind.NOT_UNDERSTOOD,
    422: FailureKind.NOT_UNDERSTOOD,
    501: FailureKind.NOT_UNDERSTOOD,
    402: FailureKind.QUOTA,
    408: FailureKind.BUSY,
    425: FailureKind.BUSY,
    429: FailureKind.RATE_LIMITED,
    502: FailureKind.BUSY,
    503: FailureKind.BUSY,
    504: FailureKind.BUSY,
    529: FailureKind.BUSY,
}
_CONNECT_S_MAX = 5.0

#: Makes the library's model of an address, a key and the client to send with.
Protocol = Callable[[ModelAddress, str, httpx2.AsyncClient], Model]


class HttpEndpoint:
    """One model behind HTTP. Safe to share between threads: all requests run on one event loop."""

    def __init__(self, address: ModelAddress, protocol: Protocol) -> None:
        self.model = address.name
        self.formats = address.dialect.formats
        self._key = address.api_key.get_secret_value().strip() or _NO_KEY
        self._temperature = address.temperature
        self._http = _http_client(address, self._key)
        self._library_model = protocol(address, self._key, self._http)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="meridia-model", daemon=True
        )
        self._thread.start()

    def send(self, request: ModelRequest) -> ModelReply | ModelFailure:
        """Send one request and return the reply, or what failed, within the time limit."""
        future = asyncio.run_coroutine_threadsafe(self._send(request), self._loop)
        try:
            return future.result()
        finally:
            future.cancel()  # of use when the waiting itself is interrupted

    def close(self) -> None:
        """Close the connections and end the thread; closing twice does nothing."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._http.aclose(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _send(self, request: ModelRequest) -> ModelReply | ModelFailure:
        message = Message(parts=[UserPromptPart(request.user)], instructions=request.system)
        try:
            response = await model_request(
                self._library_model,
                [message],
                model_settings=self._settings(request),
                model_request_parameters=_parameters(request),
                instrument=False,
            )
            return _reply(response)
        except ModelAPIError as error:
            return self._failure(error)
        except (AgentRunError, *_ADAPTER_ERRORS):
            return ModelFailure(
                FailureKind.UNREADABLE, "the server's answer does not speak the protocol"
            )
        except UserError:
            return ModelFailure(
                FailureKind.DENIED, "the library does not serve this model that way"
            )

    def _settings(self, request: ModelRequest) -> ModelSettings:
        limit_s, own = request.time_limit_s, request.temperature
        return ModelSettings(
            max_tokens=request.tokens_max,
            temperature=self._temperature if own is None else own,
            thinking=False,
            max_retries=0,
            request_timeout=limit_s,
            timeout=cast(
                "float", httpx2.Timeout(limit_s, connect=min(limit_s / 2, _CONNECT_S_MAX))
            ),
        )

    def _failure(self, error: ModelAPIError) -> ModelFailure:
        if isinstance(error, ModelHTTPError):
            message = self._redacted(_message(error.body))
            detail = f"the server answered {error.status_code}" + (
                f": {message}" if message else ""
            )
            return ModelFailure(_failure_kind(error), detail, error.retry_after)
        if isinstance(error, ModelRequestTimeout):
            return ModelFailure(FailureKind.TIMED_OUT, f"no answer within {error.timeout:.1f} s")
        if isinstance(error, ModelConnectionError):
            return _connection_failure(error)
        return ModelFailure(
            FailureKind.UNREADABLE, "the server's answer is not the protocol's JSON"
        )

    def _redacted(self, text: str) -> str:
        """Return what a server said, short, and without the key should it be in there."""
        return tidy(text.replace(self._key, "[key]") if self._key != _NO_KEY else text, 160)


def _http_client(address: ModelAddress, key: str) -> httpx2.AsyncClient:
    async def strip(request: httpx2.Request) -> None:
        headers = request.headers
        for name in {*headers} - (_SENT_HEADERS if key != _NO_KEY else _SENT_HEADERS - _KEYS):
            del headers[name]
        # Variables of the environment can put another key into these.
        for name in _KEYS & {*headers}:
            headers[name] = f"Bearer {key}" if name == "authorization" else key
        headers["user-agent"] = "meridia"

    return httpx2.AsyncClient(
        # Proxies of the environment are respected, except on the way to this machine itself.
        trust_env=not is_loopback(address.base_url),
        follow_redirects=False,
        event_hooks={"request": [strip]},
    )


def is_loopback(base_url: str) -> bool:
    """Say whether an address is on this machine."""
    hostname = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(hostname).is_loopback
    except ValueError:
        return hostname == "localhost" or hostname.endswith(".localhost")


def _parameters(request: ModelRequest) -> ModelRequestParameters:
    if request.format is AnswerFormat.TEXT:
        return ModelRequestParameters()
    shape = OutputObjectDefinition(json_schema=dict(request.schema), name=request.name)
    if request.format is AnswerFormat.JSON_SCHEMA:
        return ModelRequestParameters(output_mode="native", output_object=shape)
    # The prompt shows the shape itself; the library's own words about it are not wanted.
    return ModelRequestParameters(
        output_mode="prompted", output_object=shape, prompted_output_template=False
    )


def _reply(response: ModelResponse) -> ModelReply:
    usage = response.usage
    reported = usage.input_tokens > 0
    return ModelReply(
        text=response.text or "",
        model=response.model_name or "",
        usage=Usage(usage.input_tokens, usage.output_tokens) if reported else None,
        complete=response.finish_reason != "length",
    )


def _failure_kind(error: ModelHTTPError) -> FailureKind:
    if isinstance(error, ModelQuotaExceededError):
        return FailureKind.QUOTA
    if isinstance(error, ModelRateLimitError):
        return FailureKind.RATE_LIMITED
    if isinstance(error, ModelContextWindowExceededError):
        return FailureKind.DENIED
    status = error.status_code
    return _STATUS.get(status, FailureKind.SERVER_ERROR if status >= 500 else FailureKind.DENIED)


def _connection_failure(error: ModelConnectionError) -> ModelFailure:
    if error.phase in {"pool", "connect"}:
        return ModelFailure(FailureKind.UNREACHABLE, "no connection to the server")
    if isinstance(error, ModelTimeoutError):
        return ModelFailure(FailureKind.TIMED_OUT, "the server stopped answering")
    return ModelFailure(FailureKind.BROKEN_OFF, "the connection closed before the answer was whole")


def _message(body: Any) -> str:
    """Return the sentence in the body of an error, as servers variously wrap it."""
    while isinstance(body, dict):
        body = body.get("error") or body.get("message") or body.get("detail")
    return body if isinstance(body, str) else ""
