"""Says whether what was shown was of use: verdicts, ratings, and taking them back.

Each is an entry of the journal. What it gives to the memories is written there in hundredths, so
that the past keeps its meaning when the rules change. Recalling is no feedback, and writes none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from ..core.errors import InvalidInput, NotFound
from ..core.types import Draft, EntryKind, Payload, Space
from ..graph import feedback, packs
from ..graph.feedback import Given, Rate
from ..graph.journal_file import JournalFile

_PREFIX = "meridia://"
#: What a verdict or a rating about a whole answer gives to each of its memories: a quarter.
_WHOLE = 4
_RATINGS = range(1, 6)
_NOTE_CHARS_MAX = 500
#: Of what was said about one thing, so many are looked through for one that stands.
_LOOKED_THROUGH = 1000


class Verdict(StrEnum):
    """What somebody may say about what was shown."""

    USEFUL = "useful"
    STALE = "stale"
    WRONG = "wrong"


#: What each verdict gives to a memory, hundredths; a rating gives -100 to 100 in steps of 50.
HUNDREDTHS: Mapping[Verdict, int] = {Verdict.USEFUL: 100, Verdict.STALE: -50, Verdict.WRONG: -100}


class Identified(Protocol):
    """Whatever was shown and has an id: a memory, a recall's hit, an answer, a pack."""

    @property
    def id(self) -> str:
        """Its id."""
        ...


@dataclass(frozen=True, slots=True)
class About:
    """What a feedback is about: a memory alone, or an answer with all that it showed."""

    id: str
    memories: Sequence[str]
    mode: str | None = None


class Feedback:
    """Takes feedback about one space of one file; calling it gives one."""

    def __init__(
        self,
        file: JournalFile,
        space: Space,
        clean: Callable[[str], str] = str,
        settle: Callable[[], None] = lambda: None,
    ) -> None:
        """Work on a file; `clean` takes out of a note what may not be kept.

        `settle` waits until every answer so far is kept.
        """
        self._file = file
        self._space = space
        self._clean = clean
        self._settle = settle

    def __call__(
        self,
        target: str | Identified,
        verdict: Verdict | str | None = None,
        rating: int | None = None,
        note: str | None = None,
    ) -> str:
        """Say that a memory, a recall's hit, a whole recall or a pack was of use, or was not.

        `verdict` is "useful", "stale" or "wrong", `rating` from 1 to 5; one of them is needed.
        With both, what counts lies midway. Returns the id under which it can be taken back.
        Raises `NotFound` for a target that is not there, `InvalidInput` for anything else.
        """
        said = _verdict(verdict)
        _check(said, rating, note)
        self._settle()
        about = self._about(target)
        given = _hundredths(said, rating)
        each = given if about.mode is None else round(given / _WHOLE)
        how = "rated" if said is None else said.value
        payload: Payload = {
            "reconstitution": None if about.mode is None else about.id,
            "mode": about.mode,
            "shown": list(about.memories),
            "verdict": said,
            "rating": rating,
            "note": note and self._clean(note),
            "effects": {id: [how, each] for id in about.memories},
            "by": "user",
        }
        return self._append(payload)

    def undo(self, target: str | Identified) -> str:
        """Take back a feedback by its id, or the newest said about a memory, a recall or a pack.

        Scores are then exactly what they were without it. Returns the id of what was taken back.
        Raises `NotFound` where nothing stands that could be taken back.
        """
        self._settle()  # before the lock is taken, for which the keeper of answers may wait
        with self._file.database.writing():  # nobody else takes it back meanwhile
            given = self._standing(_id(target))
            self._append({"undoes": given.id, "by": "user"})
        return given.id

    def newest(self, limit: int = 20) -> list[Given]:
        """Return the newest rows of the table, newest first, with what was taken back."""
        with self._file.database.reading() as connection:
            return feedback.newest(connection, self._number, limit)

    def rates(self) -> list[Rate]:
        """Return how often what was shown was of use, by mode."""
        with self._file.database.reading() as connection:
            return feedback.rates(connection, self._number)

    @property
    def _number(self) -> int:
        return self._file.journal.number(self._space)

    def _append(self, payload: Payload) -> str:
        draft = Draft(EntryKind.FEEDBACK_GIVEN, "", payload)
        (answer,) = self._file.journal.append(self._space, [draft])
        return answer.id

    def _about(self, target: str | Identified) -> About:
        """Find what is meant: a recall or a pack that was kept, or else a memory."""
        id = _id(target)
        kept = self._file.trace.find_recall(self._space, id)
        if kept is not None:
            return About(id, [hit["id"] for hit in kept["hits"]], "recall")
        if (pack := packs.find(self._file, self._space, id)) is not None:
            cited = self._file.journal.by_keys(
                self._space, EntryKind.EXPERIENCE_CAPTURED, pack["cited"]
            )
            return About(id, [entry.id for entry in cited], pack["mode"])
        try:
            found = self._file.catalog.find(self._space, id)
        except NotFound:
            raise NotFound(
                f"nothing called {id!r} was shown in space {self._space!r}: give the id or address "
                "of a memory, or the id of a recall or pack that was kept"
            ) from None
        return About(found.id, [found.id])

    def _standing(self, id: str) -> Given:
        """Return the feedback of this id, or the newest about what has this id, that stands."""
        with self._file.database.reading() as connection:
            found = feedback.newest(connection, self._number, 1, id=id)
            if not found:
                about = self._about(id).id
                every = feedback.newest(connection, self._number, _LOOKED_THROUGH, about=about)
                found = [one for one in every if one.auto_score is None]
        standing = [one for one in found if not one.taken_back]
        if not standing:
            raise NotFound(f"no feedback about {id!r} stands: `meridia feedback --list` shows it")
        return standing[0]


def _id(target: str | Identified) -> str:
    id = target if isinstance(target, str) else target.id
    return id.removeprefix(_PREFIX).strip("/")


def _verdict(verdict: Verdict | str | None) -> Verdict | None:
    if verdict is None:
        return None
    try:
        return Verdict(verdict)
    except ValueError:
        known = ", ".join(Verdict)
        raise InvalidInput(f"verdict {verdict!r} is not known: choose from {known}") from None


def _check(verdict: Verdict | None, rating: int | None, note: str | None) -> None:
    if verdict is None and rating is None:
        raise InvalidInput("feedback says nothing: give a verdict, a rating from 1 to 5, or both")
    if rating is not None and rating not in _RATINGS:
        raise InvalidInput(f"rating {rating} is out of range: 1 to 5")
    if note is not None and len(note) > _NOTE_CHARS_MAX:
        raise InvalidInput(f"note has {len(note)} characters: at most {_NOTE_CHARS_MAX} are kept")


def _hundredths(verdict: Verdict | None, rating: int | None) -> int:
    said = [] if verdict is None else [HUNDREDTHS[verdict]]
    if rating is not None:
        said.append((rating - 3) * 50)
    return round(sum(said) / len(said))
