"""Who may what, where; and how long, and how much at once."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace

import pytest

from meridia.core.errors import InvalidInput, NotFound, Refused
from meridia.service.dispatcher import LOCAL, Caller, Dispatcher
from meridia.service.operations import OPERATIONS
from meridia.service.problems import RequestRefused
from meridia.storage.api_keys import Access, ApiKey
from meridia.storage.connections import Locked

NAMED = {operation.name: operation for operation in OPERATIONS}


def caller(*spaces, access=Access.WRITE):
    return Caller(ApiKey("k", "", access, spaces, ""))


def test_the_space_is_the_keys_unless_another_is_named():
    assert caller("a").space(None) == "a"
    assert caller("a", "b").space("b") == "b"
    assert caller("*").space(None) == "default"
    assert caller("*").space("c") == "c"
    with pytest.raises(InvalidInput, match="a, b"):
        caller("a", "b").space(None)
    with pytest.raises(Refused) as refusal:
        caller("a").space("secret")
    assert "secret" not in str(refusal.value)


def test_a_key_allows_what_is_below_it():
    caller("a", access=Access.ADMIN).require(Access.READ)
    with pytest.raises(Refused, match="admin"):
        caller("a", access=Access.WRITE).require(Access.ADMIN)


def test_who_sends_no_key_is_nobody_or_the_user_of_the_machine(dispatcher: Dispatcher):
    with pytest.raises(RequestRefused):
        dispatcher.caller(None)
    dispatcher.needs_keys = False
    assert dispatcher.caller(None).key == LOCAL
    with pytest.raises(RequestRefused):
        dispatcher.caller("Bearer nonsense")


def test_reading_makes_no_space(dispatcher: Dispatcher):
    recall = NAMED["recall"]
    given = recall.parameters(question="a", space="new")
    with pytest.raises(NotFound):
        dispatcher.run(recall, caller("*"), given)
    assert dispatcher.run(recall, caller("new"), given)["hits"] == []
    assert dispatcher.memory.spaces() == []


def test_a_write_is_told_after_its_commit(dispatcher: Dispatcher):
    seen = []
    dispatcher.on_write = lambda: seen.append(dispatcher.memory.in_space("a").list().memories)
    dispatcher.run(NAMED["remember"], caller("a"), NAMED["remember"].parameters(text="Hi."))
    assert [memory.text for memory in seen[0]] == ["Hi."]


def test_work_that_takes_too_long_is_answered_and_goes_on(dispatcher: Dispatcher):
    dispatcher.settings = dispatcher.settings.model_copy(update={"timeout_s": 0.05})
    gate, done = threading.Event(), threading.Event()

    def work():
        gate.wait(10)
        done.set()

    with pytest.raises(RequestRefused) as refusal:
        asyncio.run(dispatcher.work(work))
    assert refusal.value.code == "timed_out"
    gate.set()
    assert done.wait(10)


def test_more_than_may_wait_is_refused(dispatcher: Dispatcher):
    dispatcher.settings = dispatcher.settings.model_copy(update={"queue_max": 2})
    gate = threading.Event()

    async def ask():
        waiting = [asyncio.create_task(dispatcher.work(lambda: gate.wait(10))) for _ in range(2)]
        await asyncio.sleep(0.01)
        with pytest.raises(RequestRefused) as refusal:
            await dispatcher.work(lambda: True)
        gate.set()
        assert await asyncio.gather(*waiting) == [True, True]
        assert await dispatcher.work(lambda: "again") == "again"
        return refusal.value.code

    assert asyncio.run(ask()) == "busy"


def test_what_waits_for_the_journals_lock_is_tried_again_until_the_time_is_over(dispatcher):
    operation = next(o for o in OPERATIONS if o.name == "status")
    calls: list[float] = []

    def busy(times):
        def run(_memory, _given):
            calls.append(time.monotonic())
            if len(calls) <= times:
                raise Locked("held")
            return {"done": True}

        run.__annotations__ = dict(operation.run.__annotations__)
        return replace(operation, run=run)

    local, given = Caller(LOCAL), operation.parameters()
    assert dispatcher.run(busy(3), local, given) == {"done": True}
    assert len(calls) == 4
    dispatcher.settings = dispatcher.settings.model_copy(update={"timeout_s": 0.1})
    calls.clear()
    with pytest.raises(Locked):
        dispatcher.run(busy(3), local, given)
    assert len(calls) == 1
