"""Which event ends its session: one that says so, or the submission of a run's result."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...core.events import EventKind
from .command_lines import commands_of, is_shell
from .failure_signs import is_error
from .tool_calls import Event, args_of, tool_of

#: Tools and commands by which an agent ends a run: it hands in what it did, or hands over.
_COMPLETES = re.compile(
    r"submit|finish|attempt_completion|final_answer|(?:complete|end)_task|task_(?:complete|done)"
    r"|(?:transfer|escalate|hand_?off|hand_over)_to_(?:a_)?human(?:_agents?)?"
)
#: Fields of a boundary that say of what kind it is.
_BOUNDARY_FIELDS = ("boundary", "type", "event", "phase", "action", "reason", "name", "state")
_COMPACTION_WORDS = re.compile(r"compact|checkpoint|snapshot|pause", re.IGNORECASE)
_END_WORDS = re.compile(
    r"(?:^|[^a-z])(?:end|ended|ends|stop|clos|finish|over|exit|reset|new\b|clear)"
)
_START_WORDS = re.compile(r"(?:^|[^a-z])(?:start|begin|began|begun|open|resum|bootstrap|creat)")


def ends_session(event: Event) -> bool:
    """Say whether an event ends its session: a boundary that does not say anything else.

    Boundaries that start or resume a session, and those around a compaction, end nothing. A run
    ends with what hands in its result, see `completes_run`.
    """
    if event.get("kind") != EventKind.SESSION_BOUNDARY:
        return completes_run(event)
    payload = event.get("payload")
    fields = payload if isinstance(payload, Mapping) else {}
    values = [fields.get(name) for name in (*_BOUNDARY_FIELDS, "text")]
    words = " ".join(word for word in values if isinstance(word, str)).casefold()
    if _COMPACTION_WORDS.search(words):
        return False
    return bool(_END_WORDS.search(words)) or not _START_WORDS.search(words)


def completes_run(event: Event) -> bool:
    """Say whether an event hands in the result of a run, or hands the run to a human."""
    if event.get("kind") != EventKind.TOOL_RESULT or is_error(event):
        return False
    lines = args_of(event) if is_shell(tool_of(event)) else []
    names = [command.program for line in lines for command in commands_of(line)]
    return any(_COMPLETES.fullmatch(name) for name in names or [tool_of(event)])
