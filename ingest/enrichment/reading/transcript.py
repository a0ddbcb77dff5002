"""A session as a model reads it: its messages numbered, with time and speaker, in windows.

Every message is included, also skeletons; tool results are between them, shortened and without a
number. Echoes of a recall and restricted messages are left out. A session longer than a window is
read in several, in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ....core.entries import ExperienceCaptured
from ....core.events import captions_of, event_of, is_restricted, text_of
from ....core.text import shorten
from ....core.types import Entry
from ....language.runs.failure_signs import is_error
from ....language.runs.tool_calls import Event
from ....models.prompts import clip
from ...extraction.quotations import speaker_label, spoken_text

#: Characters of a window (about 6,000 tokens), of one message, and of what a tool returned.
WINDOW_CHARS, MESSAGE_CHARS_MAX, RESULT_CHARS_MAX = 24_000, 4_000, 300


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One experience of a session; `place` is None for what nobody said. `text` is all it says."""

    place: int | None
    entry: Entry
    speaker: str
    text: str
    shown: str

    @property
    def event(self) -> Event:
        """The event, whole as far as it is held."""
        return event_of(self.entry)


def windows_of(entries: Iterable[Entry]) -> Sequence[Sequence[TranscriptLine]]:
    """Return the captured experiences of a session in windows; none where nobody said anything."""
    windows: list[list[TranscriptLine]] = []
    room = 0
    for number, entry in enumerate(filter(_is_shown, entries), 1):
        line = _line(number, entry)
        if line.shown:
            if not windows or len(line.shown) >= room:
                windows.append([])
                room = WINDOW_CHARS
            windows[-1].append(line)
            room -= len(line.shown) + 1
    return windows


def render(window: Sequence[TranscriptLine]) -> str:
    """Return a window as a model is shown it."""
    return "\n".join(line.shown for line in window)


def _is_shown(entry: Entry) -> bool:
    payload = entry.payload
    if not isinstance(payload, ExperienceCaptured) or "echo" in payload.marks:
        return False
    return not is_restricted(event_of(entry).get("metadata"))


def _line(number: int, entry: Entry) -> TranscriptLine:
    event = event_of(entry)
    speaker, text = speaker_label(event), spoken_text(event)
    at = f"{entry.at:%Y-%m-%d %H:%M}"
    captions = "".join(f" ({caption})" for caption in captions_of(event))
    if speaker and (text.strip() or captions):
        words = clip(" ".join(text.split()) + captions, MESSAGE_CHARS_MAX)
        return TranscriptLine(number, entry, speaker, text, f"[{number}] {at} {speaker}: {words}")
    words = shorten(text_of(event) + captions, RESULT_CHARS_MAX)
    failed = "failed: " if is_error(event) else ""
    return TranscriptLine(None, entry, "", "", f"({at} {failed}{words})" if words else "")
