"""An agent of the OpenAI Agents SDK with a scripted model, which calls a tool and answers."""

from __future__ import annotations

from agents import function_tool, set_tracing_disabled
from agents.items import ModelResponse
from agents.models.interface import Model
from agents.usage import Usage
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

set_tracing_disabled(True)


class ScriptedModel(Model):
    """Calls the tool once, then answers; notes what it was given."""

    def __init__(self):
        self.given = []

    async def get_response(self, system_instructions, input, *_, **__):
        self.given.append(input)
        last = input[-1] if isinstance(input, list) else input
        if isinstance(last, dict) and last.get("type") == "function_call_output":
            text = ResponseOutputText(type="output_text", text="It is 4 degrees.", annotations=[])
            output = ResponseOutputMessage(
                id="m1", type="message", role="assistant", status="completed", content=[text]
            )
        else:
            output = ResponseFunctionToolCall(
                type="function_call", call_id=f"c{len(self.given)}", name="weather", arguments="{}"
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


@function_tool
def weather() -> str:
    """Return the weather."""
    return "4 degrees and rain"
