"""Where a conversation or a run ended: its last step, its last good one, what was last asked for.

Quotes and names memories; what nobody asked for is not called asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..core.events import EventKind
from ..core.text import quote
from .experience_views import ExperienceView
from .layout import PackItem, PackLine
from .quotes import sentences_of

#: Longest quotation, characters.
_QUOTE = 160
#: Marks of a sentence that asks for something.
_ASKS = frozenset({"question", "please", "order", "wants you"})


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
    first = (messages[-1], "") if steps and messages else None
    asked = ((e, words) for e in messages if (words := _asked(e)))
    last_asked = next(asked, first)
    return lines if last_asked is None else [*lines, _line("Last asked for", *last_asked)]


def _line(title: str, experience: ExperienceView, words: str = "") -> PackLine:
    text = words or experience.quotable
    step = f"{experience.label}: {quote(text, _QUOTE) if text else 'nothing of it is kept'}"
    return PackLine((PackItem(step, (experience.memory,)),), f"{title}:")


def _asked(experience: ExperienceView) -> str:
    """Return the last sentences in a row of a message that ask for something; "" for none."""
    asked: list[str] = []
    for sentence in reversed(sentences_of(experience)):
        text = sentence.sentence_of(experience.memory.text)
        asks = not _ASKS.isdisjoint(sentence.marks) and "leans" not in sentence.marks
        if asks and len(text.split()) > 2:
            asked.insert(0, text)
        elif asked:
            break
    return " ".join(asked)
