"""What a pack says besides its history: where things stand, how to engage, anchors, what is open.

Built by rule from what was recorded; where a language model had spoken, its words are quoted. Every
line names the memories it rests on, and what rests on none is not said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import pairwise

from ...core.facts import Fact
from ...core.ids import fold
from ...core.text import Analyser, shorten
from ...core.types import MemoryRecord
from ...core.vocabulary import Engagement
from ..history.experience_views import ExperienceView
from ..history.open_threads import Thread, ThreadKind, failures_of, threads_of
from ..history.reflection import reflect_on
from .layout import Item, Line, Section
from .modes import Mode
from .selection import Chosen
from .snapshot import Seen

#: At most so many lines of a kind (FACTS: anchors and uncertainties 5, hints 3 as guidance).
_LINES, _HINTS, _ANCHORS, _FACTS, _SHOWN = 5, 3, 5, 40, 3
#: Failures among the next actions, at most.
_FAILED = 2
#: More struggling than this share, and more than one, is said.
_STRUGGLING = 0.3
#: Felt more weakly than this is no anchor by rule.
_FELT = 0.15
#: Longest quotation, and longest thread, characters.
_QUOTE, _THREAD = 90, 140
_MEMORIES = ("memory", "memories")

#: Titles of sections, in the order in which they stand.
SUMMARY, ENGAGE, ANCHORS, OPEN, NEXT = (
    "Where things stand",
    "How to engage",
    "Anchors",
    "Open uncertainties",
    "Next actions",
)
KNOWN, FEELINGS, THEMES, HISTORY, LEFT_OUT = (
    "What is known",
    "Feelings",
    "Themes",
    "History",
    "Left out",
)


def sections_of(seen: Seen, mode: Mode, person: str | None, analyser: Analyser) -> list[Section]:
    """Return the sections of a pack but for its history, those that say nothing left out."""
    moments = seen.moments
    failed = failures_of(moments, analyser)[::-1]
    left = _left(threads_of(moments, analyser))
    uncertain, asked = left(ThreadKind.UNCERTAINTY), left(ThreadKind.QUESTION)
    promised = left(ThreadKind.PROMISE, ThreadKind.PROPOSAL)
    found = [
        Section(SUMMARY, tuple(_summary(seen, mode, person)), "I remember."),
        Section(ENGAGE, tuple(_guidance(moments, failed)), "When we go on."),
        Section(ANCHORS, tuple(_anchors(seen)), "What brings it back."),
        Section(OPEN, _threads([*uncertain, *asked]), "Still open."),
        Section(NEXT, _threads([*failed[:_FAILED], *promised]), "To do next."),
        Section(KNOWN, tuple(_known(seen, person)), "What I know."),
    ]
    if mode is Mode.REFLECTION:
        found += _reflected(moments, analyser)
    return [section for section in found if section.lines]


def history_of(chosen: Sequence[Chosen]) -> Section:
    """Return what is told of some memories, a line a session, each speaker's together."""
    sessions: dict[tuple[str, str | None], list[Chosen]] = defaultdict(list)
    for one in sorted(chosen, key=lambda c: (c.moment.memory.at, c.moment.memory.seq)):
        memory = one.moment.memory
        place = (day(memory.at), None) if memory.session is None else ("", memory.session)
        sessions[place].append(one)
    return Section(HISTORY, tuple(map(_session, sessions.values())), "What was said and done.")


def day(instant: datetime) -> str:
    """Return a date as it stands in a pack."""
    return instant.strftime("%Y-%m-%d")


def _session(told: Sequence[Chosen]) -> Line:
    items = []
    said: dict[str, list[Chosen]] = defaultdict(list)
    for one in told:
        said[_voice(one.moment)].append(one)
    for voice, ones in said.items():
        for place, one in enumerate(ones):
            opened = f"{voice}: {one.gist.text}" if place == 0 else one.gist.text
            items.append(Item(opened, (one.moment.memory,)))
    return Line(tuple(items), day(told[0].moment.memory.at))


def _voice(moment: ExperienceView) -> str:
    failed = " failed" if moment.error else ""
    return moment.memory.person or f"{moment.tool or moment.memory.kind}{failed}"


def _summary(seen: Seen, mode: Mode, person: str | None) -> list[Line]:
    moments = seen.moments
    own = [one for one in moments if person and one.memory.person == person] or moments
    sessions = {one.memory.session for one in own if one.memory.session is not None}
    counted = _many(len(own), "message", "messages") if person else _many(len(own), *_MEMORIES)
    counted += f" in {_many(len(sessions), 'session', 'sessions')}" if sessions else ""
    first, last = own[0].memory, own[-1].memory
    lead = person or "All that was looked at"
    begun = f"{counted}, the first on {day(first.at)}"
    away = _away(seen.at, last.at)
    lines = [
        Line((Item(begun, (first,)), Item(f"the last on {day(last.at)}{away}", (last,))), lead)
    ]
    if mode is Mode.CRISIS:
        lines += _broken(moments)
    lines += _trajectory(moments)
    return lines + _others(moments, person)


def _many(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"


def _away(now: datetime, last: datetime) -> str:
    days = (now - last).days
    return f", {days} days ago" if days > 1 else ""


def _broken(moments: Sequence[ExperienceView]) -> list[Line]:
    """Return where it broke off, and the last state that was good."""
    last = moments[-1]
    lines = [Line((Item(_step(last), (last.memory,)),), "It broke off at")]
    steps = [one for one in moments if one.tool is not None]
    good = next((one for one in reversed(steps) if not one.error), None)
    if good is not None:
        lines.append(Line((Item(_step(good), (good.memory,)),), "Last good state"))
    asked = next((o for o in reversed(moments) if o.memory.kind == "user_message"), None)
    if asked is not None:
        lines.append(Line((Item(_step(asked), (asked.memory,)),), "Last asked for"))
    return lines


def _step(moment: ExperienceView) -> str:
    text = moment.memory.text.removeprefix(moment.tool or "").lstrip()
    return f"{_voice(moment)}: {shorten(text, _QUOTE) or 'nothing of it is kept'}"


def _trajectory(moments: Sequence[ExperienceView]) -> list[Line]:
    """Return how it felt from session to session, where a word for it changed."""
    strongest: dict[str | None, ExperienceView] = {}
    for one in moments:
        if one.signature and one.signature.primary:
            best = strongest.get(one.memory.session)
            if best is None or one.feeling > best.feeling:
                strongest[one.memory.session] = one
    points = [(one, _word(one)) for one in strongest.values()]
    changed = points[:1] + [later for before, later in pairwise(points) if before[1] != later[1]]
    items = [Item(f"{word} on {day(one.memory.at)}", (one.memory,)) for one, word in changed[-6:]]
    return [Line(tuple(items), "Feeling")] if items else []


def _others(moments: Sequence[ExperienceView], person: str | None) -> list[Line]:
    """Return who else spoke, most first."""
    said: dict[str, list[MemoryRecord]] = defaultdict(list)
    for one in moments:
        if one.memory.person is not None and one.memory.person != person:
            said[one.memory.person].append(one.memory)
    most = sorted(said.items(), key=lambda item: (-len(item[1]), item[0]))[:_LINES]
    items = [Item(f"{name} ({len(memories)})", (memories[-1],)) for name, memories in most]
    return [Line(tuple(items), "Who else spoke")] if items and person else []


def _guidance(moments: Sequence[ExperienceView], failed: Sequence[Thread]) -> list[Line]:
    hints = [
        Line((Item(h, (one.memory,)),))
        for one in reversed(moments)
        for h in one.phenomenology.hints
    ]
    careful = [
        Line((Item(f"“{shorten(thread.text, 60)}”: failed, not solved since", thread.memories),))
        for thread in failed[:1]
    ]
    hard = [one for one in moments if one.phenomenology.engagement is Engagement.STRUGGLING]
    engaged = [one for one in moments if one.phenomenology.engagement is not None]
    struggled = []
    if len(hard) > 1 and len(hard) > _STRUGGLING * len(engaged):
        said = f"{len(hard)} of {len(engaged)} moments were a struggle: go slowly"
        struggled = [Line((Item(said, tuple(one.memory for one in hard[-_SHOWN:])),))]
    return [*hints[:_HINTS], *careful, *struggled, *_last_note(moments)]


def _last_note(moments: Sequence[ExperienceView]) -> list[Line]:
    """Return how the last session ended, where it had a feeling."""
    last = moments[-1].memory.session
    felt = [one for one in moments if one.memory.session == last and one.feeling > _FELT]
    if not felt:
        return []
    one = felt[-1]
    asks = "ask how it went on" if one.valence < 0 else "take up from there"
    quoted = f"it was last {_word(one)}: “{shorten(one.memory.text, _QUOTE)}”, {asks}"
    return [Line((Item(quoted, (one.memory,)),))]


def _anchors(seen: Seen) -> list[Line]:
    """Return a model's anchors with what they are for, or by rule what was felt most."""
    named = [
        Line((Item(f"“{anchor.phrase}”: return to it, {anchor.significance}", (one.memory,)),))
        for one in reversed(seen.moments)
        for anchor in one.phenomenology.anchors
    ]
    if named:
        return named[:_ANCHORS]
    felt = sorted(
        (one for one in seen.moments if one.feeling > _FELT and one.is_message),
        key=lambda one: (-one.feeling, -one.memory.seq),
    )[:_SHOWN]
    return [
        Line((Item(f"“{shorten(o.memory.text, _QUOTE)}”: recall it, {_word(o)}", (o.memory,)),))
        for o in felt
    ]


def _left(threads: Sequence[Thread]) -> Callable[..., list[Thread]]:
    """Return what gives the open threads of some kinds, newest first, each text once."""

    def left(*kinds: ThreadKind) -> list[Thread]:
        found: dict[str, Thread] = {}
        for thread in reversed(threads):
            if thread.is_open and thread.kind in kinds:
                found.setdefault(thread.text, thread)
        return list(found.values())

    return left


def _threads(threads: Sequence[Thread]) -> tuple[Line, ...]:
    return tuple(
        Line(
            (Item(f"“{shorten(one.text, _THREAD)}” ({day(one.opened.at)})", one.memories),),
            f"{one.kind.value}, {one.by}",
        )
        for one in threads[:_LINES]
    )


def _known(seen: Seen, person: str | None) -> list[Line]:
    """Return the facts that hold, a line a subject, the asked person's first."""
    rests = {one.memory.id: one.memory for one in seen.moments}
    held: dict[str, list[Fact]] = defaultdict(list)
    for fact in seen.facts:
        if fact.experience in rests:
            held[fact.subject].append(fact)
    order = sorted(held, key=lambda name: (fold(name) != fold(person or ""), -len(held[name])))
    lines = []
    for name in order[:_LINES]:
        newest = held[name][-_FACTS:]
        told = {_bare(fact): rests[fact.experience] for fact in newest}
        items = tuple(Item(text, (memory,)) for text, memory in told.items())
        lines.append(Line(items, name))
    return lines


def _bare(fact: Fact) -> str:
    """Return what a fact says without its subject, which the line opens with."""
    text = fact.text.removeprefix(fact.subject).lstrip(" ,:")
    return text.rstrip(".") or fact.text


def _reflected(moments: Sequence[ExperienceView], analyser: Analyser) -> list[Section]:
    """Return what a reflection counts: feelings by word, themes by weight."""
    reflection = reflect_on(moments, {}, analyser)
    felt = [
        (word, _many(len(memories), "time", "times"), memories)
        for word, memories in reflection.memories_by_emotion.items()
    ]
    themes = [
        (theme.name, f"in {_many(theme.sessions, 'session', 'sessions')}", theme.memories)
        for theme in reflection.themes[: 2 * _LINES]
    ]
    return [
        Section(FEELINGS, _counted(felt), "How it felt."),
        Section(THEMES, _counted(themes), "What kept coming back."),
    ]


def _counted(counts: Sequence[tuple[str, str, Sequence[MemoryRecord]]]) -> tuple[Line, ...]:
    return tuple(
        Line((Item(often, tuple(memories[-_SHOWN:])),), name) for name, often, memories in counts
    )


def _word(one: ExperienceView) -> str:
    if one.signature and one.signature.primary:
        return ", ".join(word.value for word in one.signature.primary)
    return "in good spirits" if one.valence >= 0 else "in low spirits"
