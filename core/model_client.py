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

from .model import (
    AnswerFormat,
    Endpoint,
    Failing,
    ModelAnswer,
    ModelFailure,
    ModelOutcome,
    ModelReply,
    ModelRequest,
    T,
    Usage,
)
from .model_answers import Corrections, schema_of
from .model_budget import Budget, Reservation
from .model_patience import Pause, Policy, Timer
from .model_prompts import Prompt
from .model_repair import CUT_OFF, read_object
from .time import Clock, system_clock
from .types import Json

_OUTCOMES = {
    Failing.RATE_LIMITED: ModelOutcome.RATE_LIMITED,
    Failing.QUOTA: ModelOutcome.RATE_LIMITED,
    Failing.NOT_UNDERSTOOD: ModelOutcome.SERVER_ERROR,
    Failing.DENIED: ModelOutcome.SERVER_ERROR,
    Failing.SERVER_ERROR: ModelOutcome.SERVER_ERROR,
    Failing.BUSY: ModelOutcome.SERVER_ERROR,
    Failing.TIMED_OUT: ModelOutcome.TIMED_OUT,
    Failing.UNREACHABLE: ModelOutcome.UNREACHABLE,
    Failing.BROKEN_OFF: ModelOutcome.SERVER_ERROR,
    Failing.UNREADABLE: ModelOutcome.INVALID,
}
#: Where the same request may well succeed a moment later.
_PASSING = frozenset(
    {
        Failing.RATE_LIMITED,
        Failing.SERVER_ERROR,
        Failing.BUSY,
        Failing.BROKEN_OFF,
        Failing.UNREACHABLE,
        Failing.TIMED_OUT,
    }
)
#: Where the server may have worked for us, so that the budget counts the call at its most.
_PERHAPS_PAID = frozenset({Failing.TIMED_OUT, Failing.BROKEN_OFF, Failing.UNREADABLE})
#: Less time than this is not enough for any answer.
_TIME_MIN_S = 0.05
_DETAIL_CHARS_MAX = 300


class ModelClient:
    """Asks one model. Safe to share between threads; see `model.Model` for what `ask` promises."""

    def __init__(
        self,
        endpoint: Endpoint,
        budget: Budget,
        policy: Policy | None = None,
        clock: Clock = system_clock,
        timer: Timer | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.budget = budget
        self.policy = policy or Policy()
        self.clock = clock
        self.timer = timer or Timer()
        self.pause = Pause(self.policy, self.timer.now)
        self._first_format = 0
        self._lock = threading.Lock()

    @property
    def formats(self) -> tuple[AnswerFormat, ...]:
        """The forms of answer to try in turn, without those that the server has refused."""
        with self._lock:
            return self.endpoint.formats[self._first_format :]

    def remember_refused(self, format: AnswerFormat) -> None:
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
        asking = _Asking(self, prompt, words, answer_type, time_limit_s)
        answer = asking.run(at or self.clock())
        if answer.attempts:
            self.pause.note(answer)
        return answer

    def close(self) -> None:
        """Give back connections and threads; asking afterwards is not allowed."""
        self.endpoint.close()


@dataclass(slots=True)
class _Asking(Generic[T]):
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
    remark: str = ""
    formless: bool = False
    asked_again: bool = False
    last: ModelFailure | None = None
    model: str = ""

    def __post_init__(self) -> None:
        self.began_at = self.client.timer.now()
        self.model = self.client.endpoint.model

    def run(self, at: datetime) -> ModelAnswer[T]:
        """Try until there is an answer, or until nothing is left to try."""
        wait_s, outcome = self.client.pause.left()
        if wait_s > 0:
            why = f"not asked: after its last failures the model is left alone for {wait_s:.0f} s"
            return replace(self._without(outcome, why), retry_after_s=wait_s)
        formats = self.client.formats
        while True:
            request = self._request(formats[self.level])
            held = self.client.budget.reserve(at, _tokens_at_most(request))
            if isinstance(held, str):
                return self._out_of_budget(held)
            result = self._send(request, held)
            self._remember(result)
            if isinstance(result, ModelReply):
                answer = self._checked(result, request.format)
                if answer is not None:
                    return answer
            else:
                self.last = result
            if not self._goes_on(formats):
                return self._given_up()

    def _request(self, format: AnswerFormat) -> ModelRequest:
        system, user = self.words
        return ModelRequest(
            system=system,
            user=f"{user}\n\n{self.remark}" if self.remark else user,
            name=self.answer_type.__name__,
            schema=schema_of(self.answer_type),
            format=format,
            tokens_max=self.prompt.tokens_max,
            time_limit_s=max(self._left(), _TIME_MIN_S),
            temperature=self.prompt.temperature,
        )

    def _left(self) -> float:
        return self.began_at + self.time_limit_s - self.client.timer.now()

    def _send(self, request: ModelRequest, held: Reservation) -> ModelReply | ModelFailure:
        self.attempts += 1
        result = self.client.endpoint.send(request)
        usage = _usage(request, result)
        self.client.budget.settle(held, usage.tokens)
        self.usage += usage
        return result

    def _checked(self, reply: ModelReply, format: AnswerFormat) -> ModelAnswer[T] | None:
        """Return the answer in a reply, or None and note what is wrong with it."""
        self.model = reply.model or self.model
        found = read_object(reply.text)
        if found is None:
            self._invalid("the answer holds no JSON object", cut_off=not reply.complete)
            self.formless = True
            return None
        fields, repairs = found
        if _repeats(fields, self.prompt):
            self._invalid("it repeats the example", cut_off=False)
            return None
        corrections = Corrections()
        try:
            value = self.answer_type.model_validate(fields, context=corrections)
        except ValidationError as error:
            self._invalid(_problems(error), cut_off=not reply.complete or CUT_OFF in repairs)
            return None
        outcome = ModelOutcome.REPAIRED if repairs else ModelOutcome.ANSWERED
        return replace(
            self._without(outcome, ""),
            value=value,
            format=format,
            repairs=repairs,
            dropped=corrections.dropped,
            clamped=corrections.clamped,
        )

    def _invalid(self, problem: str, *, cut_off: bool) -> None:
        self.last = ModelFailure(
            Failing.UNREADABLE, f"{problem}; it was cut off" if cut_off else problem
        )
        self.remark = (
            f"Your last answer was of no use: {problem}. Answer with the JSON object only."
        )

    def _remember(self, result: ModelReply | ModelFailure) -> None:
        """Note that a form was refused, once another one has at least set the server to work."""
        taken_up = isinstance(result, ModelReply) or result.failing in _PERHAPS_PAID
        if taken_up and self.refused is not None:
            self.client.remember_refused(self.refused)

    def _goes_on(self, formats: tuple[AnswerFormat, ...]) -> bool:
        """Say whether to try again, after changing what is tried and after waiting."""
        assert self.last is not None
        failing = self.last.failing
        if self.attempts >= self.client.policy.attempts_max or self._left() < _TIME_MIN_S:
            return False
        lower = self.level + 1 < len(formats)
        self.server_errors += failing is Failing.SERVER_ERROR
        # Some servers answer an unknown form with 500 instead of 400: two, and we believe it.
        not_known = failing is Failing.NOT_UNDERSTOOD or self.server_errors == 2
        if not_known and lower:
            self.refused = formats[self.level]
            self.level, self.server_errors = self.level + 1, 0
            return True
        if failing is Failing.UNREADABLE and not self.asked_again:
            self.asked_again = True
            # JSON with bad contents shows that the form is known; anything else that it may not be.
            self.level += lower and (self.formless or not self.remark)
            return True
        return failing in _PASSING and self._waited()

    def _waited(self) -> bool:
        """Wait as long as is fitting; say no where that would take longer than there is time."""
        assert self.last is not None
        policy, timer = self.client.policy, self.client.timer
        wait_s = min(policy.wait_s * 2 ** (self.attempts - 1), policy.wait_max_s)
        wait_s = max(wait_s * (0.5 + 0.5 * timer.jitter()), self.last.retry_after_s or 0.0)
        if wait_s + _TIME_MIN_S > self._left():
            return False
        timer.sleep(wait_s)
        return True

    def _given_up(self) -> ModelAnswer[T]:
        assert self.last is not None
        answer = self._without(_OUTCOMES[self.last.failing], self.last.detail)
        return replace(answer, retry_after_s=self.last.retry_after_s)

    def _out_of_budget(self, limit: str) -> ModelAnswer[T]:
        if self.last is None:
            return self._without(ModelOutcome.REFUSED_BY_BUDGET, limit)
        return replace(self._given_up(), detail=f"{self.last.detail}; not tried again: {limit}")

    def _without(self, outcome: ModelOutcome, detail: str) -> ModelAnswer[T]:
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
    if result.failing in _PERHAPS_PAID:
        return Usage(_tokens_in(request), request.tokens_max, estimated=True)
    return Usage()


def _repeats(value: Json, prompt: Prompt) -> bool:
    """Say whether an answer hands back a sentence of the prompt's example: small models do."""
    if isinstance(value, dict):
        return any(_repeats(part, prompt) for part in value.values())
    if isinstance(value, list):
        return any(_repeats(part, prompt) for part in value)
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
