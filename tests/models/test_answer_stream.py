"""Whatever a model's server sends, no more of it is taken than an answer may be."""

from __future__ import annotations

import asyncio
import gzip
import tracemalloc
import zlib
from contextlib import closing

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meridia.core.settings import ModelSettings
from meridia.models.budget import RetryPolicy
from meridia.models.model_factory import open_model
from meridia.models.model_types import ModelOutcome
from meridia.models.request_hooks import ANSWER_BYTES_MAX, AnswerTooLarge, limit_size
from tests.model_server import ModelServer, Reply, model_server
from tests.models.test_model_client import ask
from tests.thorough import examples

PACK = {
    "identity": lambda body: body,
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
}


def read(body: bytes, coding: str, pieces: int = 7) -> bytes:
    """Return what a body is read as, sent in some pieces."""
    size = max(1, -(-len(body) // pieces))

    class Sent(httpx2.AsyncByteStream):
        async def __aiter__(self):
            for start in range(0, len(body), size):
                yield body[start : start + size]

    async def run() -> bytes:
        response = httpx2.Response(200, headers={"content-encoding": coding}, stream=Sent())
        await limit_size(response)
        return await response.aread()

    return asyncio.run(run())


@settings(max_examples=examples(8))
@given(st.binary(max_size=5000), st.sampled_from(sorted(PACK)), st.integers(1, 50))
def test_an_answer_is_read_as_it_was_sent(body, coding, pieces):
    assert read(PACK[coding](body), coding, pieces) == body


@pytest.mark.parametrize("coding", sorted(PACK))
@pytest.mark.parametrize("size", [ANSWER_BYTES_MAX + 1, 50 * ANSWER_BYTES_MAX])
def test_more_than_an_answer_may_be_is_not_unpacked(coding, size):
    body = PACK[coding](bytes(size))
    tracemalloc.start()
    with pytest.raises(AnswerTooLarge, match="larger than 4,194,304 bytes"):
        read(body, coding, pieces=3)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 6 * ANSWER_BYTES_MAX + (size if coding == "identity" else 0)


def test_what_cannot_be_measured_or_unpacked_is_refused():
    with pytest.raises(AnswerTooLarge, match="'br', which was not asked for"):
        read(b"", "br")
    with pytest.raises(AnswerTooLarge, match="not asked for"):
        read(b"", "gzip, gzip")
    with pytest.raises(httpx2.DecodingError):
        read(b"no gzip", "gzip")


@pytest.fixture
def server():
    """Run a server that floods whoever asks."""
    with model_server() as running:
        yield running


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize("coding", ["gzip", "identity"])
def test_a_server_that_floods_is_asked_no_further(server: ModelServer, status: int, coding: str):
    raw = PACK[coding](b" " * (3 * ANSWER_BYTES_MAX)).decode("utf-8", "surrogateescape")
    server.by_rule = lambda _: Reply(raw=raw, status=status, headers={"content-encoding": coding})
    chosen = ModelSettings(dialect="openai", name="m-1", base_url=f"{server.origin}/v1")
    with closing(open_model(chosen, policy=RetryPolicy(wait_s=0.01))) as client:
        answer = ask(client)
    assert answer.outcome is ModelOutcome.INVALID
    assert answer.detail == "the answer is larger than 4,194,304 bytes"
    assert answer.attempts <= 2
    assert server.received[0].headers["accept-encoding"] == "gzip, deflate"
