"""Ask a language model for a validated answer; return it, or the reason why there is none.

One agent of the library asks all questions, on an event loop of its own thread; `RequestHooks`
decides about each request. No error of the model or its server is raised. No telemetry is sent.
Needs the extra `llm`; only `model_factory` loads this module.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import datetime

from anyio.from_thread import start_blocking_portal
from pydantic_ai import Agent, NativeOutput
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.settings import ModelSettings as RequestSettings

from ..core.settings import ModelSettings
from ..core.time import Clock
from .answer_types import Corrections
from .budget import Budget
from .model_types import AnswerFormat, ModelAnswer, T
from .prompts import Prompt
from .providers import NO_KEY, key_of, open_http, open_provider
from .request_hooks import QuestionEnded, RequestHooks, tokens_of
from .retry_policy import CircuitBreaker, RetryPolicy


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
            names = (self._settings.name, prompt.name, prompt.version)
            return ModelAnswer(outcome, None, *names, detail=why, retry_after_s=wait_s)
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
