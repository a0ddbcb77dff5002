"""Ask a language model for a checked answer, and come back with one or with the reason why not.

The fallback from a schema to plain text, repair, checking, trying again, the time limit and the
budget are decided here; how a request travels is the endpoint's business. Nothing that a model or
its server does wrong is raised.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Generic

from pydantic import ValidationError

from ..core.time import Clock, system_clock
from ..core.types import Json
from .answer_types import Corrections, schema_of
from .budget import Budget, Reservation
from .json_repair import CUT_OFF, read_object
from .model_types import (
    AnswerFormat,
    Endpoint,
    FailureKind,
    ModelAnswer,
    ModelFailure,
    ModelOutcome,
    ModelReply,
    ModelRequest,
    T,
    Usage,
)
from .prompts import Prompt
from .retry_policy import CircuitBreaker, RetryPolicy, Timer

_OUTCOMES = {
    FailureKind.RATE_LIMITED: ModelOutcome.RATE_LIMITED,
    FailureKind.QUOTA: ModelOutcome.RATE_LIMITED,
    FailureKind.NOT_UNDERSTOOD: ModelOutcome.SERVER_ERROR,
    FailureKind.DENIED: ModelOutcome.SERVER_ERROR,
    FailureKind.SERVER_ERROR: ModelOutcome.SERVER_ERROR,
    FailureKind.BUSY: ModelOutcome.SERVER_ERROR,
    FailureKind.TIMED_OUT: ModelOutcome.TIMED_OUT,
    FailureKind.UNREACHABLE: ModelOutcome.UNREACHABLE,
    FailureKind.BROKEN_OFF: ModelOutcome.SERVER_ERROR,
    FailureKind.UNREADABLE: ModelOutcome.INVALID,
}
#: Where the same request may well succeed a moment later.
_TRANSIENT = frozenset(
    {
        FailureKind.RATE_LIMITED,
        FailureKind.SERVER_ERROR,
        FailureKind.BUSY,
        FailureKind.BROKEN_OFF,
        FailureKind.UNREACHABLE,
        FailureKind.TIMED_OUT,
    }
)
#: Where the server may have worked for us, so that the budget counts the call at its most.
_POSSIBLY_BILLED = frozenset(
    {FailureKind.TIMED_OUT, FailureKind.BROKEN_OFF, FailureKind.UNREADABLE}
)
#: Less time than this is not enough for any answer.
_TIME_MIN_S = 0.05
_DETAIL_CHARS_MAX = 300


class ModelClient:
    """Asks one model. Safe to share between threads; see `model.Model` for what `ask` promises."""

    def __init__(
        self,
        endpoint: Endpoint,
        budget: Budget,
        policy: RetryPolicy | None = None,
        clock: Clock = system_clock,
        timer: Timer | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.budget = budget
        self.policy = policy or RetryPolicy()
        self.clock = clock
        self.timer = timer or Timer()
        self.breaker = CircuitBreaker(self.policy, self.timer.now)
        self._first_format = 0
        self._lock = threading.Lock()

    @property
    def formats(self) -> tuple[AnswerFormat, ...]:
        """The forms of answer to try in turn, without those that the server has refused."""
        with self._lock:
            return self.endpoint.formats[self._first_format :]

    def mark_unsupported(self, format: AnswerFormat) -> None:
        """Start with a form below this one from now on: the server does not know it."""
        with self._lock:
            below = self.endpoint.formats.index(format) + 1
            self._first_format = max(self._first_format, below)

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
        words = prompt.fill(variables)
        pending = _PendingRequest(self, prompt, words, answer_type, time_limit_s)
        answer = pending.run(at or self.clock())
        if answer.attempts:
            self.breaker.record(answer)
        return answer

    def close(self) -> None:
        """Give back connections and threads; asking afterwards is not allowed."""
        self.endpoint.close()


@dataclass(slots=True)
class _PendingRequest(Generic[T]):
    """One question on its way: which form is tried, what it has cost, what went wrong last."""

    client: ModelClient
    prompt: Prompt
    words: tuple[str, str]
    answer_type: type[T]
    time_limit_s: float
    began_at: float = field(init=False)
    level: int = 0
    attempts: int = 0
    server_errors: int = 0
    usage: Usage = field(default_factory=Usage)
    refused: AnswerFormat | None = None
    correction: str = ""
    has_no_json: bool = False
    retried_invalid: bool = False
    last: ModelFailure | None = None
    model: str = ""

    def __post_init__(self) -> None:
        self.began_at = self.client.timer.now()
        self.model = self.client.endpoint.model

    def run(self, at: datetime) -> ModelAnswer[T]:
        """Try until there is an answer, or until nothing is left to try."""
        wait_s, outcome = self.client.breaker.remaining()
        if wait_s > 0:
            why = f"not asked: after its last failures the model is left alone for {wait_s:.0f} s"
            return replace(self._answer_without_value(outcome, why), retry_after_s=wait_s)
        formats = self.client.formats
        while True:
            request = self._request(formats[self.level])
            reservation = self.client.budget.reserve(at, _tokens_at_most(request))
            if isinstance(reservation, str):
                return self._out_of_budget(reservation)
            result = self._send(request, reservation)
            self._record_support(result)
            if isinstance(result, ModelReply):
                answer = self._validated(result, request.format)
                if answer is not None:
                    return answer
            else:
                self.last = result
            if not self._should_retry(formats):
                return self._failed_answer()

    def _request(self, format: AnswerFormat) -> ModelRequest:
        system, user = self.words
        return ModelRequest(
            system=system,
            user=f"{user}\n\n{self.correction}" if self.correction else user,
            name=self.answer_type.__name__,
            schema=schema_of(self.answer_type),
            format=format,
            tokens_max=self.prompt.tokens_max,
            time_limit_s=max(self._time_left_s(), _TIME_MIN_S),
            temperature=self.prompt.temperature,
        )

    def _time_left_s(self) -> float:
        return self.began_at + self.time_limit_s - self.client.timer.now()

    def _send(self, request: ModelRequest, reservation: Reservation) -> ModelReply | ModelFailure:
        self.attempts += 1
        result = self.client.endpoint.send(request)
        usage = _usage(request, result)
        self.client.budget.reconcile(reservation, usage.tokens)
        self.usage += usage
        return result

    def _validated(self, reply: ModelReply, format: AnswerFormat) -> ModelAnswer[T] | None:
        """Return the answer in a reply, or None and note what is wrong with it."""
        self.model = reply.model or self.model
        parsed = read_object(reply.text)
        if parsed is None:
            self._record_invalid("the answer holds no JSON object", cut_off=not reply.complete)
            self.has_no_json = True
            return None
        fields, repairs = parsed
        if _repeats_example(fields, self.prompt):
            self._record_invalid("it repeats the example", cut_off=False)
            return None
        corrections = Corrections()
        try:
            value = self.answer_type.model_validate(fields, context=corrections)
        except ValidationError as error:
            self._record_invalid(_problems(error), cut_off=not reply.complete or CUT_OFF in repairs)
            return None
        outcome = ModelOutcome.REPAIRED if repairs else ModelOutcome.ANSWERED
        return replace(
            self._answer_without_value(outcome, ""),
            value=value,
            format=format,
            repairs=repairs,
            dropped=corrections.dropped,
            clamped=corrections.clamped,
        )

    def _record_invalid(self, problem: str, *, cut_off: bool) -> None:
        self.last = ModelFailure(
            FailureKind.UNREADABLE, f"{problem}; it was cut off" if cut_off else problem
        )
        self.correction = (
            f"Your last answer was of no use: {problem}. Answer with the JSON object only."
        )

    def _record_support(self, result: ModelReply | ModelFailure) -> None:
        """Note that a form was refused, once another one has at least set the server to work."""
        accepted = isinstance(result, ModelReply) or result.failure_kind in _POSSIBLY_BILLED
        if accepted and self.refused is not None:
            self.client.mark_unsupported(self.refused)

    def _should_retry(self, formats: tuple[AnswerFormat, ...]) -> bool:
        """Say whether to try again, after changing what is tried and after waiting."""
        assert self.last is not None
        failure_kind = self.last.failure_kind
        if self.attempts >= self.client.policy.attempts_max or self._time_left_s() < _TIME_MIN_S:
            return False
        lower = self.level + 1 < len(formats)
        self.server_errors += failure_kind is FailureKind.SERVER_ERROR
        # Some servers answer an unknown form with 500 instead of 400: two, and we believe it.
        unsupported = failure_kind is FailureKind.NOT_UNDERSTOOD or self.server_errors == 2
        if unsupported and lower:
            self.refused = formats[self.level]
            self.level, self.server_errors = self.level + 1, 0
            return True
        if failure_kind is FailureKind.UNREADABLE and not self.retried_invalid:
            self.retried_invalid = True
            # JSON with bad contents shows that the form is known; anything else that it may not be.
            self.level += lower and (self.has_no_json or not self.correction)
            return True
        return failure_kind in _TRANSIENT and self._wait_before_retry()

    def _wait_before_retry(self) -> bool:
        """Wait as long as is fitting; say no where that would take longer than there is time."""
        assert self.last is not None
        policy, timer = self.client.policy, self.client.timer
        wait_s = min(policy.wait_s * 2 ** (self.attempts - 1), policy.wait_max_s)
        wait_s = max(wait_s * (0.5 + 0.5 * timer.jitter()), self.last.retry_after_s or 0.0)
        if wait_s + _TIME_MIN_S > self._time_left_s():
            return False
        timer.sleep(wait_s)
        return True

    def _failed_answer(self) -> ModelAnswer[T]:
        assert self.last is not None
        answer = self._answer_without_value(_OUTCOMES[self.last.failure_kind], self.last.detail)
        return replace(answer, retry_after_s=self.last.retry_after_s)

    def _out_of_budget(self, limit: str) -> ModelAnswer[T]:
        if self.last is None:
            return self._answer_without_value(ModelOutcome.REFUSED_BY_BUDGET, limit)
        return replace(
            self._failed_answer(), detail=f"{self.last.detail}; not tried again: {limit}"
        )

    def _answer_without_value(self, outcome: ModelOutcome, detail: str) -> ModelAnswer[T]:
        """Return an answer without a value."""
        return ModelAnswer(
            outcome=outcome,
            value=None,
            model=self.model,
            prompt=self.prompt.name,
            prompt_version=self.prompt.version,
            attempts=self.attempts,
            usage=self.usage,
            duration_ms=round((self.client.timer.now() - self.began_at) * 1000),
            detail=detail[:_DETAIL_CHARS_MAX],
        )


def tokens_of(text: str) -> int:
    """Estimate the tokens of a text: a quarter of its bytes in UTF-8, rounded up."""
    return -(-len(text.encode("utf-8", "replace")) // 4)


def _tokens_in(request: ModelRequest) -> int:
    return tokens_of(request.system) + tokens_of(request.user)


def _tokens_at_most(request: ModelRequest) -> int:
    return _tokens_in(request) + request.tokens_max


def _usage(request: ModelRequest, result: ModelReply | ModelFailure) -> Usage:
    if isinstance(result, ModelReply):
        written = tokens_of(result.text)
        return result.usage or Usage(_tokens_in(request), written, estimated=True)
    if result.failure_kind in _POSSIBLY_BILLED:
        return Usage(_tokens_in(request), request.tokens_max, estimated=True)
    return Usage()


def _repeats_example(value: Json, prompt: Prompt) -> bool:
    """Say whether an answer hands back a sentence of the prompt's example: small models do."""
    if isinstance(value, dict):
        return any(_repeats_example(item, prompt) for item in value.values())
    if isinstance(value, list):
        return any(_repeats_example(item, prompt) for item in value)
    if not isinstance(value, str) or not (" " in value.strip() or "://" in value):
        return False  # a word of a vocabulary stands in the prompt as well
    return f'"{value}"' in prompt.system


def _problems(error: ValidationError) -> str:
    """Say what is wrong, by key and without the values, which are the user's."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(
        f"{'.'.join(map(str, problem['loc'])) or 'the answer'}: {problem['msg']}"
        for problem in problems[:3]
    )
