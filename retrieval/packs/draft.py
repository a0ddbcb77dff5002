"""What a pack says besides its history: where things stand, how to engage, anchors, what is open.

Built by rule from what was recorded; where a language model had spoken, its words are quoted. Every
line names the memories it rests on, and what rests on none is not said.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from ...core.facts import Fact
from ...core.ids import fold
from ...core.text import shorten
from ...core.types import Memory
from ...core.vocabulary import Engagement
from .choice import Chosen
from .modes import Mode
from .seen import Moment, Seen
from .text import Item, Line, Section
from .threads import (
    Terms,
    Thread,
    commitments,
    open_questions,
    uncertainties,
    unresolved_errors,
)

#: At most so many lines of a kind (FACTS: anchors and uncertainties 5, hints 3 as guidance).
_LINES, _HINTS, _ANCHORS, _FACTS, _SHOWN = 5, 3, 5, 40, 3
#: More struggling than this share, and more than one, is said.
_STRUGGLING = 0.3
#: Felt more weakly than this is no anchor by rule.
_FELT = 0.15
_QUOTE = 90
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


def sections_of(seen: Seen, mode: Mode, person: str | None, terms: Terms) -> list[Section]:
    """Return the sections of a pack but for its history, those that say nothing left out."""
    found = [
        Section(SUMMARY, tuple(_summary(seen, mode, person)), "I remember."),
        Section(ENGAGE, tuple(_guidance(seen, terms)), "When we go on."),
        Section(ANCHORS, tuple(_anchors(seen)), "What brings it back."),
        Section(OPEN, tuple(_threads(_open(seen))), "Still open."),
        Section(NEXT, tuple(_threads(_next(seen, terms))), "To do next."),
        Section(KNOWN, tuple(_known(seen, person)), "What I know."),
    ]
    if mode is Mode.REFLECTION:
        found += [
            Section(FEELINGS, tuple(_feelings(seen)), "How it felt."),
            Section(THEMES, tuple(_themes(seen, terms)), "What kept coming back."),
        ]
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


def _voice(moment: Moment) -> str:
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


def _broken(moments: Sequence[Moment]) -> list[Line]:
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


def _step(moment: Moment) -> str:
    text = moment.memory.text.removeprefix(moment.tool or "").lstrip()
    return f"{_voice(moment)}: {shorten(text, _QUOTE) or 'nothing of it is kept'}"


def _trajectory(moments: Sequence[Moment]) -> list[Line]:
    """Return how it felt from session to session, where a word for it changed."""
    strongest: dict[str | None, Moment] = {}
    for one in moments:
        if one.lived is not None and one.lived.signature and one.lived.signature.primary:
            best = strongest.get(one.memory.session)
            if best is None or one.feeling > best.feeling:
                strongest[one.memory.session] = one
    points = [(one, _word(one)) for one in strongest.values()]
    changed = points[:1] + [later for before, later in pairwise(points) if before[1] != later[1]]
    items = [Item(f"{word} on {day(one.memory.at)}", (one.memory,)) for one, word in changed[-6:]]
    return [Line(tuple(items), "Feeling")] if items else []


def _others(moments: Sequence[Moment], person: str | None) -> list[Line]:
    """Return who else spoke, most first."""
    said: dict[str, list[Memory]] = defaultdict(list)
    for one in moments:
        if one.memory.person is not None and one.memory.person != person:
            said[one.memory.person].append(one.memory)
    most = sorted(said.items(), key=lambda item: (-len(item[1]), item[0]))[:_LINES]
    items = [Item(f"{name} ({len(memories)})", (memories[-1],)) for name, memories in most]
    return [Line(tuple(items), "Who else spoke")] if items and person else []


def _guidance(seen: Seen, terms: Terms) -> list[Line]:
    moments = seen.moments
    hints = [
        Line((Item(hint, (one.memory,)),))
        for one in reversed(moments)
        for hint in (one.lived.hints if one.lived else ())
    ][:_HINTS]
    failing = unresolved_errors(moments, terms)[:_HINTS]
    careful = [
        Line((Item(f"“{shorten(thread.text, 60)}”: failed, not solved since", (thread.memory,)),))
        for thread in failing
    ]
    hard = [o for o in moments if o.lived and o.lived.engagement is Engagement.STRUGGLING]
    felt = [one for one in moments if one.lived is not None]
    struggled = []
    if len(hard) > 1 and len(hard) > _STRUGGLING * len(felt):
        said = f"{len(hard)} of {len(felt)} moments were a struggle: go slowly"
        struggled = [Line((Item(said, tuple(one.memory for one in hard[-_SHOWN:])),))]
    return [*hints, *careful[:1], *struggled, *_last_note(moments)]


def _last_note(moments: Sequence[Moment]) -> list[Line]:
    """Return how the last session ended, where it had a feeling."""
    last = moments[-1].memory.session
    felt = [one for one in moments if one.memory.session == last and one.feeling > _FELT]
    if not felt:
        return []
    one = felt[-1]
    asks = "ask how it went on" if _valence(one) < 0 else "take up from there"
    quoted = f"it was last {_word(one)}: “{shorten(one.memory.text, _QUOTE)}”, {asks}"
    return [Line((Item(quoted, (one.memory,)),))]


def _anchors(seen: Seen) -> list[Line]:
    """Return a model's anchors with what they are for, or by rule what was felt most."""
    named = [
        Line((Item(f"“{anchor.phrase}”: return to it, {anchor.significance}", (one.memory,)),))
        for one in reversed(seen.moments)
        for anchor in (one.lived.anchors if one.lived else ())
    ]
    if named:
        return named[:_ANCHORS]
    felt = sorted(
        (one for one in seen.moments if one.feeling > _FELT and one.spoken),
        key=lambda one: (-one.feeling, -one.memory.seq),
    )[:_SHOWN]
    return [
        Line((Item(f"“{shorten(o.memory.text, _QUOTE)}”: recall it, {_word(o)}", (o.memory,)),))
        for o in felt
    ]


def _open(seen: Seen) -> list[Thread]:
    return [*uncertainties(seen.moments), *open_questions(seen.moments)][:_LINES]


def _next(seen: Seen, terms: Terms) -> list[Thread]:
    failed, promised = unresolved_errors(seen.moments, terms), commitments(seen.moments, terms)
    return [*failed[:2], *promised][:_LINES]


def _threads(threads: Sequence[Thread]) -> list[Line]:
    return [
        Line((Item(f"“{one.text}” ({day(one.memory.at)})", (one.memory,)),), _asked(one))
        for one in threads
    ]


def _asked(thread: Thread) -> str:
    return f"{thread.kind.value}, {thread.memory.person or thread.memory.kind}"


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


def _feelings(seen: Seen) -> list[Line]:
    words: dict[str, list[Memory]] = defaultdict(list)
    for one in seen.moments:
        for word in one.lived.signature.primary if one.lived and one.lived.signature else ():
            words[word.value].append(one.memory)
    most = sorted(words.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        Line((Item(f"{len(memories)} times", tuple(memories[-_SHOWN:])),), word)
        for word, memories in most
    ]


def _themes(seen: Seen, terms: Terms) -> list[Line]:
    """Return the words that came up in most sessions, and where."""
    where: dict[str, dict[str | None, Memory]] = defaultdict(dict)
    often: Counter[str] = Counter()
    names = {word for one in seen.moments for word in terms(one.memory.person or "")}
    for one in seen.moments:
        for term in set(terms(one.memory.text)) - names:
            where[term][one.memory.session] = one.memory
            often[term] += 1
    bound = max(3, len(seen.moments) // 4)
    kept = [t for t, found in where.items() if len(found) > 1 and often[t] <= bound]
    kept.sort(key=lambda term: (-len(where[term]), -often[term], term))
    return [
        Line((Item(f"in {len(where[t])} sessions", tuple(where[t].values())[-_SHOWN:]),), t)
        for t in kept[: 2 * _LINES]
    ]


def _word(moment: Moment) -> str:
    felt = moment.lived.signature if moment.lived else None
    if felt and felt.primary:
        return ", ".join(word.value for word in felt.primary)
    return "in good spirits" if _valence(moment) >= 0 else "in low spirits"


def _valence(moment: Moment) -> float:
    felt = moment.lived.signature if moment.lived else None
    return (felt.valence or 0.0) if felt else 0.0
