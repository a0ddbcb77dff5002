"""What a pack says besides its history: where things stand, how to engage, anchors, what is open.

Built by rule from what was recorded; where a language model had spoken, its words are quoted. Every
line names the memories it rests on, and what rests on none is not said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from ...core.events import EventKind
from ...core.experience import Utterance
from ...core.people import YOU
from ...core.text import Analyser, quote
from ...core.types import MemoryRecord
from ...core.vocabulary import BAD_FEELINGS, Engagement
from ..history.experience_views import A_USER, AGENT, ExperienceView
from ..history.failures import ToolFailure, failures_of
from ..history.open_threads import TO_DO, Thread, ThreadKind
from ..history.reflection import reflect_on
from .fact_lines import fact_lines
from .interruption import interruption_lines
from .layout import PackItem, PackLine, PackSection, SectionTitle
from .modes import Mode
from .selection import SelectedMemory
from .snapshot import PackSnapshot
from .standing_alone import StandingAlone, among_speakers

#: At most so many lines of a kind (anchors and uncertainties 5, hints 3 as guidance).
_LINES, _HINTS, _ANCHORS, _SHOWN = 5, 3, 5, 3
#: Failures among the next actions and lessons in the guidance, at most.
_FAILURES_MAX = 2
#: More struggling than this share, and more than one, is said.
_STRUGGLING = 0.3
#: Longest quotation, and longest thread, characters.
_QUOTE, _THREAD = 90, 140
#: A time that something is due is the end of its day.
_DAY = timedelta(days=1)
_MEMORIES, _MESSAGES = ("memory", "memories"), ("message", "messages")
#: Modes that look at a part of what a person said, and how that is told.
_SCOPE_NOTES = {Mode.SESSION_BOOTSTRAP: ", lately", Mode.TOPIC_REENTRY: ", on this topic"}
#: By whom a thread is whose speaker has no name.
_UNNAMED = {EventKind.USER_MESSAGE.value: A_USER}
#: Modes in which an agent needs to be told who is who.
_WHO_IS_WHO = frozenset({Mode.SESSION_BOOTSTRAP, Mode.CRISIS})


def build_sections(
    snapshot: PackSnapshot, mode: Mode, person: str | None, analyser: Analyser
) -> list[PackSection]:
    """Return the sections of a pack but for its history, those that say nothing left out."""
    experiences = snapshot.experiences
    alone = among_speakers(analyser.terms, (e.memory.person for e in experiences))
    failures = failures_of(experiences, person)[::-1]
    failed = [failure for failure in failures if failure.is_open]
    open_of = _open_threads(snapshot)
    uncertain, asked = open_of(ThreadKind.UNCERTAINTY), open_of(ThreadKind.QUESTION)
    promised = sorted(
        open_of(*TO_DO),
        key=lambda thread: person is not None and thread.by not in (person, AGENT),
    )
    sections = [
        PackSection(SectionTitle.SUMMARY, tuple(_summary(snapshot, mode, person))),
        PackSection(SectionTitle.FACTS, tuple(fact_lines(snapshot, person, analyser.terms))),
        PackSection(SectionTitle.ENGAGE, tuple(_guidance(experiences, failures, person, alone))),
        PackSection(SectionTitle.ANCHORS, tuple(_anchors(snapshot, person, alone))),
        PackSection(SectionTitle.OPEN, _threads([*uncertain, *asked], snapshot.at)),
        PackSection(SectionTitle.NEXT, (*_failure_lines(failed), *_threads(promised, snapshot.at))),
    ]
    if mode is Mode.REFLECTION:
        sections += _reflection_sections(experiences, analyser, person)
    return [section for section in sections if section.lines]


def history_section(chosen: Sequence[SelectedMemory]) -> PackSection:
    """Return what is told of some memories, a line a session, each speaker's together."""
    sessions: dict[tuple[str, str | None], list[SelectedMemory]] = defaultdict(list)
    for item in sorted(chosen, key=lambda c: (c.experience.memory.at, c.experience.memory.seq)):
        memory = item.experience.memory
        place = (day(memory.at), None) if memory.session is None else ("", memory.session)
        sessions[place].append(item)
    return PackSection(SectionTitle.HISTORY, tuple(map(_session, sessions.values())))


def day(instant: datetime) -> str:
    """Return a date as it stands in a pack."""
    return instant.strftime("%Y-%m-%d")


def _session(selected: Sequence[SelectedMemory]) -> PackLine:
    items = []
    by_speaker: dict[str, list[SelectedMemory]] = defaultdict(list)
    for item in selected:
        by_speaker[item.experience.label].append(item)
    for speaker, group in by_speaker.items():
        for place, item in enumerate(group):
            quoted = quote(item.excerpt.text, len(item.excerpt.text))
            opened = f"{speaker}: {quoted}" if place == 0 else quoted
            items.append(PackItem(opened, (item.experience.memory,)))
    return PackLine(tuple(items), day(selected[0].experience.memory.at))


def _summary(snapshot: PackSnapshot, mode: Mode, person: str | None) -> list[PackLine]:
    experiences = snapshot.experiences
    own = [e for e in experiences if person and e.memory.person == person]
    counted_views = own or experiences
    sessions = {e.memory.session for e in counted_views if e.memory.session is not None}
    counted = _count(len(counted_views), *(_MESSAGES if own else _MEMORIES))
    counted += f" in {_count(len(sessions), 'session', 'sessions')}" if sessions else ""
    first, last = counted_views[0].memory, counted_views[-1].memory
    lead = f"{_led(person)}{_SCOPE_NOTES.get(mode, '')}" if own else "All that was looked at"
    begun = f"{counted}, the first on {day(first.at)}"
    away = _since_text(snapshot.at, last.at)
    lines = [
        PackLine(
            (PackItem(begun, (first,)), PackItem(f"the last on {day(last.at)}{away}", (last,))),
            lead,
        )
    ]
    if mode is Mode.CRISIS:
        lines += interruption_lines(experiences)
    lines += _trajectory(_felt(experiences, person))
    return lines + _speakers(snapshot, person, mode)


def _led(name: str | None) -> str:
    """Return a name as it opens a line."""
    return YOU.capitalize() if name == YOU else str(name)


def _count(count: int, singular: str, plural: str) -> str:
    return f"{count} {singular if count == 1 else plural}"


def _since_text(now: datetime, last: datetime) -> str:
    days = (now - last).days
    return f", {days} days ago" if days > 1 else ""


def _felt(experiences: Sequence[ExperienceView], person: str | None) -> list[ExperienceView]:
    """Return what people tell that they felt: the asked person, or anybody; tools feel nothing."""
    return [
        experience
        for experience in experiences
        if experience.memory.person is not None
        and person in (None, experience.memory.person)
        and _emotions(experience)
    ]


def _trajectory(felt: Sequence[ExperienceView]) -> list[PackLine]:
    """Return how each felt from session to session, where a word for it changed."""
    strongest: dict[tuple[str | None, str | None], ExperienceView] = {}
    for experience in felt:
        key = experience.memory.session, experience.memory.person
        best = strongest.get(key)
        if best is None or experience.feeling > best.feeling:
            strongest[key] = experience
    items: dict[str | None, list[PackItem]] = defaultdict(list)
    words: dict[str | None, str] = {}
    for experience in strongest.values():
        name, word = experience.memory.person, _emotions(experience)
        if words.get(name) != word:
            words[name] = word
            text = f"{word} on {day(experience.memory.at)}"
            items[name].append(PackItem(text, (experience.memory,)))
    return [
        PackLine(tuple(changed[-6:]), "Your feeling" if name == YOU else f"Feeling of {name}")
        for name, changed in items.items()
    ][:_SHOWN]


def _speakers(snapshot: PackSnapshot, person: str | None, mode: Mode) -> list[PackLine]:
    """Return who else spoke, most first; where a session begins, who is who to the agent."""
    if not person and mode not in _WHO_IS_WHO:
        return []
    by_person: dict[str, list[MemoryRecord]] = defaultdict(list)
    for experience in snapshot.experiences:
        if experience.memory.person is not None and experience.memory.person != person:
            by_person[experience.memory.person].append(experience.memory)
    most = sorted(by_person.items(), key=lambda item: (-len(item[1]), item[0]))[:_LINES]
    items = []
    for name, memories in most:
        relationship = snapshot.relationships.get(name) if mode in _WHO_IS_WHO else None
        role = f", {relationship.value}" if relationship else ""
        items.append(PackItem(f"{name} ({len(memories)}{role})", (memories[-1],)))
    return [PackLine(tuple(items), "Who else spoke" if person else "Who spoke")] if items else []


def _guidance(
    experiences: Sequence[ExperienceView],
    failures: Sequence[ToolFailure],
    person: str | None,
    alone: StandingAlone,
) -> list[PackLine]:
    hints = [
        PackLine((PackItem(h, (experience.memory,)),))
        for experience in reversed(experiences)
        for h in experience.phenomenology.hints
    ]
    left = [failure for failure in failures if failure.is_open]
    solved = [failure for failure in failures if not failure.is_open]
    lessons = [
        PackLine((PackItem(f"{failure.text}; {outcome}", failure.memories),))
        for failure in [*left[:1], *solved[:_FAILURES_MAX]]
        for outcome in ["not solved since" if failure.is_open else failure.fix]
    ]
    hard = [
        experience
        for experience in experiences
        if experience.phenomenology.engagement is Engagement.STRUGGLING
    ]
    engaged = [
        experience for experience in experiences if experience.phenomenology.engagement is not None
    ]
    struggled = []
    if len(hard) > 1 and len(hard) > _STRUGGLING * len(engaged):
        statement = f"{len(hard)} of {len(engaged)} moments were a struggle: go slowly"
        moments = tuple(experience.memory for experience in hard[-_SHOWN:])
        struggled = [PackLine((PackItem(statement, moments),))]
    return [
        *hints[:_HINTS],
        *lessons,
        *struggled,
        *_last_note(experiences, person, alone),
    ]


def _last_note(
    experiences: Sequence[ExperienceView], person: str | None, alone: StandingAlone
) -> list[PackLine]:
    """Return what was last felt in the last session, in the words in which it was told."""
    session = experiences[-1].memory.session
    felt = _felt([e for e in experiences if e.memory.session == session], person)
    if not felt:
        return []
    last = felt[-1]
    asks = "ask how it went" if last.valence < 0 else "take up from there"
    quoted = f"{_quoted(last, alone)}: {_emotions(last)}, {asks}"
    return [PackLine((PackItem(quoted, (last.memory,)),), f"{_led(last.memory.person)} last felt")]


def _anchors(snapshot: PackSnapshot, person: str | None, alone: StandingAlone) -> list[PackLine]:
    """Return a model's anchors with what they are for, or by rule what was felt most."""
    named = [
        PackLine(
            (
                PackItem(
                    f"{quote(anchor.phrase, _QUOTE)}: return to it, {anchor.significance}",
                    (experience.memory,),
                ),
            )
        )
        for experience in reversed(snapshot.experiences)
        for anchor in experience.phenomenology.anchors
    ]
    if named:
        return named[:_ANCHORS]
    felt = sorted(
        _felt(snapshot.experiences, person),
        key=lambda item: (not item.news, -item.feeling, -item.memory.seq),
    )[:_SHOWN]
    return [
        PackLine(
            (
                PackItem(
                    f"{_quoted(o, alone)}: return to it, felt {_emotions(o)}",
                    (o.memory,),
                ),
            ),
            _led(o.memory.person),
        )
        for o in felt
    ]


def _quoted(felt: ExperienceView, alone: StandingAlone) -> str:
    """Return, quoted, what was told where something was felt: all where that is short enough.

    Else it is from the sentence on that most likely says such a feeling, good or bad; with the one
    before it where that one names what was felt about.
    """
    text = felt.memory.text
    if len(text) <= _QUOTE:
        return quote(text, _QUOTE)
    bad = felt.signature is not None and not BAD_FEELINGS.isdisjoint(felt.signature.primary)

    def likely(utterance: Utterance) -> float:
        alike = (by for word, by in utterance.feelings.items() if (word in BAD_FEELINGS) == bad)
        return max(alike, default=0.0)

    says = max(felt.utterances, key=likely, default=None)
    if says is None or not likely(says):
        return quote(felt.news or text, _QUOTE)
    sentence = says.sentence_of(text)
    if not alone.leans(sentence):
        return quote(text[says.start :], _QUOTE)
    before = alone.sentence_before(text[: says.start])
    return quote(f"{before} {sentence}" if before else felt.news or text[says.start :], _THREAD)


def _open_threads(snapshot: PackSnapshot) -> Callable[..., list[Thread]]:
    """Return what gives the open threads of some kinds, newest first, each text once.

    With them is what was due not long ago. What was said again stands there once, with its time.
    """

    def select(*kinds: ThreadKind) -> list[Thread]:
        by_text: dict[str, Thread] = {}
        for thread in reversed(snapshot.threads):
            if thread.kind not in kinds or not (thread.is_open or thread.was_due(snapshot.at)):
                continue
            again = next((t for t in by_text.values() if t.repeats(thread)), None)
            if again is not None:
                by_text[again.text] = replace(again, due=again.due or thread.due)
            else:
                by_text.setdefault(thread.text, thread)
        return list(by_text.values())

    return select


def _failure_lines(failures: Sequence[ToolFailure]) -> list[PackLine]:
    """Return what failed and was not solved since."""
    return [
        PackLine(
            (PackItem(f"{failure.text} ({day(failure.opened.at)})", failure.memories),),
            "unresolved error",
        )
        for failure in failures[:_FAILURES_MAX]
    ]


def _threads(threads: Sequence[Thread], now: datetime) -> tuple[PackLine, ...]:
    return tuple(
        PackLine(
            (PackItem(f"{quote(thread.text, _THREAD)} ({_when(thread, now)})", thread.memories),),
            f"{thread.kind.value}, {_UNNAMED.get(thread.by, thread.by)}",
        )
        for thread in threads[:_LINES]
    )


def _when(thread: Thread, now: datetime) -> str:
    """Return when a thread was opened, and when it is or was due."""
    if thread.due is None:
        return day(thread.opened.at)
    verb = "due" if now < thread.due else "was due"
    return f"{day(thread.opened.at)}, {verb} {day(thread.due - _DAY)}"


def _reflection_sections(
    experiences: Sequence[ExperienceView], analyser: Analyser, person: str | None
) -> list[PackSection]:
    """Return what a reflection counts: feelings by whose and by word, themes by weight."""
    reflection = reflect_on(experiences, {}, analyser)
    whose: dict[tuple[str, str], list[MemoryRecord]] = defaultdict(list)
    for word, memories in reflection.memories_by_emotion.items():
        for memory in memories:
            if person in (None, memory.person):
                whose[memory.person or _UNNAMED.get(memory.kind, AGENT), word].append(memory)
    felt = [
        (f"{who}, {word}", _count(len(memories), "time", "times"), memories)
        for (who, word), memories in sorted(whose.items(), key=lambda item: -len(item[1]))
    ]
    themes = [
        (theme.name, f"in {_count(theme.sessions, 'session', 'sessions')}", theme.memories)
        for theme in reflection.themes[: 2 * _LINES]
    ]
    return [
        PackSection(SectionTitle.FEELINGS, _counted(felt)),
        PackSection(SectionTitle.THEMES, _counted(themes)),
    ]


def _counted(counts: Sequence[tuple[str, str, Sequence[MemoryRecord]]]) -> tuple[PackLine, ...]:
    return tuple(
        PackLine((PackItem(often, tuple(memories[-_SHOWN:])),), name)
        for name, often, memories in counts
    )


def _emotions(experience: ExperienceView) -> str:
    """Return the words for what was felt; "" where none is sure."""
    words = experience.signature.primary if experience.signature else ()
    return ", ".join(word.value for word in words)
