"""Transitions of a session's register by the feelings that a model read.

The same register as the rules maintain, over the same messages, with the model's word where it has
one. A transition is at a message whose feeling the model states; a transition that the rules
recorded there is not repeated. Nothing is stored here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ....core.entries import StateTransitioned
from ....core.experience import Phenomenology, RegisterState
from ....core.ids import derived
from ....core.settings import TransitionsSettings
from ....core.types import EntryKind
from ....core.vocabulary import TransitionField
from ....storage.store import Store
from .. import register
from ..batch_state import speaker_of
from .transcript import TranscriptLine

_FIELD = TransitionField.EMOTIONAL_SIGNATURE


def felt_changes(
    window: Sequence[TranscriptLine],
    felt: Mapping[str, Phenomenology],
    feeling_before: Callable[[TranscriptLine], Phenomenology | None],
    file: Store,
    thresholds: TransitionsSettings,
) -> Iterator[tuple[str, StateTransitioned]]:
    """Yield the changes of people's feelings in a window, with their keys.

    `felt` is what the model read, by experience; `feeling_before` says how any other message was.
    """
    changed = _changed(window, file)
    state = RegisterState()
    for line in window:
        entry, person = line.entry, speaker_of(line.event, line.entry.space)
        phenomenology = felt.get(entry.id) or (feeling_before(line) if person else None)
        if person is None or phenomenology is None or entry.stream is None:
            continue
        state, changes = register.step(
            state, phenomenology, None, entry.at, entry.key, thresholds, person
        )
        for change in changes:
            if change.field is _FIELD and entry.id in felt and entry.id not in changed:
                id = derived("transition", entry.space, entry.id, "model")
                yield id, register.transitioned(change, id, entry.stream, entry.id, person)


def _changed(window: Sequence[TranscriptLine], file: Store) -> set[str]:
    """Return the experiences at which a change of feeling is recorded already."""
    space, streams = window[0].entry.space, {line.entry.stream for line in window} - {None}
    entries = file.journal.of_sessions(
        space, EntryKind.STATE_TRANSITIONED, sorted(map(str, streams))
    )
    payloads = [entry.payload for entry in entries]
    return {
        payload.experience
        for payload in payloads
        if isinstance(payload, StateTransitioned) and payload.field is _FIELD
    }
