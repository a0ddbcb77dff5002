"""A support agent that knows who comes back.

    python support_agent.py                    # a scripted model: nothing leaves the machine
    MODEL=gpt-5-mini python support_agent.py   # a real one: pip install openai, OPENAI_API_KEY

OPENAI_BASE_URL names another server that speaks OpenAI's protocol. Each customer has a space:
what one says never reaches another.
"""

import os
import re
from types import SimpleNamespace

from meridia import Memory
from meridia.integrations.clients import remembering

SYSTEM = "You are the support agent of a bicycle shop. Answer in one or two sentences."
SAID = [
    ("monday", "Rosa", "Hi! The front brake of my bike squeals. It is order R-2207."),
    ("thursday", "Omar", "Hello, I have a question about an order."),
    ("friday", "Rosa", "It is me again: did you find out anything about my brake?"),
]


class ScriptedModel:
    """Has the shape of OpenAI's client, and answers from nothing but what it is told."""

    def __init__(self):
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self.create))

    def create(self, **given):
        order = re.search(r"R-\d+", str(given["messages"]))
        words = f"I am looking at {order[0]}." if order else "Which order is it about?"
        return SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content=words))])


def open_model():
    """Return the client of a real model where MODEL names one."""
    if "MODEL" not in os.environ:
        return ScriptedModel()
    from openai import OpenAI

    return OpenAI()


for day, customer, words in SAID:
    with Memory.open("support.db", space=customer.lower()) as memory:
        client = remembering(open_model(), memory, person=customer, session=day)
        answer = client.chat.completions.create(
            model=os.environ.get("MODEL", "scripted"),
            messages=[{"role": "system", "content": SYSTEM}, {"role": "user", "content": words}],
        )
    print(f"{day}, {customer}: {words}\n  agent: {answer.choices[0].message.content}")
