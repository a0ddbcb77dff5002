"""Charts of feelings: a session's arc as one line of text, values over time as a sparkline.

Only recorded values are drawn. Nothing is smoothed; the line has a gap where nothing was recorded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from rich.text import Text

from ..core.codec import decode
from ..core.experience import EmotionalSignature, RegisterState, Transition
from ..core.text import shorten
from ..core.types import Json
from ..core.vocabulary import TransitionField
from ..ingest.enrichment.register import STANDARD
from ..resume.relationship_summary import Trajectory
from ..resume.space_history import ArcPoint
from .render import console, moment, terminal_text

#: An arc names at most so many moments and topics; a longer one leaves out its middle.
_MOMENTS_MAX, _TOPICS_MAX, _TOPIC_CHARS = 12, 4, 30
_BARS = "▁▂▃▄▅▆▇█"
#: Columns of a chart's names and of its least values.
_NAME_WIDTH, _WIDTH_MIN = 11, 24
_NOTHING_FELT = "nothing felt yet"


@dataclass(frozen=True, slots=True)
class _ArcState:
    feeling: EmotionalSignature | None = None
    engagement: str | None = None


def arc(transitions: Sequence[Transition], states: Sequence[RegisterState] = ()) -> str:
    """Return a session's arc as one line, such as `focused (routine) → relieved; 1 open question`.

    `transitions` are in the order in which they happened. The last of `states` is the register now:
    it says what stayed as it was and which questions are open; without it the transitions do.
    """
    now = states[-1] if states else RegisterState()
    names = _state_names(list(_arc_states(transitions, now)))
    if len(names) > _MOMENTS_MAX:
        half = _MOMENTS_MAX // 2
        names = [*names[:half], f"({len(names) - 2 * half} more)", *names[-half:]]
    parts = [" → ".join(names), _topics(transitions, now)]
    opened, resolved = _questions(transitions)
    count = len(now.uncertainties) if states else max(0, opened - resolved)
    parts.append(f"{count} open question{'s' if count > 1 else ''}" if count else "")
    parts.append(f"{resolved} resolved" if resolved else "")
    return "; ".join(filter(None, parts)) or _NOTHING_FELT


def session_chart(points: Sequence[ArcPoint], width: int | None = None) -> Text:
    """Return valence and intensity over a session, its experiences at even distances.

    `width` is in columns; None means as wide as the terminal.
    """
    felt = [point.signature for point in points]
    if not any(felt):
        return Text(_NOTHING_FELT, "dim")
    columns = _columns(width, _NAME_WIDTH)
    valences = [None if signature is None else signature.valence for signature in felt]
    intensities = [None if signature is None else signature.intensity for signature in felt]
    lines = [
        _line("valence", sparkline(valences, (-1, 1), columns)),
        _line("intensity", sparkline(intensities, (0, 1), columns)),
        _first_and_last([point.at for point in points]),
    ]
    return Text("\n").join(lines)


def valence_chart(path: Trajectory, width: int | None = None) -> Text:
    """Return valence over several sessions, and a line for each of its turns.

    What was felt stands at even distances, in order. `width` is as in `session_chart`.
    """
    if not path.points:
        return Text(_NOTHING_FELT, "dim")
    columns = _columns(width, _NAME_WIDTH)
    valences = [point.signature.valence for point in path.points]
    lines = [
        _line("valence", sparkline(valences, (-1, 1), columns)),
        _first_and_last([point.at for point in path.points]),
    ]
    for turn in path.turns:
        when = f"{turn.before.at:%Y-%m-%d} → {turn.after.at:%Y-%m-%d}"
        lines.append(terminal_text(shorten(f"{when}: {turn.words}", columns + _NAME_WIDTH)))
    return Text("\n").join(lines)


def count_bars(rows: Mapping[str, Sequence[int]], width: int | None = None) -> Text:
    """Return one line a row: its name, its counts over time as bars, and their sum.

    All bars have one scale. If there are more columns than fit, the last are shown.
    """
    margin = max(map(len, rows), default=0) + 3
    room = _columns(width, margin + 4)
    most = max((count for counts in rows.values() for count in counts), default=0)
    lines = []
    for name, counts in rows.items():
        shown = counts[-room:]
        bars = sparkline([count or None for count in shown], (0, most), room, gap="·")
        lines.append(terminal_text(f" {name:<{margin - 1}}").append(bars, "cyan"))
        lines[-1].append(f"  {sum(counts)}", "dim")
    return Text("\n").join(lines)


def sparkline(
    values: Sequence[float | None], ends: tuple[float, float], width: int, gap: str = " "
) -> str:
    """Return one bar a value, from the lowest to the highest of `ends`; `gap` where there is none.

    If there are more values than columns, a column shows the value furthest from the middle.
    """
    low, high = ends
    count = min(width, len(values))
    bars = []
    for column in range(count):
        shared = values[column * len(values) // count : (column + 1) * len(values) // count]
        measured = [value for value in shared if value is not None]
        if not measured:
            bars.append(gap)
            continue
        value = max(measured, key=lambda value: abs(value - (low + high) / 2))
        bars.append(_BARS[max(0, math.ceil((value - low) / (high - low) * len(_BARS)) - 1)])
    return "".join(bars)


def _line(name: str, bars: str) -> Text:
    return Text(f"{name:<{_NAME_WIDTH}}").append(bars, "cyan")


def _columns(width: int | None, margin: int) -> int:
    return max(_WIDTH_MIN, width or console.width) - margin


def _first_and_last(times: Sequence[datetime]) -> Text:
    span = dict.fromkeys([moment(min(times)), moment(max(times))])
    return Text(" " * _NAME_WIDTH + " to ".join(span), "dim")


def _arc_states(transitions: Sequence[Transition], now: RegisterState) -> Iterator[_ArcState]:
    """Yield how it felt at the beginning and after every change of feeling or engagement."""
    feelings = [t for t in transitions if t.field is TransitionField.EMOTIONAL_SIGNATURE]
    engagements = [t for t in transitions if t.field is TransitionField.ENGAGEMENT]
    current = _ArcState(
        _signature(feelings[0].before) if feelings else now.signature,
        _text(engagements[0].before) if engagements else now.engagement,
    )
    cause: tuple[object, ...] | None = None
    changed: set[TransitionField] = set()
    for change in transitions:
        if change not in feelings and change not in engagements:
            continue
        if cause != (change.trigger, change.at) or change.field in changed:
            yield current
            cause, changed = (change.trigger, change.at), set()
        changed.add(change.field)
        if change.field is TransitionField.ENGAGEMENT:
            current = replace(current, engagement=_text(change.after))
        else:
            current = replace(current, feeling=_signature(change.after))
    yield current


def _state_names(moments: Sequence[_ArcState]) -> list[str]:
    names = []
    before = _ArcState()
    for state in moments:
        word = "" if state.feeling is None else _words(state.feeling)
        engaged = state.engagement if state.engagement != before.engagement or not word else None
        named = f"{word} ({engaged})" if word and engaged else word or engaged or ""
        names.append(" ".join([named, *_turns(before.feeling, state.feeling)]))
        before = state
    return [name for name in names if name]


def _words(feeling: EmotionalSignature) -> str:
    """Return the words of a feeling, or what is heard where no word names it."""
    if feeling.primary:
        return "+".join(feeling.primary)
    valence = feeling.valence or 0
    return "a good tone" if valence > 0 else "a bad tone" if valence < 0 else "an even tone"


def _turns(before: EmotionalSignature | None, after: EmotionalSignature | None) -> Iterator[str]:
    """Yield how much stronger or weaker it is; of valence only where the words do not say it."""
    if before is None or after is None:
        return
    intensity = round(after.intensity - before.intensity, 6)
    if abs(intensity) >= STANDARD.intensity:
        yield f"{'↑' if intensity > 0 else '↓'}intensity"
    valence = round((after.valence or 0) - (before.valence or 0), 6)
    if _words(before) == _words(after) and abs(valence) >= STANDARD.valence:
        yield f"{'↑' if valence > 0 else '↓'}valence"


def _topics(transitions: Sequence[Transition], now: RegisterState) -> str:
    moved = [t for t in transitions if t.field is TransitionField.FOCUS]
    first = _text(moved[0].before) if moved else now.topic
    topics = [topic for topic in (first, *(_text(t.after) for t in moved)) if topic]
    if not topics:
        return ""
    more = [f"({len(topics) - _TOPICS_MAX} more)"] if len(topics) > _TOPICS_MAX else []
    return "about " + ", then ".join([*map(_topic, topics[:_TOPICS_MAX]), *more])


def _topic(text: str) -> str:
    return terminal_text(shorten(text, _TOPIC_CHARS)).plain


def _questions(transitions: Sequence[Transition]) -> tuple[int, int]:
    asked = [t for t in transitions if t.field is TransitionField.UNCERTAINTY]
    return sum(t.before is None for t in asked), sum(t.after is None for t in asked)


def _signature(value: Json) -> EmotionalSignature:
    return decode(EmotionalSignature, value)


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None
