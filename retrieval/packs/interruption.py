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
#: In fewer words nobody says what they ask for: "Please.", "And then?".
_WORDS_MIN = 3
#: Asks for something. Who only thanks, tells or promises does not.
_ASKS = re.compile(
    r"\?|\bplease\b|\b(?:remind|help) me\b|\bI (?:want|need) you to\b", re.IGNORECASE
)
#: Asks for something where an agent works; elsewhere it is told.
_WISHES = re.compile(
    r"\bI(?:['’]d| would) like\b|\bI (?:want|need) (?:to|the|an?|my)\b", re.IGNORECASE
)
#: Waits for no answer.
_RHETORICAL = re.compile(
    r"\A(?:can you believe|guess what|you know what|what\?|really\?|right\?|huh\?)"
    r"|, (?:ok|okay|right|huh|yeah)\?\Z",
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
    in_run = bool(steps)
    first = (messages[-1], "") if in_run and messages else None
    asked = ((e, words) for e in messages if (words := _asked(e.memory.text, in_run=in_run)))
    last_asked = next(asked, first)
    return lines if last_asked is None else [*lines, _line("Last asked for", *last_asked)]


def _line(title: str, experience: ExperienceView, words: str = "") -> PackLine:
    text = words or experience.quotable
    step = f"{experience.label}: {quote(text, _QUOTE) if text else 'nothing of it is kept'}"
    return PackLine((PackItem(step, (experience.memory,)),), title)


def _asked(text: str, *, in_run: bool) -> str:
    """Return the last sentences in a row of a message that ask for something; "" for none."""
    asked: list[str] = []
    for sentence in reversed(split_sentences(text)):
        asks = _ASKS.search(sentence) or (in_run and _WISHES.search(sentence))
        says_what = len(sentence.split()) >= _WORDS_MIN
        if asks and says_what and not _RHETORICAL.search(sentence):
            asked.insert(0, sentence)
        elif asked:
            break
    return " ".join(asked)
