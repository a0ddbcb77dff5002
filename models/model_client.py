"""Ask a language model for a validated answer; return it, or the reason why there is none.

One agent of the library asks all questions, on an event loop of its own thread; `RequestHooks`
decides about each request. No error of the model or its server is raised. No telemetry is sent.
Needs the extra `llm`; only `model_factory` loads this module.
"""

from __future__ import annotations

import ipaddress
import ssl
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import datetime
from functools import cache
from urllib.parse import urlsplit

import httpx2
from anyio.from_thread import start_blocking_portal
from pydantic_ai import Agent, NativeOutput
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings as RequestSettings

from ..core.settings import ModelSettings
from ..core.time import Clock
from .answer_types import Corrections
from .budget import Budget, CircuitBreaker, RetryPolicy
from .model_types import AnswerFormat, ModelAnswer, Prompt, T
from .request_hooks import ENCODINGS, QuestionEnded, RequestHooks, limit_size, tokens_of

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
    """Return whether an address is on this machine."""
    hostname = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(hostname).is_loopback
    except ValueError:
        return hostname == "localhost" or hostname.endswith(".localhost")


class ModelClient:
    """Asks one model. Safe to share between threads; see `Model` for what `ask` promises."""

    def __init__(
        self, settings: ModelSettings, budget: Budget, policy: RetryPolicy, clock: Clock
    ) -> None:
        self.budget = budget
        self.breaker = CircuitBreaker(policy)
        self._settings, self._policy, self._clock = settings, policy, clock
        http = open_http(settings)
        model = open_provider(settings, http)
        knows_objects = model.profile.get("supports_json_object_output", False)
        self._formats = tuple(
            form for form in AnswerFormat if knows_objects or form is not AnswerFormat.JSON_OBJECT
        )
        self._agent = Agent(
            model,
            name="meridia",
            deps_type=Corrections,
            validation_context=lambda ctx: ctx.deps,
            retries={"output": 1},
        )
        self._lock = threading.Lock()
        self._open = ExitStack()
        self._portal = self._open.enter_context(start_blocking_portal(name="meridia-model"))
        self._open.callback(self._portal.call, http.aclose)

    @property
    def formats(self) -> tuple[AnswerFormat, ...]:
        """The forms of answer to try in turn, without those that the server has refused."""
        with self._lock:
            return self._formats

    def mark_unsupported(self, form: AnswerFormat) -> None:
        """Start with a form below this one from now on: the server does not know it."""
        with self._lock:
            if form in self._formats:
                self._formats = self._formats[self._formats.index(form) + 1 :]

    def ask(
        self,
        prompt: Prompt,
        variables: Mapping[str, str],
        answer_type: type[T],
        time_limit_s: float,
        at: datetime | None = None,
    ) -> ModelAnswer[T]:
        """Ask once and return a checked answer or why there is none, within `time_limit_s`.

        The limit covers all attempts and the waits between them. `InvalidInput` is raised for
        variables that do not fit the prompt, which is a mistake of the caller.
        """
        system, user = prompt.fill(variables)
        wait_s, outcome = self.breaker.remaining()
        if wait_s > 0:
            why = f"not asked: after its last failures the model is not asked for {wait_s:.0f} s"
            name, version = prompt.name, prompt.version
            return ModelAnswer(
                outcome, None, self._settings.name, name, version, detail=why, retry_after_s=wait_s
            )
        hooks = RequestHooks[T](
            prompt=prompt,
            budget=self.budget,
            policy=self._policy,
            formats=self.formats,
            at=at or self._clock(),
            time_limit_s=time_limit_s,
            model=self._settings.name,
            question_tokens=tokens_of(system) + tokens_of(user),
            redact=self._redact,
            on_refused_form=self.mark_unsupported,
        )
        asked = self._portal.start_task_soon(self._run, hooks, system, user, answer_type)
        try:
            answer = hooks.answer(asked.result())
        finally:
            asked.cancel()  # of use when the waiting itself is interrupted
        if answer.attempts:
            self.breaker.record(answer)
        return answer

    def close(self) -> None:
        """Close the connections and end the thread; closing twice does nothing."""
        self._open.close()

    async def _run(
        self, hooks: RequestHooks[T], system: str, user: str, answer_type: type[T]
    ) -> T | None:
        own = hooks.prompt.temperature
        settings = RequestSettings(
            max_tokens=hooks.prompt.tokens_max,
            temperature=self._settings.temperature if own is None else own,
            thinking=False,
            max_retries=0,
        )
        try:
            run = await self._agent.run(
                user,
                output_type=NativeOutput(answer_type, strict=True, template=False),
                instructions=system,
                deps=hooks.corrections,
                model_settings=settings,
                capabilities=[hooks],
            )
        except (QuestionEnded, AgentRunError, UserError):
            return None
        return run.output

    def _redact(self, text: str) -> str:
        key = key_of(self._settings)
        return text if key == NO_KEY else text.replace(key, "[key]")
