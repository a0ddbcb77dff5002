"""Tests of LlamaIndex's memory block and retriever, with a model of LlamaIndex's own."""

from __future__ import annotations

import asyncio

from meridia.core.lazy import LazyLibrary

# Loaded by who runs these tests, not by each process that collects them.
llama = LazyLibrary("meridia.integrations.llama_index")
messages = LazyLibrary("llama_index.core.base.llms.types")
memories = LazyLibrary("llama_index.core.memory")


def test_what_leaves_the_short_term_memory_is_told_again_when_it_fits(memory):
    async def use():
        block = llama.MeridiaBlock(memory=memory, person="Kim")
        agent = memories.Memory.from_defaults(
            session_id="chat-1",
            token_limit=80,
            chat_history_token_ratio=0.5,
            token_flush_size=20,
            memory_blocks=[block],
        )
        await agent.aput(
            messages.ChatMessage(role="user", content="My oboe is at the shop in Bergen.")
        )
        for n in range(12):
            await agent.aput(
                messages.ChatMessage(role="assistant", content=f"Noted, point {n} of many.")
            )
            await agent.aput(
                messages.ChatMessage(role="user", content=f"Something else, number {n}.")
            )
        await agent.aput(messages.ChatMessage(role="user", content="Where is my oboe?"))
        given = await agent.aget()
        await agent.sql_store._async_engine.dispose()  # theirs has no way to close it
        return given

    given = asyncio.run(use())
    assert "My oboe is at the shop in Bergen." in "\n".join(m.content or "" for m in given)
    record = memory.recall("oboe")[0]
    assert (record.person, record.session) == ("Kim", "chat-1")


def test_a_new_block_tells_nothing(memory):
    block = llama.MeridiaBlock(memory=memory)
    assert asyncio.run(block.aget([messages.ChatMessage(role="user", content="Who am I?")])) == ""
    asyncio.run(block.aput([messages.ChatMessage(role="tool", content="4 degrees")]))
    assert [record.tool for record in memory.list()] == ["tool"]


def test_nodes_have_scores_addresses_and_reasons(memory):
    memory.remember("The oboe is at the repair shop.", person="Kim")
    memory.remember("The boat is in Kiel.", person="Lee")
    first, *_ = llama.MeridiaNodeRetriever(memory, limit=2).retrieve("Where is the oboe?")
    assert first.text == "The oboe is at the repair shop."
    assert first.score > 0
    assert first.metadata["address"] == "@1"
    assert first.metadata["reason"]
    (only_lee,) = llama.MeridiaNodeRetriever(memory, person="Lee").retrieve("Where?")
    assert only_lee.metadata["person"] == "Lee"
