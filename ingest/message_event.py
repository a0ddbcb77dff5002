"""What was said or done, as the arguments of `remember` say it, as an event."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..core.errors import InvalidInput
from ..core.events import ROLE_NAMES, ROLES
from ..core.time import When, read_time
from ..core.types import Artifact

_NO_NAME = re.compile(r"[\x01-\x1f\x7f-\x9f\u2028\u2029]")


def message_event(  # noqa: PLR0913 - one argument a field
    text: str,
    person: str | None = None,
    session: str | None = None,
    at: When | None = None,
    id: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    artifacts: Sequence[Artifact | Mapping[str, Any]] = (),
    role: str = "user",
    tool: str | None = None,
    error: bool = False,
) -> dict[str, Any]:
    """Return what was said or done as an event in the native form, without what was not given.

    Raises `InvalidInput` for an empty text without artifacts, a name of several lines, an unknown
    role, and a tool's result without the tool's name.
    """
    if not (str(text).strip() or artifacts):
        raise InvalidInput("text is empty: give what was said")
    if person and _NO_NAME.search(str(person)):
        raise InvalidInput("person must be one line, without control characters")
    role = ROLE_NAMES.get(role.lower(), role.lower())
    if role not in ROLES:
        names = ", ".join([*ROLES, *ROLE_NAMES])
        raise InvalidInput(f"role {role!r} is unknown: use {names}")
    if (role == "tool") != (tool is not None) or (error and tool is None):
        raise InvalidInput("role='tool' needs tool=NAME, and tool and error need role='tool'")
    references = [
        dict(a) if isinstance(a, Mapping) else {k: v for k, v in asdict(a).items() if v is not None}
        for a in artifacts
    ]
    given = {
        "id": id,
        "ts": read_time(at, "at"),
        "person": person,
        "session": None if session is None else {"key": session},
        "tool": None if tool is None else {"name": tool, "isError": error},
        "metadata": None if metadata is None else dict(metadata),
        "artifacts": references or None,
    }
    payload = {"text": text} if tool is None else {"result": text}
    message = {"kind": ROLES[role].value, "payload": payload}
    return message | {name: value for name, value in given.items() if value is not None}
