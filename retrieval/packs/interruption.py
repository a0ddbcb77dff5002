"""Where a conversation or a run ended: its last step, its last good one, what was last asked for.

Quotes and names memories; what nobody asked for is not called asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...core.events import EventKind
from ...core.sentences import split_sentences
from ...core.text import quote
from ..history.experience_views import ExperienceView
from .layout import PackItem, PackLine

#: Longest quotation, characters.
_QUOTE = 90
#: Asks for something. Who only thanks, tells or promises does not.
_ASKS = re.compile(
    r"\?|\bplease\b|\bI(?:['’]d| would) like\b|\bI (?:want|need) (?:you|to|the|an?|my)\b"
    r"|\b(?:remind|help) me\b|\Alet['’]s\b",
    re.IGNORECASE,
)


def interruption_lines(experiences: Sequence[ExperienceView]) -> list[PackLine]:
    """Return where it broke off or ended, the last state that was good, and what was asked for.

    In a run of tools without a word that asks, the first message says what it is for.
    """
    last = experiences[-1]
    lines = [_line("The last words" if last.is_message else "It broke off at", last)]
    steps = [experience for experience in experiences if experience.tool is not None]
    good = next((experience for experience in reversed(steps) if not experience.error), None)
    if good is not None:
        lines.append(_line("Last good state", good))
    messages = [e for e in reversed(experiences) if e.memory.kind == EventKind.USER_MESSAGE]
    asked = next((e for e in messages if _asked(e.memory.text)), None)
    if asked is None and steps and messages:
        asked = messages[-1]
    if asked is not None:
        lines.append(_line("Last asked for", asked, _asked(asked.memory.text)))
    return lines


def _line(title: str, experience: ExperienceView, words: str = "") -> PackLine:
    text = words or experience.quotable
    step = f"{experience.label}: {quote(text, _QUOTE) if text else 'nothing of it is kept'}"
    return PackLine((PackItem(step, (experience.memory,)),), title)


def _asked(text: str) -> str:
    """Return the last sentences in a row of a message that ask for something; "" for none."""
    asked: list[str] = []
    for sentence in reversed(split_sentences(text)):
        if _ASKS.search(sentence):
            asked.insert(0, sentence)
        elif asked:
            break
    return " ".join(asked)
