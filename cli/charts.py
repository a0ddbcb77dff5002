"""How feelings are shown: a session's arc as a line and as a picture, longer times as charts.

Only what the register recorded is drawn. Nothing is smoothed, and where nothing was felt the curve
has a gap.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from plotille import Canvas
from rich.text import Text

from ..core.codec import decode
from ..core.experience import EmotionalSignature, RegisterState, Transition
from ..core.text import shorten
from ..core.types import Json
from ..core.vocabulary import TransitionField
from ..ingest.enrichment.register import STANDARD
from ..retrieval.history.emotion_trajectory import Trajectory
from .render import console, moment, terminal_text

#: An arc names at most so many moments and topics; a longer one leaves out its middle.
_MOMENTS_MAX, _TOPICS_MAX, _TOPIC_CHARS = 12, 4, 30
#: Rows of a picture's two curves, its smallest width, and columns before a curve begins.
_VALENCE_ROWS, _INTENSITY_ROWS, _WIDTH_MIN, _MARGIN = 7, 5, 24, 4
#: Changes are marked and listed with these; what comes after is only marked.
_MARKS = "123456789abcdefghijklmnop"
_UNLISTED, _SEVERAL = "•", "+"
_BARS = "·▁▂▃▄▅▆▇█"
_EMPTY_BRAILLE = "\u2800"


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """One experience of a session: how it felt, and what changed in the register with it."""

    at: datetime | None = None
    signature: EmotionalSignature | None = None
    transitions: tuple[Transition, ...] = ()


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
    return "; ".join(filter(None, parts)) or "nothing felt yet"


def session_chart(points: Sequence[ChartPoint], width: int | None = None) -> Text:
    """Return a picture of valence and intensity over a session, its changes marked and listed.

    The experiences stand at even distances, in order. `width` is in columns; None means as wide as
    the terminal. `str()` of the picture has no colours; printed, it has them on a terminal only.
    """
    columns = max(_WIDTH_MIN, width or console.width) - _MARGIN
    felt = [point.signature for point in points]
    if not any(felt):
        return Text("nothing felt yet", "dim")
    valences = [None if signature is None else signature.valence for signature in felt]
    intensities = [None if signature is None else signature.intensity for signature in felt]
    lines = [
        Text("valence", "bold"),
        *_curve(valences, (-1, 1), (columns, _VALENCE_ROWS), "cyan"),
        Text("intensity", "bold"),
        *_curve(intensities, (0, 1), (columns, _INTENSITY_ROWS), "magenta"),
        *_axis(dict(_marked(points)), [point.at for point in points], columns),
        *_changes(points, columns + _MARGIN),
    ]
    return Text("\n").join(lines)


def valence_chart(path: Trajectory, width: int | None = None) -> Text:
    """Return a small chart of valence over several sessions, its turns marked and listed.

    What was felt stands at even distances, in order; `┴` is where a session begins. `width` is as
    in `draw`.
    """
    columns = max(_WIDTH_MIN, width or console.width) - _MARGIN
    if not path.points:
        return Text("nothing felt yet", "dim")
    places = {point.memory.id: place for place, point in enumerate(path.points)}
    marks = {places[mood.first.id]: "┴" for mood in path.moods}
    turned = list(zip(_MARKS, path.turns, strict=False))
    marks |= {places[turn.after.memory.id]: mark for mark, turn in turned}
    valences = [point.signature.valence for point in path.points]
    lines = [
        Text("valence", "bold"),
        *_curve(valences, (-1, 1), (columns, _VALENCE_ROWS), "cyan"),
        *_axis(marks, [point.at for point in path.points], columns),
    ]
    for mark, turn in turned:
        when = f"{turn.before.at:%Y-%m-%d} → {turn.after.at:%Y-%m-%d}"
        description = shorten(f"{when}: {turn.words}", columns)
        lines.append(Text(f" {mark}  ", "yellow").append(terminal_text(description)))
    return Text("\n").join(lines)


def count_bars(rows: Mapping[str, Sequence[int]], width: int | None = None) -> Text:
    """Return one line a row: its name, its counts over time as bars, and their sum.

    All bars are to the one scale. Of more columns than there is room for, the last are shown.
    """
    margin = max(map(len, rows), default=0) + _MARGIN
    room = max(_WIDTH_MIN, (width or console.width) - margin - _MARGIN)
    most = max((count for counts in rows.values() for count in counts), default=0)
    lines = []
    for name, counts in rows.items():
        bars = "".join(_bar(count, most) for count in counts[-room:])
        lines.append(terminal_text(f" {name:<{margin - _MARGIN}}  ").append(bars, "cyan"))
        lines[-1].append(f"  {sum(counts)}", "dim")
    return Text("\n").join(lines)


def _bar(count: int, most: int) -> str:
    """Return a bar from nothing to full; the least count that is one is seen."""
    return _BARS[math.ceil(count / most * (len(_BARS) - 1))] if count else _BARS[0]


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


def _curve(
    values: Sequence[float | None], ends: tuple[int, int], size: tuple[int, int], style: str
) -> Iterator[Text]:
    """Yield the rows of a curve: `ends` are its lowest and highest value, `size` columns, rows."""
    (low, high), (columns, rows) = ends, size
    # A canvas has 2 × 4 dots a character and rounds to the nearest: the lowest and the highest
    # value stand on the outermost dots, and each place in the middle of its share of the columns.
    left = len(values) / (2 * columns) / 2 - 0.5
    top = low + (high - low) * 4 * rows / (4 * rows - 1)
    canvas = Canvas(columns, rows, left, low, left + len(values), top)
    before: tuple[int, float] | None = None
    for place, value in enumerate(values):
        here = None if value is None else (place, value)
        if here:
            canvas.line(*(before or here), *here)
        before = here
    named = {0: high, rows // 2: (high + low) / 2, rows - 1: low}
    for row, line in enumerate(canvas.plot(linesep="\n").split("\n")):
        tick = f"{named[row]:g}" if row in named else ""
        dots = line.replace(_EMPTY_BRAILLE, "·" if tick == "0" and low < 0 else " ")
        yield Text(f"{tick:>2} ┤" if tick in {"1", "0", "-1"} else "   │").append(
            dots.rstrip(), style
        )


def _axis(
    marks: Mapping[int, str], times: Sequence[datetime | None], columns: int
) -> Iterator[Text]:
    """Yield the line below a curve, `marks` at their places, and its first and last time."""
    line = ["─"] * columns
    for place, mark in marks.items():
        column = int((place + 0.5) / len(times) * columns)
        line[column] = mark if line[column] in "─┴" else _SEVERAL
    yield Text("   └").append("".join(line), "yellow")
    dated = [time for time in times if time]
    if dated:
        first, last = moment(min(dated)), moment(max(dated))
        gap = columns - len(first) - len(last)
        yield Text(f"    {first}{' ' * gap}{last}" if gap > 0 else f"    {first}", "dim")


def _marked(points: Sequence[ChartPoint]) -> Iterator[tuple[int, str]]:
    """Yield the place and the mark of every point where something changed."""
    places = [place for place, point in enumerate(points) if point.transitions]
    for number, place in enumerate(places):
        yield place, _MARKS[number] if number < len(_MARKS) else _UNLISTED


def _changes(points: Sequence[ChartPoint], width: int) -> Iterator[Text]:
    unlisted = 0
    for place, mark in _marked(points):
        if mark == _UNLISTED:
            unlisted += 1
            continue
        point = points[place]
        when = f"{point.at:%H:%M}  " if point.at else ""
        description = "; ".join(map(_change, point.transitions))
        yield Text(f" {mark}  ", "yellow").append(
            terminal_text(shorten(when + description, width - _MARGIN))
        )
    if unlisted:
        yield Text(f" {_UNLISTED}  {unlisted} more", "yellow")


def _change(change: Transition) -> str:
    if change.field is TransitionField.UNCERTAINTY:
        opened = change.before is None
        return f"opened: {change.after}" if opened else f"resolved: {change.before}"
    if change.field is TransitionField.EMOTIONAL_SIGNATURE:
        before, after = _signature(change.before), _signature(change.after)
        words = dict.fromkeys([_words(before), _words(after)])
        return " ".join([" → ".join(words), *_turns(before, after)])
    return f"{change.field.value}: {change.before} → {change.after}"


def _signature(value: Json) -> EmotionalSignature:
    return decode(EmotionalSignature, value)


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None
