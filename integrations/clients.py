"""Clients of model APIs that remember: of the shape of OpenAI's and of Anthropic's.

    client = remembering(OpenAI(), memory, person="Kim", session="chat-7")
    client.chat.completions.create(model="…", messages=[{"role": "user", "content": "Hi"}])

Before each call the model is told where things stand with the person and what answers the newest
message; after it that message and the answer are remembered. `chat.completions.create`,
`responses.create` and `messages.create` do, also awaited and as streams; everything else is the
client's own.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ..memory import Memory
from .transcript import context_for, words_of

T = TypeVar("T")
Arguments = dict[str, Any]


def remembering(
    client: T,
    memory: Memory,
    *,
    person: str | None = None,
    session: str | None = None,
    tokens: int = 1000,
) -> T:
    """Return a client of the same shape that remembers what `person` and the model say.

    `tokens` is how much the model is told before it answers; 0 tells nothing.
    """
    around = _Around(memory, person, session, tokens)
    return _Part(client, "", around)  # type: ignore[return-value]


def _in_messages(given: Arguments, context: str) -> Arguments:
    return {"messages": [{"role": "system", "content": context}, *given.get("messages", ())]}


def _in_field(name: str) -> Callable[[Arguments, str], Arguments]:
    def told(given: Arguments, context: str) -> Arguments:
        before = given.get(name)
        if isinstance(before, list):  # blocks of Anthropic's
            return {name: [*before, {"type": "text", "text": context}]}
        return {name: f"{before}\n\n{context}" if isinstance(before, str) else context}

    return told


def _delta_of_choice(chunk: Any) -> Any:
    return chunk.choices[0].delta.content if chunk.choices else None


def _delta_of_event(event: Any) -> Any:
    delta = getattr(event, "delta", None)
    return delta if isinstance(delta, str) else getattr(delta, "text", None)


@dataclass(frozen=True, slots=True)
class _Shape:
    """Where a kind of call has its messages, takes what the model is told, and has its answer."""

    messages: str
    tell: Callable[[Arguments, str], Arguments]
    answer: Callable[[Any], Any]
    delta: Callable[[Any], Any]


_SHAPES = {
    "chat.completions.create": _Shape(
        "messages", _in_messages, lambda it: it.choices[0].message.content, _delta_of_choice
    ),
    "responses.create": _Shape(
        "input", _in_field("instructions"), lambda it: it.output_text, _delta_of_event
    ),
    "messages.create": _Shape(
        "messages",
        _in_field("system"),
        lambda it: [getattr(block, "text", "") for block in it.content],
        _delta_of_event,
    ),
}


@dataclass(frozen=True, slots=True)
class _Around:
    """What happens around a call."""

    memory: Memory
    person: str | None
    session: str | None
    tokens: int

    def call(self, method: Callable[..., Any], shape: _Shape, given: Arguments) -> Any:
        question = _last_words(given.get(shape.messages))
        if self.tokens:
            context = context_for(self.memory, question, self.person, self.tokens)
            given = given | (shape.tell(given, context) if context else {})
        answer = method(**given)
        if inspect.isawaitable(answer):
            return self._awaited(answer, shape, question)
        return self._finished(answer, shape, question)

    async def _awaited(self, answer: Any, shape: _Shape, question: str) -> Any:
        return self._finished(await answer, shape, question)

    def _finished(self, answer: Any, shape: _Shape, question: str) -> Any:
        if hasattr(answer, "__aiter__"):
            return self._async_stream(answer, shape, question)
        if hasattr(answer, "__next__"):
            return self._stream(answer, shape, question)
        self._remember(question, words_of(shape.answer(answer)))
        return answer

    def _stream(self, chunks: Iterator[Any], shape: _Shape, question: str) -> Iterator[Any]:
        said = []
        try:
            for chunk in chunks:
                said.append(shape.delta(chunk) or "")
                yield chunk
        finally:  # also of one that is left in its middle
            self._remember(question, "".join(said))

    async def _async_stream(
        self, chunks: AsyncIterator[Any], shape: _Shape, question: str
    ) -> AsyncIterator[Any]:
        said = []
        try:
            async for chunk in chunks:
                said.append(shape.delta(chunk) or "")
                yield chunk
        finally:
            self._remember(question, "".join(said))

    def _remember(self, question: str, answer: str) -> None:
        said = [{"role": "user", "text": question}, {"role": "assistant", "text": answer}]
        self.memory.remember_many(
            [message for message in said if message["text"].strip()],
            person=self.person,
            session=self.session,
        )


class _Part:
    """A part of a client: its attributes are the client's, its calls are remembered."""

    def __init__(self, part: Any, path: str, around: _Around) -> None:
        self._part, self._path, self._around = part, path, around

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._part, name)
        path = f"{self._path}.{name}".lstrip(".")
        if path in _SHAPES:
            return lambda **given: self._around.call(value, _SHAPES[path], given)
        leads_on = any(known.startswith(f"{path}.") for known in _SHAPES)
        return _Part(value, path, self._around) if leads_on else value


def _last_words(messages: Any) -> str:
    """Return what the user said last."""
    if isinstance(messages, str):
        return messages
    said = [m for m in messages or () if isinstance(m, Mapping) and m.get("role") == "user"]
    return words_of(said[-1].get("content")) if said else ""
