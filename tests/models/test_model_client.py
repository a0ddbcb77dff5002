"""The client's decisions, over a fake endpoint and a timer that does not wait."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.models.answer_types import DecisionAnswer, EpisodeAnswer
from meridia.models.budget import Budget, BudgetLimits
from meridia.models.model_client import ModelClient, tokens_of
from meridia.models.model_types import (
    AnswerFormat,
    Dialect,
    FailureKind,
    ModelFailure,
    ModelOutcome,
    ModelReply,
    ModelRequest,
    Usage,
)
from meridia.models.prompts import Prompt
from meridia.models.retry_policy import RetryPolicy, Timer

SCHEMA, OBJECT, TEXT = AnswerFormat
PROMPT = Prompt("decision", 4, 100, 'Like {"reason": "one short sentence"}.', "{{context}}")
WORDS = {"context": "make failed"}
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
UNLIMITED = BudgetLimits()
GOOD = ModelReply('{"score": 0.7, "reason": "new"}', "m-1-2026", Usage(20, 10))

Result = ModelReply | ModelFailure


def failed(failure_kind: FailureKind, retry_after_s: float | None = None) -> ModelFailure:
    return ModelFailure(failure_kind, f"it was {failure_kind.value}", retry_after_s)


class Hours:
    """A timer whose time passes only by sleeping and by asking."""

    def __init__(self) -> None:
        self.at = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds

    def timer(self, jitter: float = 1.0) -> Timer:
        return Timer(now=lambda: self.at, sleep=self.sleep, jitter=lambda: jitter)


class FakeEndpoint:
    """Answers by a script; the last result is repeated for ever."""

    model = "m-1"
    formats = Dialect.OPENAI.formats

    def __init__(
        self, results: Iterable[Result] | Callable[[ModelRequest], Result], hours: Hours, takes=0.1
    ):
        self.results = results if callable(results) else list(results)
        self.hours = hours
        self.takes = takes
        self.requests: list[ModelRequest] = []
        self.closed = False

    def send(self, request: ModelRequest) -> Result:
        self.requests.append(request)
        self.hours.at += min(self.takes, request.time_limit_s)
        if callable(self.results):
            return self.results(request)
        return self.results.pop(0) if len(self.results) > 1 else self.results[0]

    def close(self) -> None:
        self.closed = True

    @property
    def asked(self) -> list[AnswerFormat]:
        return [request.format for request in self.requests]


def a_client(results, limits=UNLIMITED, policy=None, takes=0.1, jitter=1.0):
    hours = Hours()
    endpoint = FakeEndpoint(results, hours, takes)
    client = ModelClient(endpoint, Budget(limits), policy, lambda: NOON, hours.timer(jitter))
    return client, endpoint, hours


def ask(client: ModelClient, limit_s: float = 3.5, at: datetime | None = None):
    return client.ask(PROMPT, WORDS, DecisionAnswer, limit_s, at)


def test_a_good_answer_comes_with_what_it_cost():
    client, endpoint, _ = a_client([GOOD])
    answer = ask(client)
    assert answer.value == DecisionAnswer(score=0.7, reason="new")
    assert answer.outcome is ModelOutcome.ANSWERED
    assert (answer.model, answer.prompt, answer.prompt_version) == ("m-1-2026", "decision", 4)
    assert (answer.usage, answer.attempts, answer.format) == (Usage(20, 10), 1, SCHEMA)
    assert answer.duration_ms == 100
    request = endpoint.requests[0]
    assert (request.user, request.tokens_max, request.time_limit_s) == ("make failed", 100, 3.5)
    assert request.schema["properties"]["score"]["type"] == "number"


@pytest.mark.parametrize(
    "failure_kind",
    [
        FailureKind.RATE_LIMITED,
        FailureKind.BUSY,
        FailureKind.BROKEN_OFF,
        FailureKind.UNREACHABLE,
        FailureKind.TIMED_OUT,
    ],
)
def test_what_may_pass_is_tried_again_after_growing_waits(failure_kind):
    client, endpoint, hours = a_client([failed(failure_kind)] * 3 + [GOOD])
    answer = ask(client, 8)
    assert answer.outcome is ModelOutcome.ANSWERED
    assert answer.attempts == 4
    assert hours.slept == [0.25, 0.5, 1.0]
    assert set(endpoint.asked) == {SCHEMA}


@pytest.mark.parametrize(
    ("failure_kind", "outcome", "attempts"),
    [
        (FailureKind.RATE_LIMITED, ModelOutcome.RATE_LIMITED, 4),
        (FailureKind.QUOTA, ModelOutcome.RATE_LIMITED, 1),
        (FailureKind.NOT_UNDERSTOOD, ModelOutcome.SERVER_ERROR, 3),
        (FailureKind.DENIED, ModelOutcome.SERVER_ERROR, 1),
        (FailureKind.SERVER_ERROR, ModelOutcome.SERVER_ERROR, 4),
        (FailureKind.BUSY, ModelOutcome.SERVER_ERROR, 4),
        (FailureKind.TIMED_OUT, ModelOutcome.TIMED_OUT, 4),
        (FailureKind.UNREACHABLE, ModelOutcome.UNREACHABLE, 4),
        (FailureKind.BROKEN_OFF, ModelOutcome.SERVER_ERROR, 4),
        (FailureKind.UNREADABLE, ModelOutcome.INVALID, 2),
    ],
)
def test_a_failure_that_stays_is_named_and_only_tried_where_trying_helps(
    failure_kind, outcome, attempts
):
    client, _, _ = a_client([failed(failure_kind)])
    answer = ask(client, 60)
    assert (answer.outcome, answer.attempts) == (outcome, attempts)
    assert answer.value is None
    assert answer.detail == f"it was {failure_kind.value}"


def test_no_wait_goes_beyond_the_time_limit():
    client, _, hours = a_client([failed(FailureKind.BUSY)], takes=0.4)
    answer = ask(client, 1.0)
    assert answer.outcome is ModelOutcome.SERVER_ERROR
    assert hours.at <= 1.0
    assert answer.attempts == 2


def test_a_wait_that_the_server_asks_for_is_kept():
    client, _, hours = a_client([failed(FailureKind.RATE_LIMITED, 2.0), GOOD])
    assert ask(client).outcome is ModelOutcome.ANSWERED
    assert hours.slept == [2.0]


def test_a_wait_longer_than_the_time_limit_ends_the_question_and_spares_the_server():
    client, endpoint, hours = a_client([failed(FailureKind.RATE_LIMITED, 30.0), GOOD])
    answer = ask(client)
    assert (answer.outcome, answer.attempts) == (ModelOutcome.RATE_LIMITED, 1)
    assert answer.retry_after_s == 30.0
    spared = ask(client)
    assert (spared.outcome, spared.attempts) == (ModelOutcome.RATE_LIMITED, 0)
    assert spared.detail.startswith("not asked: ")
    assert len(endpoint.requests) == 1
    hours.at += 31
    assert ask(client).outcome is ModelOutcome.ANSWERED


def test_a_schema_that_is_refused_is_not_sent_again():
    def knows_no_schema(request: ModelRequest) -> Result:
        return failed(FailureKind.NOT_UNDERSTOOD) if request.format is SCHEMA else GOOD

    client, endpoint, hours = a_client(knows_no_schema)
    first, second = ask(client), ask(client)
    assert (first.format, first.attempts) == (OBJECT, 2)
    assert (second.format, second.attempts) == (OBJECT, 1)
    assert endpoint.asked == [SCHEMA, OBJECT, OBJECT]
    assert hours.slept == []


@pytest.mark.parametrize(
    "bad", [ModelReply('{"score": 7}', "m", Usage(1, 1)), failed(FailureKind.TIMED_OUT)]
)
def test_a_form_that_is_refused_is_remembered_even_where_no_answer_comes_of_the_next(bad):
    def knows_no_schema(request: ModelRequest) -> Result:
        return failed(FailureKind.NOT_UNDERSTOOD) if request.format is SCHEMA else bad

    client, endpoint, _ = a_client(knows_no_schema)
    assert [ask(client).value for _ in range(3)] == [None] * 3
    assert endpoint.asked.count(SCHEMA) == 1


def test_a_server_that_knows_neither_form_is_asked_for_text():
    def knows_text(request: ModelRequest) -> Result:
        return GOOD if request.format is TEXT else failed(FailureKind.NOT_UNDERSTOOD)

    client, endpoint, _ = a_client(knows_text)
    assert [ask(client).format, ask(client).format] == [TEXT, TEXT]
    assert endpoint.asked == [SCHEMA, OBJECT, TEXT, TEXT]


def test_a_server_that_answers_500_to_a_schema_is_believed_the_second_time():
    def breaks_on_schema(request: ModelRequest) -> Result:
        return failed(FailureKind.SERVER_ERROR) if request.format is SCHEMA else GOOD

    client, endpoint, _ = a_client(breaks_on_schema)
    assert ask(client).attempts == 3
    assert ask(client).attempts == 1
    assert endpoint.asked == [SCHEMA, SCHEMA, OBJECT, OBJECT]


def test_one_500_is_no_reason_to_give_up_the_schema():
    client, endpoint, _ = a_client([failed(FailureKind.SERVER_ERROR), GOOD])
    assert ask(client).format is SCHEMA
    assert ask(client).format is SCHEMA
    assert endpoint.asked == [SCHEMA] * 3


def test_a_server_that_refuses_everything_teaches_nothing_about_forms():
    client, _, _ = a_client([failed(FailureKind.NOT_UNDERSTOOD)] * 3 + [GOOD])
    assert ask(client).outcome is ModelOutcome.SERVER_ERROR
    assert ask(client).format is SCHEMA


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        ('Sure! {"score": 0.7, "reason": "new"} Anything else?', ("prose",)),
        ('```json\n{"score": 0.7, "reason": "new"}\n```', ("fence",)),
        ('{"score": 0.7, "reason": "new",}', ("trailing comma",)),
        ('{"score": 0.7, "reason": "new", "mo', ("cut off",)),
    ],
)
def test_a_repaired_answer_says_so(text, repairs):
    client, _, _ = a_client([ModelReply(text, "m", Usage(1, 1))])
    answer = ask(client)
    assert (answer.outcome, answer.repairs) == (ModelOutcome.REPAIRED, repairs)
    assert answer.value == DecisionAnswer(score=0.7, reason="new")


@pytest.mark.parametrize(
    ("text", "problem", "form"),
    [
        ("I do not know.", "the answer holds no JSON object", OBJECT),
        ("", "the answer holds no JSON object", OBJECT),
        ('{"score": 7}', "score: Input should be less than or equal to 1", SCHEMA),
        ('{"reason": "x"}', "score: Field required", SCHEMA),
        ('{"score": 0.5, "reason": "one short sentence"}', "it repeats the example", SCHEMA),
    ],
)
def test_an_answer_of_no_use_is_asked_for_once_more_with_the_reason(text, problem, form):
    client, endpoint, _ = a_client([ModelReply(text, "m", Usage(5, 5)), GOOD])
    answer = ask(client)
    assert answer.outcome is ModelOutcome.ANSWERED
    assert endpoint.asked == [SCHEMA, form]
    assert problem in endpoint.requests[1].user
    assert answer.usage == Usage(25, 15)
    assert ask(client).format is SCHEMA, "a bad answer says nothing about what the server knows"


def test_an_answer_that_stays_of_no_use_is_invalid_and_never_shows_what_was_said():
    client, _, _ = a_client([ModelReply('{"score": "Dana cried"}', "m", Usage(5, 5))])
    answer = ask(client)
    assert (answer.outcome, answer.attempts) == (ModelOutcome.INVALID, 2)
    assert answer.detail.startswith("score: ")
    assert "Dana" not in str(answer.record())


def test_an_answer_that_ran_out_of_tokens_says_so():
    cut = ModelReply('{"topic": "t", "summary": "once upon', "m", Usage(5, 100), complete=False)
    client, _, _ = a_client([cut])
    answer = client.ask(PROMPT, WORDS, EpisodeAnswer, 5)
    assert answer.outcome is ModelOutcome.INVALID
    assert answer.detail.endswith("it was cut off")


def test_tokens_that_the_server_does_not_tell_are_estimated_and_marked():
    client, _, _ = a_client([ModelReply('{"score": 0.5}', "m", None)])
    usage = ask(client).usage
    assert usage.estimated
    assert usage.tokens_in == tokens_of(PROMPT.system) + tokens_of("make failed")
    assert usage.tokens_out == tokens_of('{"score": 0.5}')


@pytest.mark.parametrize(
    ("limits", "name"),
    [
        (BudgetLimits(calls_per_hour=2), "calls_per_hour"),
        (BudgetLimits(calls_per_day=2), "calls_per_day"),
        (BudgetLimits(tokens_per_hour=170), "tokens_per_hour"),
        (BudgetLimits(tokens_per_day=170), "tokens_per_day"),
    ],
)
def test_what_the_budget_refuses_is_not_sent(limits, name):
    client, endpoint, _ = a_client([GOOD], limits)
    outcomes = [ask(client).outcome for _ in range(2)]
    assert outcomes == [ModelOutcome.ANSWERED] * 2
    answer = ask(client)
    assert (answer.outcome, answer.attempts) == (ModelOutcome.REFUSED_BY_BUDGET, 0)
    assert answer.detail.startswith(name)
    assert len(endpoint.requests) == 2


def test_budgets_go_by_the_time_that_is_passed_in():
    client, _, _ = a_client([GOOD], BudgetLimits(calls_per_hour=1))
    times = [NOON, NOON, NOON.replace(hour=13), NOON.replace(hour=13)]
    assert [ask(client, at=at).outcome for at in times] == [
        ModelOutcome.ANSWERED,
        ModelOutcome.REFUSED_BY_BUDGET,
    ] * 2
    assert ask(client).outcome is ModelOutcome.REFUSED_BY_BUDGET, "the client's own clock says noon"


def test_every_attempt_counts_as_a_call():
    client, endpoint, _ = a_client([failed(FailureKind.BUSY)], BudgetLimits(calls_per_hour=2))
    answer = ask(client)
    assert (answer.outcome, answer.attempts) == (ModelOutcome.SERVER_ERROR, 2)
    assert "not tried again: calls_per_hour" in answer.detail
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize(
    "failure_kind", [FailureKind.TIMED_OUT, FailureKind.BROKEN_OFF, FailureKind.UNREADABLE]
)
def test_a_call_that_may_have_cost_something_counts_at_its_most(failure_kind):
    client, _, _ = a_client([failed(failure_kind)], policy=RetryPolicy(attempts_max=1))
    usage = ask(client).usage
    assert usage == Usage(tokens_of(PROMPT.system) + tokens_of("make failed"), 100, estimated=True)
    assert client.budget.spent(NOON)[0].tokens == usage.tokens


@pytest.mark.parametrize(
    "failure_kind", [FailureKind.RATE_LIMITED, FailureKind.DENIED, FailureKind.UNREACHABLE]
)
def test_a_call_that_cannot_have_cost_tokens_costs_none(failure_kind):
    client, _, _ = a_client([failed(failure_kind)], policy=RetryPolicy(attempts_max=1))
    assert ask(client).usage == Usage()
    assert client.budget.spent(NOON)[0].tokens == 0


def test_a_server_that_keeps_failing_is_left_alone_so_that_an_import_ends():
    client, endpoint, hours = a_client([failed(FailureKind.TIMED_OUT)], takes=8.0)
    outcomes = [ask(client, 8.0).outcome for _ in range(100)]
    assert set(outcomes) == {ModelOutcome.TIMED_OUT}
    assert len(endpoint.requests) == 5
    assert hours.at == 40.0


def test_variables_that_do_not_fit_are_the_callers_mistake():
    client, endpoint, _ = a_client([GOOD])
    with pytest.raises(InvalidInput):
        client.ask(PROMPT, {}, DecisionAnswer, 3.5)
    assert endpoint.requests == []


def test_closing_the_client_closes_the_endpoint():
    client, endpoint, _ = a_client([GOOD])
    client.close()
    assert endpoint.closed


results = st.one_of(
    st.builds(
        ModelReply,
        st.text(max_size=30) | st.just('{"score": 0.5}'),
        st.just("m"),
        st.none() | st.builds(Usage, st.integers(0, 50), st.integers(0, 100)),
        st.booleans(),
    ),
    st.builds(
        ModelFailure,
        st.sampled_from([*FailureKind]),
        st.text(max_size=5),
        st.none() | st.floats(0, 10),
    ),
)


@given(st.lists(results, min_size=1, max_size=12), st.floats(0.1, 10), st.floats(0, 1))
def test_whatever_a_server_does_asking_ends_in_time_and_within_the_attempts(
    script, limit_s, jitter
):
    client, endpoint, hours = a_client(script, BudgetLimits(calls_per_hour=20), jitter=jitter)
    while len(endpoint.requests) < len(script):
        before, sent = hours.at, len(endpoint.requests)
        answer = ask(client, limit_s)
        assert hours.at - before <= limit_s + 0.1
        assert answer.attempts == len(endpoint.requests) - sent <= 4
        has_value = answer.outcome in {ModelOutcome.ANSWERED, ModelOutcome.REPAIRED}
        assert (answer.value is not None) == has_value
        assert client.budget.spent(NOON)[0].calls == len(endpoint.requests)
        if answer.attempts == 0:
            assert answer.retry_after_s or answer.outcome is ModelOutcome.REFUSED_BY_BUDGET
            break


@pytest.mark.parametrize("own", [None, 0.0, 0.6])
def test_a_request_has_the_temperature_of_its_prompt_every_time_it_is_sent(own):
    """Feature 125."""
    client, endpoint, _ = a_client([failed(FailureKind.BUSY), GOOD])
    client.ask(replace(PROMPT, temperature=own), WORDS, DecisionAnswer, 3.5)
    assert [request.temperature for request in endpoint.requests] == [own, own]
