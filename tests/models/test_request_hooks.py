"""Asking over real HTTP, in both protocols, a server that answers in every bad way there is."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from meridia.core.errors import InvalidInput
from meridia.core.settings import ModelSettings
from meridia.models.answer_types import Emotion, PhenomenologyAnswer
from meridia.models.budget import RetryPolicy
from meridia.models.model_client import ModelClient
from meridia.models.model_factory import open_model
from meridia.models.model_types import AnswerFormat, ModelAnswer, ModelOutcome, Usage, load
from meridia.models.request_hooks import tokens_of
from tests.model_server import ModelServer, Received, Reply, model_server

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
KEY = "mk-3f9a-not-for-anyone"
PROMPT = load("phenomenology")
WORDS = {
    "happened": "bash",
    "failed": "yes",
    "significance": "0.6",
    "context": "make: sqlite3.h: No such file",
}
FELT = '{"emotionalSignature": {"primary": ["curious"], "intensity": 0.4}}'
GOOD = Reply(FELT)
#: Quick tries, no pauses: pauses have tests of their own.
POLICY = RetryPolicy(wait_s=0.02, wait_max_s=0.05, pause_after=0)

#: A budget that never ends.
UNLIMITED = dict.fromkeys(
    ("calls_per_hour", "calls_per_day", "tokens_per_hour", "tokens_per_day"), 10**9
)

Opener = Callable[..., ModelClient]


@pytest.fixture(params=["openai", pytest.param("anthropic", marks=pytest.mark.thorough)])
def dialect(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def opened(dialect: str, server: ModelServer) -> Iterator[Opener]:
    """Open clients of the server, and close them in the end."""
    clients: list[ModelClient] = []

    def open_(origin: str = "", **limits: int) -> ModelClient:
        path = "/v1" if dialect == "openai" else ""
        settings = ModelSettings(
            dialect=dialect,
            name="m-1",
            base_url=(origin or server.origin) + path,
            api_key=SecretStr(KEY),
            **{**UNLIMITED, **limits},
        )
        client = open_model(settings, policy=POLICY, clock=lambda: NOON)
        clients.append(client)
        return client

    yield open_
    for client in clients:
        client.close()


@pytest.fixture
def client(opened: Opener) -> ModelClient:
    return opened()


def ask(client: ModelClient, limit_s: float = 20.0) -> ModelAnswer[PhenomenologyAnswer]:
    return client.ask(PROMPT, WORDS, PhenomenologyAnswer, limit_s)


def felt(answer: ModelAnswer[PhenomenologyAnswer]) -> bool:
    """Say whether the value is that of `FELT`."""
    value = answer.value
    return value is not None and value.emotional_signature.primary == (Emotion.CURIOUS,)


def test_a_good_answer_arrives_checked_and_counted(client, server):
    server.will(GOOD)
    answer = ask(client)
    assert answer.outcome is ModelOutcome.ANSWERED
    assert felt(answer)
    assert answer.usage == Usage(11, 7)
    assert (answer.model, answer.attempts) == ("scripted-1", 1)
    assert (answer.prompt, answer.prompt_version) == ("phenomenology", PROMPT.version)
    assert answer.format is AnswerFormat.JSON_SCHEMA


def test_the_server_is_told_the_prompt_the_model_and_the_most_tokens(client, server, dialect):
    server.will(GOOD)
    ask(client)
    received = server.received[0]
    assert received.body["model"] == "m-1"
    assert received.body["max_tokens"] == PROMPT.tokens_max
    assert "sqlite3.h: No such file" in received.words
    assert "one to three of curious, focused" in received.words
    paths = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}
    assert received.path.partition("?")[0] == paths[dialect]


def test_the_server_learns_nothing_else(client, server):
    server.will(GOOD)
    ask(client)
    assert set(server.received[0].headers) <= set(
        "host accept accept-encoding connection content-type content-length authorization"
        " x-api-key anthropic-version user-agent".split()
    )
    assert server.received[0].headers["user-agent"] == "meridia"


def test_keys_and_headers_of_the_environment_go_nowhere(opened, server, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "of-the-environment")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "of-the-environment")
    for name in ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"):
        monkeypatch.setenv(
            name, "authorization: of-the-environment\nx-api-key: of-the-environment\nx-more: it"
        )
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    server.will(GOOD)
    assert felt(ask(opened()))
    headers = server.received[0].headers
    assert "of-the-environment" not in str(headers)
    assert "x-more" not in headers
    assert KEY in str(headers)


def test_a_proxy_of_the_environment_is_not_asked_about_this_machine(opened, server, monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    server.will(GOOD)
    assert felt(ask(opened()))


def test_a_proxy_of_the_environment_is_asked_about_other_machines(opened, server, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, server.origin)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    server.will(GOOD)
    assert felt(ask(opened(origin="http://models.invalid")))
    assert server.received[0].headers["host"] == "models.invalid"


def test_429_waits_as_long_as_the_server_says(client, server):
    server.will(Reply(status=429, headers={"retry-after": "1"}), GOOD)
    began = time.monotonic()
    answer = ask(client)
    assert felt(answer)
    assert answer.attempts == 2
    assert time.monotonic() - began >= 1.0


def test_429_with_a_wait_beyond_the_limit_ends_the_question_at_once(client, server):
    server.will(Reply(status=429, headers={"retry-after": "120"}))
    answer = ask(client, 3.5)
    assert (answer.outcome, answer.attempts) == (ModelOutcome.RATE_LIMITED, 1)
    assert answer.retry_after_s == 120
    assert ask(client).attempts == 0
    assert len(server.received) == 1


@pytest.mark.parametrize("status", [500, 502, 503, 504, 529])
def test_a_passing_error_is_tried_again(client, server, status):
    server.will(Reply(status=status), GOOD)
    answer = ask(client)
    assert felt(answer)
    assert (answer.attempts, answer.format) == (2, AnswerFormat.JSON_SCHEMA)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_an_error_that_stays_is_not_tried_again(client, server, status):
    server.will(Reply("no such model", status=status))
    answer = ask(client)
    assert (answer.outcome, answer.attempts) == (ModelOutcome.SERVER_ERROR, 1)
    assert answer.detail == f"the server answered {status}: no such model"


@pytest.mark.parametrize(
    "slow", [Reply(wait_s=9), Reply(FELT + " " * 900, drip_s=0.1)], ids=["silent", "in drips"]
)
def test_a_slow_server_is_given_up_at_the_time_limit(client, server, slow):
    server.will(slow)
    began = time.monotonic()
    answer = ask(client, 0.5)
    assert time.monotonic() - began < 3.0
    assert answer.outcome is ModelOutcome.TIMED_OUT
    assert answer.usage.estimated
    assert answer.usage.tokens_out == PROMPT.tokens_max


def test_half_an_answer_is_asked_for_again(client, server):
    server.will(Reply(FELT, cut=True), GOOD)
    answer = ask(client)
    assert felt(answer)
    assert answer.attempts == 2
    assert answer.usage.estimated, "nobody knows what the first half cost"


def test_half_answers_without_end_are_the_servers_fault(client, server):
    server.by_rule = lambda request: Reply(FELT, cut=True)
    answer = ask(client)
    assert (answer.outcome, answer.attempts) == (ModelOutcome.SERVER_ERROR, 4)
    assert "before the answer was whole" in answer.detail


def test_a_connection_that_closes_at_once_is_tried_again(client, server):
    server.will(Reply(drop=True), GOOD)
    assert felt(ask(client))


def test_where_nobody_listens_the_model_is_unreachable(opened, server):
    with model_server() as gone:
        origin = gone.origin
    answer = ask(opened(origin=origin))
    assert (answer.outcome, answer.attempts) == (ModelOutcome.UNREACHABLE, 4)
    assert answer.usage == Usage()


@pytest.mark.parametrize(
    ("text", "repair"),
    [
        (f"Here is what I felt:\n\n{FELT}\n\nShall I go on?", "prose"),
        (f"```json\n{FELT}\n```", "fence"),
        (f"{FELT[:-1]},}}", "trailing comma"),
        (f'{FELT[:-1]}, "uncertainties": ["why', "cut off"),
    ],
)
def test_what_stands_around_the_json_is_put_right(client, server, text, repair):
    server.will(Reply(text))
    answer = ask(client)
    assert felt(answer)
    assert (answer.outcome, answer.repairs) == (ModelOutcome.REPAIRED, (repair,))
    assert answer.attempts == 1


def test_values_out_of_range_and_words_out_of_the_vocabulary_are_put_right_and_counted(
    client, server
):
    server.will(
        Reply(
            '{"emotionalSignature": {"primary": ["curious", "gleeful"], "intensity": 11,'
            ' "valence": -4, "texture": "soft"}, "engagementQuality": "asleep"}'
        )
    )
    answer = ask(client)
    assert answer.outcome is ModelOutcome.ANSWERED
    assert felt(answer)
    assert (answer.dropped, answer.clamped) == (3, 2)
    signature = answer.value.emotional_signature
    assert (signature.intensity, signature.valence) == (1.0, -1.0)


BAD_BODIES = {
    "no choices": Reply(empty=True),
    "html": Reply(raw="<html>Sign in</html>", content_type="text/html"),
    "text that is no json": Reply(raw="oops"),
    "an error with status 200": Reply(raw='{"error": {"message": "overloaded"}}'),
    "a list": Reply(raw="[1, 2]"),
    "null": Reply(raw="null"),
    "nothing": Reply(raw=""),
    "text of null": Reply(None),
    "bytes that are no text": Reply(raw="\udcff\udcfe"),
}


@pytest.mark.parametrize("bad", BAD_BODIES.values(), ids=BAD_BODIES)
def test_a_body_that_is_no_answer_is_invalid_and_asked_for_once_more(client, server, bad):
    server.will(bad, bad)
    answer = ask(client)
    assert (answer.outcome, answer.attempts) == (ModelOutcome.INVALID, 2)
    server.will(bad, GOOD)
    assert felt(ask(client))


def test_a_good_body_under_a_wrong_content_type_is_read_all_the_same(client, server):
    server.will(Reply(FELT, content_type="text/plain; charset=utf-8"))
    assert felt(ask(client))


@pytest.mark.parametrize("status", [400, 422, 500])
def test_a_server_that_refuses_schemas_is_asked_in_another_form_from_then_on(
    client, server, status
):
    def refuse(request: Received) -> Reply:
        schema = request.format == AnswerFormat.JSON_SCHEMA
        return Reply("json_schema is not supported", status=status) if schema else GOOD

    server.by_rule = refuse
    below = client.formats[1]
    first, second = ask(client), ask(client)
    assert felt(first)
    assert felt(second)
    assert first.format is second.format is below
    assert first.attempts == (3 if status == 500 else 2)
    assert second.attempts == 1
    assert server.formats[-1] == ("text" if below is AnswerFormat.TEXT else "json_object")


def test_a_redirect_is_not_followed_and_takes_no_key_along(client, server):
    with model_server() as elsewhere:
        server.will(Reply(status=307, headers={"location": f"{elsewhere.origin}/v1/messages"}))
        answer = ask(client)
    assert answer.value is None
    assert elsewhere.received == []


@pytest.mark.parametrize("limits", [{"calls_per_hour": 3}, {"calls_per_day": 3}])
def test_a_budget_of_calls_is_kept_by_many_threads_at_once(opened, server, limits):
    server.by_rule = lambda request: GOOD
    client = opened(**limits)
    with ThreadPoolExecutor(8) as threads:
        outcomes = [answer.outcome for answer in threads.map(lambda _: ask(client), range(16))]
    assert len(server.received) == 3
    assert outcomes.count(ModelOutcome.ANSWERED) == 3
    assert outcomes.count(ModelOutcome.REFUSED_BY_BUDGET) == 13


@pytest.mark.parametrize(
    "name", ["tokens_per_hour", pytest.param("tokens_per_day", marks=pytest.mark.thorough)]
)
def test_a_budget_of_tokens_is_kept_by_many_threads_at_once(opened, server, name):
    server.by_rule = lambda request: GOOD
    most = sum(map(tokens_of, PROMPT.fill(WORDS))) + PROMPT.tokens_max
    client = opened(**{name: 3 * most})
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: ask(client), range(30)))
    while ask(client).outcome is ModelOutcome.ANSWERED:
        continue
    spent = client.budget.spent(NOON)[0].tokens
    assert spent == 18 * len(server.received)
    assert 2 * most < spent <= 3 * most


def test_many_threads_share_one_client_without_mixing_up_answers(client, server):
    def echo(request: Received) -> Reply:
        said = request.words.partition("number ")[2][:3]
        return Reply(f'{{"uncertainties": ["{said}"]}}', wait_s=0.01)

    server.by_rule = echo

    def numbered(number: int) -> bool:
        words = {**WORDS, "context": f"number {number:03d}"}
        value = client.ask(PROMPT, words, PhenomenologyAnswer, 20).value
        return value is not None and value.uncertainties == (f"{number:03d}",)

    with ThreadPoolExecutor(6) as threads:
        assert all(threads.map(numbered, range(60)))


def test_the_key_shows_up_nowhere(opened, server, caplog):
    caplog.set_level(logging.DEBUG)
    client = opened()
    replies = [
        GOOD,
        Reply(f"bad key {KEY} in header", status=401),
        Reply(raw=f"<p>{KEY}</p>", content_type="text/html", status=500),
        Reply(f'{{"score": "{KEY}"}}'),
        *BAD_BODIES.values(),
    ]
    seen = [repr(client), str(vars(client))]
    for reply in replies:
        server.will(reply)
        answer = ask(client)
        seen += [repr(answer), str(answer.record())]
        server.by_rule = lambda request: GOOD
    try:
        open_model(
            ModelSettings(dialect="openai", name="m", base_url="nowhere", api_key=SecretStr(KEY))
        )
    except InvalidInput:
        seen.append(traceback.format_exc())
    assert KEY in str(server.received[0].headers)
    assert KEY not in "\n".join([*seen, caplog.text])


def test_a_client_can_be_closed_twice_and_leaves_no_thread(opened):
    client = opened()
    client.close()
    client.close()
    assert "meridia-model" not in {thread.name for thread in threading.enumerate()}


def test_a_client_can_be_asked_from_within_a_running_event_loop(client, server):
    async def within() -> ModelAnswer[PhenomenologyAnswer]:
        return ask(client)

    server.will(GOOD)
    assert felt(asyncio.run(within()))
