"""Pydantic AI: tools that remember and recall, and runs that are kept.

    history = MeridiaHistory(memory, "chat-7", person="Kim")
    agent = Agent("…", toolsets=[toolset(memory)], instructions=context(memory, "Kim"))
    result = await agent.run("Hi", message_history=history.messages())
    history.add(result.new_messages())

Each part works without the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import replace

from ..core.lazy import extra
from ..memory import Memory
from .transcript import Item, Transcript, context_for, words_of

with extra("pydantic-ai"):
    from pydantic_ai import FunctionToolset, RunContext
    from pydantic_ai.messages import (
        ModelMessage,
        ModelMessagesTypeAdapter,
        TextPart,
        ToolReturnPart,
        UserPromptPart,
    )


class MeridiaHistory:
    """The messages of a conversation's runs, which come back as they were."""

    def __init__(self, memory: Memory, session: str, person: str | None = None) -> None:
        """Keep runs under `session`; `person` is who the user of the runs is."""
        self._transcript = Transcript(memory, "pydantic-ai", session, person)

    def messages(self) -> list[ModelMessage]:
        """Return the messages for `message_history`, oldest first."""
        return ModelMessagesTypeAdapter.validate_python(
            [message for message in self._transcript.contents() if message]
        )

    def add(self, messages: Iterable[ModelMessage]) -> None:
        """Append the new messages of a run; all or none go in."""
        self._transcript.add(item for message in messages for item in _items(message))

    def clear(self) -> None:
        """Forget the messages."""
        self._transcript.clear()


def toolset(memory: Memory, person: str | None = None) -> FunctionToolset[object]:
    """Return the tools `remember`, `recall` and `resume` over a memory."""

    def remember(text: str) -> str:
        """Keep a fact, preference or decision for later conversations.

        Args:
            text: One or two sentences that make sense by themselves.
        """
        return f"remembered as @{memory.remember(text, role='note').seq}"

    def recall(question: str) -> str:
        """Look up what was said or done before.

        Args:
            question: What you want to know, as a sentence.
        """
        return memory.recall(question, limit=5).for_prompt(800)

    def resume() -> str:
        """Tell where things stand with the user: what they asked for, what is open, what was."""
        return str(memory.resume(person) or "Nothing is known yet.")

    return FunctionToolset([remember, recall, resume])


def context(
    memory: Memory, person: str | None = None, tokens: int = 1000
) -> Callable[[RunContext[object]], Awaitable[str]]:
    """Return instructions that tell the model, for each run, what it should know of the past."""

    async def tell(run: RunContext[object]) -> str:
        question = words_of(run.prompt or "")
        return await asyncio.to_thread(context_for, memory, question, person, tokens)

    return tell


def _items(message: ModelMessage) -> Iterator[Item]:
    """Yield a message's parts as items; the first holds the message."""
    whole = ModelMessagesTypeAdapter.dump_python([message], mode="json")[0]
    items = []
    for part in message.parts:
        if isinstance(part, UserPromptPart):
            items.append(Item("user", words_of(part.content), None))
        elif isinstance(part, TextPart):
            items.append(Item("assistant", part.content, None))
        elif isinstance(part, ToolReturnPart):
            items.append(Item("tool", part.model_response_str(), None, part.tool_name))
    first = items[0] if items else Item("note", "", None)
    yield replace(first, content=whole)
    yield from items[1:]
