"""The client's decisions, over a server that answers as scripted."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from meridia.core.errors import InvalidInput
from meridia.core.settings import ModelSettings
from meridia.models.answer_types import DecisionAnswer, SessionAnswer
from meridia.models.budget import RetryPolicy
from meridia.models.model_client import ModelClient
from meridia.models.model_factory import open_model
from meridia.models.model_types import AnswerFormat, ModelAnswer, ModelOutcome, Prompt, Usage
from meridia.models.request_hooks import tokens_of
from tests.model_server import ModelServer, Received, Reply, model_server
from tests.thorough import THOROUGH

SCHEMA, OBJECT, TEXT = AnswerFormat
PROMPT = Prompt("decision", 4, 100, 'Like {"reason": "one short sentence"}.', "{{context}}")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
GOOD = Reply('{"score": 0.7, "reason": "new"}')
REFUSED = Reply("what is that?", status=400)
QUICK = RetryPolicy(wait_s=0.01, wait_max_s=0.02, pause_after=0)
UNLIMITED = dict.fromkeys(
    ("calls_per_hour", "calls_per_day", "tokens_per_hour", "tokens_per_day"), 10**9
)

Opener = Callable[..., ModelClient]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        running.by_rule = lambda request: GOOD
        yield running


@pytest.fixture
def opened(server: ModelServer) -> Iterator[Opener]:
    clients: list[ModelClient] = []

    def open_(policy: RetryPolicy = QUICK, **limits: int) -> ModelClient:
        address = {"dialect": "openai", "name": "m-1", "base_url": f"{server.origin}/v1"}
        settings = ModelSettings(**address, **{**UNLIMITED, **limits})
        clients.append(open_model(settings, policy=policy, clock=lambda: NOON))
        return clients[-1]

    yield open_
    for client in clients:
        client.close()


@pytest.fixture
def client(opened: Opener) -> ModelClient:
    return opened()


def ask(client: ModelClient, limit_s: float = 10, at: datetime | None = None):
    return client.ask(PROMPT, {"context": "make failed"}, DecisionAnswer, limit_s, at)


def refuse(server: ModelServer, *forms: AnswerFormat, otherwise: Reply = GOOD) -> None:
    server.by_rule = lambda request: REFUSED if request.format in forms else otherwise


@pytest.mark.parametrize(
    "bad", [Reply('{"score": 7}'), Reply(wait_s=5)], ids=["a bad answer", "none in time"]
)
def test_a_form_that_is_refused_is_remembered_even_where_no_answer_comes_of_the_next(
    client, server, bad
):
    refuse(server, SCHEMA, otherwise=bad)
    assert [ask(client, 0.5).value for _ in range(2)] == [None, None]
    assert server.formats.count(SCHEMA) == 1


def test_a_server_that_knows_neither_form_is_asked_for_text(client, server):
    refuse(server, SCHEMA, OBJECT)
    assert [ask(client).format, ask(client).format] == [TEXT, TEXT]
    assert server.formats == [SCHEMA, OBJECT, TEXT, TEXT]


def test_a_server_that_refuses_everything_teaches_nothing_about_forms(client, server):
    server.will(REFUSED, REFUSED, REFUSED)
    assert ask(client).outcome is ModelOutcome.SERVER_ERROR
    assert ask(client).format is SCHEMA


@pytest.mark.parametrize(
    ("text", "problem", "form"),
    [
        ("I do not know.", "the answer does not hold a JSON object", OBJECT),
        ("", "the answer does not hold a JSON object", OBJECT),
        ('{"score": 7}', "score: Input should be less than or equal to 1", SCHEMA),
        ('{"reason": "x"}', "score: Field required", SCHEMA),
        ('{"score": 0.5, "reason": "one short sentence"}', "it repeats the example", SCHEMA),
    ],
)
def test_an_answer_of_no_use_is_asked_for_once_more_with_the_reason(
    client, server, text, problem, form
):
    server.will(Reply(text))
    answer = ask(client)
    assert answer.value == DecisionAnswer(score=0.7, reason="new")
    assert answer.outcome is ModelOutcome.ANSWERED
    assert server.formats == [SCHEMA, form]
    assert problem in server.received[1].words
    assert {one["role"] for one in server.received[1].body["messages"]} == {"system", "user"}
    assert answer.usage == Usage(22, 14)
    assert ask(client).format is SCHEMA, "a bad answer says nothing about what the server knows"


def test_an_answer_that_stays_of_no_use_is_invalid_and_never_shows_what_was_said(client, server):
    server.by_rule = lambda request: Reply('{"score": "Dana cried"}')
    answer = ask(client)
    assert (answer.outcome, answer.attempts) == (ModelOutcome.INVALID, 2)
    assert answer.detail.startswith("score: ")
    assert "Dana" not in str(answer.record())


def test_an_answer_that_ran_out_of_tokens_says_so(client, server):
    server.by_rule = lambda request: Reply('{"topic": "t", "summary": "once', finish="length")
    answer = client.ask(PROMPT, {"context": "x"}, SessionAnswer, 5)
    assert answer.outcome is ModelOutcome.INVALID
    assert answer.detail.endswith("it was cut off")


def test_tokens_that_the_server_does_not_tell_are_estimated_and_marked(client, server):
    server.will(Reply('{"score": 0.5}', usage=False))
    usage = ask(client).usage
    assert usage.estimated
    assert usage.tokens_in == tokens_of(PROMPT.system) + tokens_of("make failed")
    assert usage.tokens_out == tokens_of('{"score": 0.5}')


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("calls_per_hour", 2),
        ("calls_per_day", 2),
        ("tokens_per_hour", 145),
        ("tokens_per_day", 145),
    ],
)
def test_what_the_budget_refuses_is_not_sent(opened, server, name, limit):
    client = opened(**{name: limit})
    assert [ask(client).outcome for _ in range(2)] == [ModelOutcome.ANSWERED] * 2
    answer = ask(client)
    assert (answer.outcome, answer.attempts) == (ModelOutcome.REFUSED_BY_BUDGET, 0)
    assert answer.detail.startswith(name)
    assert len(server.received) == 2


def test_budgets_go_by_the_time_that_is_passed_in(opened):
    client = opened(calls_per_hour=1)
    times = [NOON, NOON, NOON.replace(hour=13), NOON.replace(hour=13)]
    assert [ask(client, at=at).outcome for at in times] == [
        ModelOutcome.ANSWERED,
        ModelOutcome.REFUSED_BY_BUDGET,
    ] * 2
    assert ask(client).outcome is ModelOutcome.REFUSED_BY_BUDGET, "the client's own clock says noon"


def test_every_attempt_counts_as_a_call(opened, server):
    server.by_rule = lambda request: Reply(status=503)
    answer = ask(opened(calls_per_hour=2))
    assert (answer.outcome, answer.attempts) == (ModelOutcome.SERVER_ERROR, 2)
    assert "not tried again: calls_per_hour" in answer.detail
    assert len(server.received) == 2


@pytest.mark.parametrize(
    ("reply", "tokens_out"),
    [
        (Reply(drop=True), 100),
        (Reply(raw="<html>"), 100),
        (Reply(status=429), 0),
        (Reply(status=401), 0),
    ],
)
def test_a_call_that_may_have_cost_something_counts_at_its_most(opened, server, reply, tokens_out):
    server.will(reply)
    client = opened(RetryPolicy(attempts_max=1))
    usage = ask(client).usage
    assert (usage.tokens_out, usage.estimated) == (tokens_out, tokens_out > 0)
    assert client.budget.spent(NOON)[0].tokens == usage.tokens


def test_a_server_that_keeps_failing_is_not_asked_so_that_an_import_ends(opened, server):
    server.by_rule = lambda request: Reply(status=401)
    client = opened(RetryPolicy())
    answers = [ask(client) for _ in range(20)]
    assert {answer.outcome for answer in answers} == {ModelOutcome.SERVER_ERROR}
    assert len(server.received) == 5
    assert (answers[-1].attempts, answers[-1].detail[:9]) == (0, "not asked")


def test_a_further_try_without_time_does_not_hide_what_failed_first(client, server):
    server.will(Reply(status=503))
    server.by_rule = lambda request: Reply(wait_s=5)
    answer = ask(client, 1)
    assert (answer.outcome, answer.attempts) == (ModelOutcome.SERVER_ERROR, 2)
    assert answer.usage.estimated


def test_variables_that_do_not_fit_are_the_callers_mistake(client, server):
    with pytest.raises(InvalidInput):
        client.ask(PROMPT, {}, DecisionAnswer, 3.5)
    assert server.received == []


def a_reply(chance: random.Random) -> Reply:
    text = chance.choice(["", "no", "[1]", '{"score": 3}', '{"score": 0.5', json.dumps("x")])
    status = chance.choice([200, 200, 200, 307, 400, 401, 408, 429, 500, 501, 503, 529])
    return Reply(
        chance.choice([text, text, None, GOOD.text]),
        status=status,
        headers=chance.choice([{}, {}, {"retry-after": "9"}, {"retry-after": "x"}]),
        cut=chance.random() < 0.1,
        drop=chance.random() < 0.1,
        raw=chance.choice([None] * 5 + ["", "[]", "{}"]),
        usage=chance.random() < 0.5,
        finish=chance.choice([None, "length", "content_filter", "odd"]),
        empty=chance.random() < 0.1,
        wait_s=chance.choice([0, 0, 0, 0.6]),
    )


def test_whatever_a_server_does_asking_ends_in_time_and_within_the_attempts(opened, server):
    chance = random.Random(7)

    def rule(request: Received) -> Reply:
        return a_reply(chance)

    server.by_rule = rule
    for _ in range(40 if THOROUGH else 12):
        client = opened()
        sent, began = len(server.received), time.monotonic()
        answer: ModelAnswer[DecisionAnswer] = ask(client, 0.5)
        assert time.monotonic() - began < 2
        assert answer.attempts == len(server.received) - sent <= 4
        has_value = answer.outcome in {ModelOutcome.ANSWERED, ModelOutcome.REPAIRED}
        assert (answer.value is not None) == has_value
        assert client.budget.spent(NOON)[0].calls == answer.attempts
        client.close()
