"""The decisions around each request of one question: budget, form and size of the answer, retries.

The library (pydantic-ai) sends requests, classifies errors, validates answers and asks once more
where that fails. These hooks add our part: every request has a budget and a time limit, a form that
the server refuses is replaced by a weaker one, and temporary errors are retried after a wait. An
answer is measured after decompression, so that no server fills the memory. Needs the extra `llm`.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Generic, NoReturn, cast

import anyio
import httpx2
from pydantic import ValidationError
from pydantic_ai import ModelRetry, RetryModelRequest, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelRequestTimeout,
    ModelServerError,
    ModelTimeoutError,
    ModelUnavailableError,
    UserError,
)
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryFeedbackPart,
    TextPart,
)
from pydantic_ai.models import ModelRequestContext, ModelRequestParameters
from pydantic_ai.output import OutputContext
from pydantic_ai.settings import ModelSettings

from ..core.types import Json
from .answer_types import CUT_OFF, Corrections, read_object, tidy
from .budget import Budget, Reservation, RetryPolicy
from .model_types import AnswerFormat, ModelAnswer, ModelOutcome, Prompt, T, Usage

#: The largest answer; the longest that a stage asks for is far below.
ANSWER_BYTES_MAX = 4 * 1024 * 1024
#: What is asked for: forms that can be decompressed piece by piece.
ENCODINGS = "gzip, deflate"
_EITHER_HEADER = 47  # for zlib: a header of gzip or of zlib


class AnswerTooLarge(httpx2.RequestError):
    """The server sent more than an answer may be, or in a form that cannot be measured."""


async def limit_size(response: httpx2.Response) -> None:
    """Have the body of a response end with `AnswerTooLarge` where it is too large."""
    coding = response.headers.pop("content-encoding", "identity").strip().lower()
    if coding not in {"identity", "", "gzip", "x-gzip", "deflate"}:
        raise AnswerTooLarge(f"the answer is encoded as {coding!r}, which was not asked for")
    response.headers.pop("content-length", None)
    response.stream = _Limited(response.stream, is_packed=coding not in {"identity", ""})


class _Limited(httpx2.AsyncByteStream):
    """A body, unpacked and no larger than allowed."""

    def __init__(self, sent: Any, *, is_packed: bool) -> None:
        self._sent = sent
        self._unpack = zlib.decompressobj(_EITHER_HEADER) if is_packed else None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = ANSWER_BYTES_MAX
        async for packed in self._sent:
            piece = packed
            if self._unpack is not None:
                try:
                    piece = self._unpack.decompress(packed, left + 1)
                except zlib.error as error:
                    raise httpx2.DecodingError(f"the answer cannot be unpacked: {error}") from None
            left -= len(piece)
            if left < 0:
                raise AnswerTooLarge(f"the answer is larger than {ANSWER_BYTES_MAX:,} bytes")
            yield piece

    async def aclose(self) -> None:
        """Close the connection's stream."""
        await self._sent.aclose()


#: Less time than this is not enough for any answer.
_TIME_MIN_S = 0.05
_CONNECT_S_MAX = 5.0
_DETAIL_CHARS_MAX = 300
#: Never helped by asking in another form.
_DENIED = (ModelContextWindowExceededError, ModelAuthenticationError, ModelNotFoundError)


class QuestionEnded(Exception):
    """There will be no answer; the hooks' `failure` says why."""


@dataclass(frozen=True, slots=True)
class RequestFailure:
    """Why a request brought nothing; `detail` holds no secret and is fit for a trace.

    `passes`: the same request may succeed a moment later. `refuses_form`: the form of answer may be
    why. `billed`: the server may have worked for us, so the request counts at its most.
    """

    outcome: ModelOutcome
    detail: str
    passes: bool = False
    refuses_form: bool = False
    billed: bool = False
    retry_after_s: float | None = None


_NOT_THE_PROTOCOL = RequestFailure(
    ModelOutcome.INVALID, "the server's answer does not speak the protocol", billed=True
)


@dataclass
class RequestHooks(AbstractCapability[Corrections], Generic[T]):
    """One question on its way; `answer` says in the end what came of it and what it cost.

    `question_tokens` estimates what the question sends, `tokens_in` what the last request sent.
    `on_refused_form` is called with a form once another one was accepted by the server.
    """

    prompt: Prompt
    budget: Budget
    policy: RetryPolicy
    formats: tuple[AnswerFormat, ...]
    at: datetime
    time_limit_s: float
    model: str
    question_tokens: int
    redact: Callable[[str], str]
    on_refused_form: Callable[[AnswerFormat], None]
    corrections: Corrections = field(default_factory=Corrections)
    failure: RequestFailure = _NOT_THE_PROTOCOL
    usage: Usage = field(default_factory=Usage)
    attempts: int = 0
    tokens_in: int = 0
    repairs: tuple[str, ...] = ()
    began_at: float = field(default_factory=time.monotonic)
    _level: int = 0
    _server_errors: int = 0
    _unreadable: int = 0
    _refused: AnswerFormat | None = None
    _cut_off: bool = False
    _reservation: Reservation | None = None

    def time_left_s(self) -> float:
        """Return the rest of the time limit in seconds, below 0 when it is over."""
        return self.began_at + self.time_limit_s - time.monotonic()

    async def prepare_model_request(
        self, ctx: RunContext[Corrections], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Reserve a place in the budget, and set the time limit and the form of answer."""
        if self.attempts and not self._may_ask_again():
            raise QuestionEnded
        # A bad answer is not sent back: small models repeat it, and it costs tokens.
        messages: list[ModelMessage] = [
            message for message in request_context.messages if isinstance(message, ModelRequest)
        ]
        pieces = [piece for message in messages for piece in message.parts]
        corrections = [piece for piece in pieces if isinstance(piece, RetryFeedbackPart)]
        self.tokens_in = self.question_tokens + sum(
            tokens_of(piece.model_response()) for piece in corrections
        )
        reservation = self.budget.reserve(self.at, self.tokens_in + self.prompt.tokens_max)
        if isinstance(reservation, str):
            self._end_without_budget(reservation)
        self._reservation = reservation
        self.attempts += 1
        settings = {**(request_context.model_settings or {}), **self._time_limits()}
        parameters = request_context.model_request_parameters
        return replace(
            request_context,
            messages=messages,
            model_settings=cast("ModelSettings", settings),
            model_request_parameters=_in_form(parameters, self.formats[self._level]),
        )

    async def after_model_request(
        self,
        ctx: RunContext[Corrections],
        *,
        request_context: ModelRequestContext,
        response: ModelResponse,
    ) -> ModelResponse:
        """Count what the answer cost, and pass on the JSON object in it."""
        # Some servers write null for a text.
        text = "".join(
            piece.content or "" for piece in response.parts if isinstance(piece, TextPart)
        )
        usage = response.usage
        self._count(
            Usage(usage.input_tokens, usage.output_tokens)
            if usage.input_tokens > 0
            else Usage(self.tokens_in, tokens_of(text), estimated=True)
        )
        self._note_form()
        self.model = response.model_name or self.model
        self._cut_off = response.finish_reason == "length"
        parsed = read_object(text)
        if parsed is None:
            # Bad contents show that the form is known; no JSON at all that it may not be.
            self._weaken_form()
            self._ask_once_more("the answer does not hold a JSON object")
        fields, self.repairs = parsed
        self._cut_off |= CUT_OFF in self.repairs
        if _repeats_example(fields, self.prompt):
            self._ask_once_more("it repeats the example", mark_cut_off=False)
        return replace(response, parts=[TextPart(json.dumps(fields))])

    async def on_output_validate_error(
        self,
        ctx: RunContext[Corrections],
        *,
        output_context: OutputContext,
        output: str | dict[str, Any],
        error: ValidationError | ModelRetry,
    ) -> NoReturn:
        """Have an answer that does not fit its type asked for again, with the reason."""
        self.corrections.dropped = self.corrections.clamped = 0
        self._ask_once_more(_problems(error) if isinstance(error, ValidationError) else str(error))

    async def on_model_request_error(
        self,
        ctx: RunContext[Corrections],
        *,
        request_context: ModelRequestContext,
        error: Exception,
    ) -> ModelResponse:
        """Name what went wrong, and try again where that may help."""
        failure = failure_of(error, self.redact)
        # Where little time was left for a further try, what failed before it says more.
        if self.attempts == 1 or failure.outcome is not ModelOutcome.TIMED_OUT:
            self.failure = failure
        billed = Usage(self.tokens_in, self.prompt.tokens_max, estimated=True)
        self._count(billed if failure.billed else Usage())
        if failure.billed:
            self._note_form()
        if await self._should_retry(error):
            raise RetryModelRequest
        raise QuestionEnded

    def answer(self, value: T | None) -> ModelAnswer[T]:
        """Return what came of the question; without a value it is the last failure."""
        outcome, failure = ModelOutcome.ANSWERED, self.failure
        if value is None:
            outcome = failure.outcome
        elif self.repairs:
            outcome = ModelOutcome.REPAIRED
        answered = value is not None
        return ModelAnswer(
            outcome=outcome,
            value=value,
            model=self.model,
            prompt=self.prompt.name,
            prompt_version=self.prompt.version,
            format=self.formats[self._level] if answered else None,
            attempts=self.attempts,
            usage=self.usage,
            duration_ms=round((time.monotonic() - self.began_at) * 1000),
            repairs=self.repairs if answered else (),
            dropped=self.corrections.dropped if answered else 0,
            clamped=self.corrections.clamped if answered else 0,
            detail="" if answered else failure.detail[:_DETAIL_CHARS_MAX],
            retry_after_s=None if answered else failure.retry_after_s,
        )

    def _time_limits(self) -> ModelSettings:
        limit_s = max(self.time_left_s(), _TIME_MIN_S)
        whole = httpx2.Timeout(limit_s, connect=min(limit_s / 2, _CONNECT_S_MAX))
        return ModelSettings(request_timeout=limit_s, timeout=cast("float", whole))

    def _count(self, usage: Usage) -> None:
        assert self._reservation is not None
        self.budget.reconcile(self._reservation, usage.tokens)
        self.usage += usage

    def _end_without_budget(self, limit: str) -> NoReturn:
        if self.attempts:
            detail = f"{self.failure.detail}; not tried again: {limit}"
            self.failure = replace(self.failure, detail=detail)
        else:
            self.failure = RequestFailure(ModelOutcome.REFUSED_BY_BUDGET, limit)
        raise QuestionEnded

    def _ask_once_more(self, problem: str, *, mark_cut_off: bool = True) -> NoReturn:
        """Have the library ask again, as often as it is set up to."""
        detail = f"{problem}; it was cut off" if mark_cut_off and self._cut_off else problem
        self.failure = RequestFailure(ModelOutcome.INVALID, detail)
        raise ModelRetry(f"{problem}. Answer with the JSON object only.")

    def _note_form(self) -> None:
        if self._refused is not None:
            self.on_refused_form(self._refused)

    def _weaken_form(self) -> bool:
        lower = self._level + 1 < len(self.formats)
        self._level += lower
        return lower

    def _may_ask_again(self) -> bool:
        return self.attempts < self.policy.attempts_max and self.time_left_s() >= _TIME_MIN_S

    async def _should_retry(self, error: Exception) -> bool:
        """Return whether to try again, after changing what is tried and after waiting."""
        if not self._may_ask_again():
            return False
        form = self.formats[self._level]
        self._server_errors += isinstance(error, ModelHTTPError) and error.status_code == 500
        # Some servers answer an unknown form with 500 instead of 400: two, and we believe it.
        if (self.failure.refuses_form or self._server_errors == 2) and self._weaken_form():
            self._refused, self._server_errors = form, 0
            return True
        if self.failure.outcome is ModelOutcome.INVALID:
            self._unreadable += 1
            self._weaken_form()
            return self._unreadable == 1
        if not self.failure.passes:
            return False
        wait_s = self.policy.wait_before(self.attempts, self.failure.retry_after_s)
        if wait_s + _TIME_MIN_S > self.time_left_s():
            return False
        await anyio.sleep(wait_s)
        return True


def _in_form(parameters: ModelRequestParameters, form: AnswerFormat) -> ModelRequestParameters:
    if form is AnswerFormat.JSON_SCHEMA:
        return parameters
    # The prompt shows the shape itself: nothing is said about it in the library's words.
    if form is AnswerFormat.JSON_OBJECT:
        return replace(parameters, output_mode="prompted", prompted_output_template=False)
    return replace(parameters, output_mode="text", output_object=None)


def failure_of(error: Exception, redact: Callable[[str], str] = str) -> RequestFailure:
    """Say what an error of the library means, in words that `redact` has freed of secrets."""
    if isinstance(error, ModelRequestTimeout):
        detail = f"no answer within {error.timeout:.1f} s"
        return RequestFailure(ModelOutcome.TIMED_OUT, detail, passes=True, billed=True)
    if isinstance(error, ModelConnectionError):
        return _connection_failure(error)
    if isinstance(error, UserError):
        detail = "the library does not serve this model that way"
        return RequestFailure(ModelOutcome.SERVER_ERROR, detail, refuses_form=True)
    if not isinstance(error, ModelHTTPError):
        return _NOT_THE_PROTOCOL
    message = tidy(redact(_message(error.body)), 160)
    limited = isinstance(error, (ModelRateLimitError, ModelQuotaExceededError))
    rejected = isinstance(error, ModelRequestRejectedError) and not isinstance(error, _DENIED)
    return RequestFailure(
        ModelOutcome.RATE_LIMITED if limited else ModelOutcome.SERVER_ERROR,
        f"the server answered {error.status_code}" + (f": {message}" if message else ""),
        passes=isinstance(error, (ModelRateLimitError, ModelUnavailableError, ModelServerError)),
        refuses_form=rejected,
        retry_after_s=error.retry_after,
    )


def _connection_failure(error: ModelAPIError) -> RequestFailure:
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, AnswerTooLarge):
        cause = cause.__cause__
    if cause is not None:
        return RequestFailure(ModelOutcome.INVALID, str(cause), billed=True)
    if isinstance(error, ModelConnectionError) and error.phase in {"pool", "connect"}:
        unreachable = ModelOutcome.UNREACHABLE
        return RequestFailure(unreachable, "no connection to the server", passes=True)
    if isinstance(error, ModelTimeoutError):
        outcome, detail = ModelOutcome.TIMED_OUT, "the server stopped answering"
    else:
        outcome = ModelOutcome.SERVER_ERROR
        detail = "the connection closed before the answer was whole"
    return RequestFailure(outcome, detail, passes=True, billed=True)


def _message(body: Any) -> str:
    """Return the sentence in the body of an error, as servers variously wrap it."""
    while isinstance(body, dict):
        body = body.get("error") or body.get("message") or body.get("detail")
    return body if isinstance(body, str) else ""


def tokens_of(text: str) -> int:
    """Estimate the tokens of a text: a quarter of its bytes in UTF-8, rounded up."""
    return -(-len(text.encode("utf-8", "replace")) // 4)


def _repeats_example(value: Json, prompt: Prompt) -> bool:
    """Return whether an answer hands back a sentence of the prompt's example: small models do."""
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
