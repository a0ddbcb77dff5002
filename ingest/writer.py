"""The methods of `Memory` that write: remember, correct, capture, import.

Every method returns after the commit.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ..core import events
from ..core.calls.arguments import checked
from ..core.errors import Conflict, InvalidInput, MeridiaError, NotFound
from ..core.time import When, read_time
from ..core.types import Acknowledgement, Artifact, HasContent, MemoryRecord, Outcome, Space
from ..core.vocabulary import ANEW, CORRECTS
from ..storage.forgetting import erasure as forgetting_selection
from ..storage.projections import catalog
from . import chat_messages, message_event
from .importers import import_reader, import_record

if TYPE_CHECKING:
    from ..core.events import Event
    from ..core.settings import Settings
    from ..storage.forgetting.erasure import ForgettingRequest
    from ..storage.store import Store
    from .capture.capture_context import CaptureContext
    from .capture.service import CaptureService, CaptureSummary, OnAnswer
    from .forgetting.forgetting_service import ForgettingResult, ForgettingService
    from .importers.import_options import ImportOptions
    from .importers.import_record import ImportRecord


@checked
class Writer:
    """Writes to one space of an open journal file; `Memory` is one."""

    space: Space
    settings: Settings
    _file: Store

    @property
    @abstractmethod
    def _capture(self) -> CaptureService:
        """What takes events in."""

    @property
    @abstractmethod
    def _forgetting(self) -> ForgettingService:
        """What forgets in the space."""

    @abstractmethod
    def _enrich_soon(self) -> None:
        """Enrich, or have it done in the background."""

    @abstractmethod
    def get(self, id: str) -> MemoryRecord:
        """Return one memory by its id or address."""

    def remember(  # noqa: PLR0913 - one argument a field
        self,
        text: str | Mapping[str, Any] | HasContent,
        *,
        person: str | None = None,
        session: str | None = None,
        at: When | None = None,
        id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        artifacts: Sequence[Artifact | Mapping[str, Any]] = (),
        role: str = "user",
        tool: str | None = None,
        error: bool = False,
    ) -> Acknowledgement:
        """Remember what `person` said, or what an agent or a tool did.

        `person` is who speaks: leave it out for the agent's own answers, also those to a person.
        `role` is user, assistant, tool (with the name of the `tool`, and `error` if it failed),
        note or system, or as others call these: human, ai, model, function, developer. `at` is a
        time (default: now); `id` is the caller's own: the same id with the same content is one
        memory, with other content a `Conflict` (see `upsert`). `artifacts` are files, links and
        images by `uri` and `description`; `metadata` is what `where` filters by. In place of a
        text, one message as OpenAI, Anthropic or LangChain write it. Raises `InvalidInput` for an
        empty text.
        """
        if not isinstance(text, str):
            return self._remember_message(
                text, person, session, {"at": at, "id": id, "metadata": metadata}
            )
        return self.capture(
            message_event.message_event(
                text, person, session, at, id, metadata, artifacts, role, tool, error
            )
        )

    def _remember_message(
        self,
        message: object,
        person: str | None,
        session: str | None,
        given: Mapping[str, Any],
    ) -> Acknowledgement:
        more = {name: value for name, value in given.items() if value is not None}
        if more and isinstance(message, Mapping):
            message = {**message, **more}
        read = self._message_reader(person, session).read([message])
        if len(read) != 1:
            raise InvalidInput(f"the message holds {len(read)} events: give it to remember_many")
        return self.capture(read[0])

    def _message_reader(
        self, person: str | None, session: str | None
    ) -> chat_messages.MessageReader:
        return chat_messages.MessageReader(person, session)

    def remember_many(
        self,
        messages: Iterable[Mapping[str, Any] | HasContent],
        *,
        person: str | None = None,
        session: str | None = None,
    ) -> list[Acknowledgement]:
        """Remember messages; all or none go in. Returns one acknowledgement an event, in order.

        Each is a mapping of `remember`'s arguments, or a message as OpenAI, Anthropic or LangChain
        write it, with any of `person`, `session`, `at`, `metadata` beside; a tool call goes with
        its result, an empty message is no event. `person` and `session` are those of messages that
        name none. Raises `InvalidInput` or `Conflict`, naming the first message that is wrong.
        """
        drafts = self._message_reader(person, session).read(messages)
        return self._capture.capture_atomically(self.space, drafts)

    def update(
        self,
        id: str,
        text: str,
        *,
        at: When | None = None,
        metadata: Mapping[str, Any] | None = None,
        version_id: str | None = None,
    ) -> Acknowledgement:
        """Correct a memory: from now on `text` is found in its place; `history` shows both.

        Person, session, role and metadata are those of the version before; `metadata` adds to them.
        Nothing is lost: the version before stays in the journal and under its own address.
        `version_id` is the caller's own for the new version: given again, it is the same one.
        Raises `NotFound` for an unknown id.
        """
        seq = int(self.get(id).seq)  # before the lock, for which the keeper of answers may wait
        with self._file.writing():
            versions = self._file.catalog.versions(self.space, seq)
            earlier = [v for v in versions if version_id is None or v.event_id != version_id]
            if not earlier:
                raise Conflict(
                    f"{version_id!r} is the memory itself: give its correction another id"
                )
            given = {"metadata": {**earlier[-1].metadata, **(metadata or {})}}
            return self.capture(
                _next_version(earlier[-1], text, {"at": at, "id": version_id} | given)
            )

    def upsert(  # noqa: PLR0913 - one argument a field
        self,
        id: str,
        text: str,
        *,
        person: str | None = None,
        session: str | None = None,
        at: When | None = None,
        metadata: Mapping[str, Any] | None = None,
        artifacts: Sequence[Artifact | Mapping[str, Any]] | None = None,
        role: str | None = None,
        tool: str | None = None,
    ) -> Acknowledgement:
        """Have a memory under the caller's own `id` say `text`, whatever it said before.

        A new id is remembered, as by `remember`. Other content under a known one is its next
        version, as by `update`: what is not given stays as it was; `metadata`, where given, takes
        the place of that before. The same content is acknowledged again. An id that was forgotten
        begins anew, also with the same content. Afterwards `get(id)` has this text.
        """
        if catalog.is_address(id):
            raise InvalidInput(f"{id!r} is an address: upsert takes an id of your own")
        given: dict[str, Any] = {"person": person, "session": session, "at": at, "role": role}
        given |= {"metadata": metadata, "artifacts": artifacts, "tool": tool}
        with self._file.writing():
            try:
                before = catalog.find_memory(self._file.catalog, self._file.trace, self.space, id)
            except NotFound:
                return self._begin(id, text, given)
            event = events.parse_event(_next_version(before, text, given))
            if self._capture.says_the_same(self.space, event, before):
                return Acknowledgement(before.seq, before.id, id, Outcome.REDELIVERED)
            return replace(self.capture(event), event_id=id)

    def _begin(self, id: str, text: str, given: Mapping[str, Any]) -> Acknowledgement:
        fields = {name: value for name, value in given.items() if value is not None}
        event = checked(message_event.message_event)(text, id=id, **fields)
        answer = self.capture(event)
        if not answer.forgotten:
            return answer
        # Not sent again by a file or a queue: said anew by somebody, after it was forgotten.
        return self.capture({**event, ANEW: self._file.journal.head(self.space).seq})

    def forget(  # noqa: PLR0913 - one argument a filter
        self,
        *,
        person: str | None = None,
        session: str | None = None,
        ids: Sequence[str] | None = None,
        where: Mapping[str, Any] | None = None,
        kind: str | None = None,
        before: When | None = None,
        dry_run: bool = False,
    ) -> ForgettingResult:
        """Forget the memories that all of the given filters leave, everywhere and for good.

        Those a person said or was told, of a session, by id or address, by what metadata say, by
        kind, and what happened before a time. With `dry_run`, only say what would go and from
        where. Corrected versions go together. Raises `InvalidInput` without any filter,
        `UnknownPerson`, and `NotFound` for an unknown session or id. See docs/forgetting.md.
        """
        events.check_kind(kind)
        seqs = None if ids is None else [int(self.get(id).seq) for id in ids]
        request = forgetting_selection.ForgettingRequest(
            person, session, seqs, where or None, kind, read_time(before, "before")
        )
        if request.scope == "space":
            raise InvalidInput(
                "nothing says what to forget: give a person, session, ids, where, kind or before; "
                "`forget_space`, or --all, forgets everything"
            )
        return self._forget(request, dry_run)

    def forget_space(self, *, dry_run: bool = False) -> ForgettingResult:
        """Forget everything in the space; its name stays, and what is sent again stays out."""
        return self._forget(forgetting_selection.ForgettingRequest(), dry_run)

    def _forget(self, request: ForgettingRequest, dry_run: bool) -> ForgettingResult:
        result = self._forgetting.forget(request, dry_run=dry_run)
        if result.receipt is not None:
            self._enrich_soon()
        return result

    def capture(self, event: Event | Mapping[str, Any]) -> Acknowledgement:
        """Capture one event in the native form: `kind` and `payload` are required."""
        return self._capture.capture_event(self.space, events.parse_event(event))

    def capture_many(
        self, given: Iterable[Event | Mapping[str, Any]]
    ) -> list[Acknowledgement | MeridiaError]:
        """Capture events in the native form in one transaction; each has its own answer."""
        answers: dict[int, Acknowledgement | MeridiaError] = {}
        parsed: dict[int, Event] = {}
        for place, event in enumerate(given):
            try:
                parsed[place] = events.parse_event(event)
            except InvalidInput as error:
                answers[place] = error
        captured = self._capture.capture_events(self.space, list(parsed.values()))
        answers |= zip(parsed, captured, strict=True)
        return [answers[place] for place in sorted(answers)]

    def explain(self, event: Event | Mapping[str, Any]) -> CaptureContext:
        """Return what would become of an event now, and why; keep nothing."""
        return self._capture.explain(self.space, events.parse_event(event))

    def import_file(
        self,
        source: Path | BinaryIO,
        format: str | None = None,
        space: str | None = None,
        options: ImportOptions | None = None,
    ) -> CaptureSummary:
        """Capture every event of a file, folder, zip archive or binary stream.

        The content says the format. Events go to `space`, else to the one that the format
        suggests, else to this memory's own. What cannot go in is counted and does not keep the
        rest out; `read` of the result says what the input was read as, and what was left out.
        """
        with import_reader.read(source, format, options=options) as records:
            return replace(self.import_records(records, space), read=records.report)

    def import_records(
        self,
        records: Iterable[ImportRecord],
        space: str | None = None,
        on_answer: OnAnswer | None = None,
    ) -> CaptureSummary:
        """Capture records of an importer; see `import_file`.

        The sessions that went on are over with the last record: nothing of them is to come.
        """
        ended: dict[Space, dict[str, None]] = {}

        def space_of(record: object) -> Space:
            if not isinstance(record, import_record.ImportRecord):
                kind = type(record).__name__
                raise InvalidInput(f"a record is of type {kind}: give records of an importer")
            return Space(space or record.space or self.space)

        def note(record: ImportRecord, answer: Acknowledgement | MeridiaError) -> None:
            went_in = (
                isinstance(answer, Acknowledgement) and answer.outcome is not Outcome.REDELIVERED
            )
            if went_in and record.event is not None and record.event.session is not None:
                ended.setdefault(space_of(record), {})[record.event.session.key] = None
            if on_answer:
                on_answer(record, answer)

        summary = self._capture.stream(records, space_of, on_answer=note, imported=True)
        for name, keys in ended.items():
            self._capture.end_sessions(name, keys)
        return summary


def _next_version(before: MemoryRecord, text: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the event that corrects a version: what is not given is as it was."""
    role = events.ROLE_OF_KIND.get(before.kind, "note")
    fields: dict[str, Any] = {
        "person": before.given_person,
        "session": before.session,
        "metadata": before.metadata,
        "artifacts": before.artifacts,
        "role": role,
        "tool": before.tool if before.kind == "tool_result" else None,
    }
    fields |= {name: value for name, value in given.items() if value is not None}
    fields["metadata"] = {**fields["metadata"], CORRECTS: before.id}
    return checked(message_event.message_event)(text, **fields)
