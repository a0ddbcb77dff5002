"""The text form of a pack: dated quotes with citations, in sections.

Every line except headings consists of quotes with a date, each with the address `@SEQ` of its
memory, which `meridia show` finds. Nothing is chosen here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from ..core.events import EventKind
from ..core.text import printable, quote
from ..core.types import MemoryRecord
from .experience_views import ExperienceView
from .quotes import sentences_of

#: Counts the tokens of a text. The default is that of the source: four characters a token.
TokenCounter = Callable[[str], int]
CHARS_PER_TOKEN = 4
#: A date that opens a line: the year stands only where it is another one than before.
_DATE = re.compile(r"(\d{4})-\d\d-\d\d\Z")
#: What could pass for the beginning of an address, or for a short address.
_ADDRESS_START = re.compile(r"m\s*e\s*r\s*i\s*d\s*i\s*a\s*:\s*/\s*/\s*", re.IGNORECASE)
_SHORT_ADDRESS = re.compile(r"(?<![\w@.])@\s*(?=\d)")


def estimate_tokens(text: str) -> int:
    """Return the tokens of a text at four characters each, rounded up."""
    return -(-len(text) // CHARS_PER_TOKEN)


#: How a failure ends that no later call is known to have solved.
UNSOLVED = "no later call seen that worked"


class SectionTitle(StrEnum):
    """The sections of a pack that have titles of their own; threads are named by their words."""

    ASKED = "asked for"
    ENGAGE = "How to engage"
    OPEN = "Open since the last meeting"
    EARLIER = "Undertaken earlier"
    BROKE_OFF = "Where it broke off"
    FAILED = "What failed and what was tried"
    LAST = "Last meeting"
    ANCHORS = "Anchors"
    HARD = "Hard things"
    TRENDS = "Trends"
    CHANGED = "Then and now"
    ALSO = "What was said and done, by day"


@dataclass(frozen=True, slots=True)
class PackItem:
    """A quote, and the memories that contain it: at least one.

    `before` and `after` enclose it and its address, such as "→" and the question that it answers.
    """

    text: str
    memories: tuple[MemoryRecord, ...]
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class PackLine:
    """One line of a pack: its lead, such as a date, and at least one item."""

    items: tuple[PackItem, ...]
    lead: str = ""


@dataclass(frozen=True, slots=True)
class PackSection:
    """Lines under a heading; `about` says more of it in the heading, such as a date."""

    title: str
    lines: tuple[PackLine, ...]
    about: str = ""


def render_pack(title: str, sections: Sequence[PackSection]) -> str:
    """Return the text of a pack: a heading, then what there is of its sections."""
    parts, year = [f"# {_flat(title)}"], ""
    for section in sections:
        if section.lines:
            parts.append(f"## {_flat(f'{section.title}{section.about}')}")
        for line in section.lines:
            dated = _DATE.match(line.lead)
            same = dated is not None and dated[1] == year
            year = dated[1] if dated else year
            parts.append(_render_line(replace(line, lead=line.lead[5:]) if same else line))
    return "\n".join(parts) + "\n"


def cited(sections: Sequence[PackSection]) -> list[MemoryRecord]:
    """Return every memory that is cited, in order of appearance, each once."""
    by_seq: dict[int, MemoryRecord] = {}
    for section in sections:
        for line in section.lines:
            for item in line.items:
                for memory in item.memories:
                    by_seq.setdefault(memory.seq, memory)
    return list(by_seq.values())


def line_text(line: PackLine) -> str:
    """Return the text of a line without addresses."""
    return _joined(line, lambda item: f"{item.before}{item.text}{item.after}")


def _render_line(line: PackLine) -> str:
    def cite(item: PackItem) -> str:
        addresses = " ".join(f"@{memory.seq}" for memory in item.memories)
        return f"{item.before}{_flat(item.text)} {addresses}{item.after}"

    return _joined(line, cite)


def _joined(line: PackLine, write: Callable[[PackItem], str]) -> str:
    text = _flat(line.lead)
    for place, item in enumerate(line.items):
        text += " " if item.before[:1] in ("→", "(") or not place else "; "
        text += write(item)
    return text.strip()


def _flat(text: str) -> str:
    """Return a text on one line, with nothing in it that could pass for an address of ours.

    Full-width letters are read as plain ones.
    """
    line = " ".join(printable(text).split())
    if not line.isascii():
        line = line.translate(_lookalikes(line))
    line = _ADDRESS_START.sub("meridia: ", line)
    return _SHORT_ADDRESS.sub("at ", line)


def _lookalikes(line: str) -> dict[int, str]:
    """Return the plain sign for each sign of a text that is another form of one."""
    forms = {sign: unicodedata.normalize("NFKC", sign) for sign in set(line)}
    return {
        ord(sign): form
        for sign, form in forms.items()
        if len(form) == 1 and form != sign and form.isascii()
    }


#: Longest quotation, characters.
_QUOTE = 160
#: Marks of a sentence that asks for something.
_ASKS = frozenset({"question", "please", "order", "wants you"})


def interruption_lines(experiences: Sequence[ExperienceView]) -> list[PackLine]:
    """Return the point where it broke off, the last good state, and the request.

    In a run of tools without a request in words, the first message is the request.
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
