"""The operations of the service: one table, from which HTTP routes and MCP tools are made.

An operation is a function from a memory of the right space and its parameters to a JSON object. Its
name, summary and parameters are those of the function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_type_hints

from ..memory import Memory
from ..storage.api_keys import Access
from . import read_operations as read
from . import write_operations as write
from .documents import Document
from .parameters import SpaceParameters
from .write_parameters import CaptureParameters

Parameters = SpaceParameters | CaptureParameters


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation; `takes_query` where HTTP asks with GET."""

    run: Callable[[Memory, Any], Document]
    access: Access = Access.READ
    takes_query: bool = False
    is_destructive: bool = False

    @property
    def name(self) -> str:
        """Its name in MCP and in logs."""
        return self.run.__name__.rstrip("_")

    @property
    def is_reading(self) -> bool:
        """Whether it changes nothing."""
        return self.access is Access.READ or self.takes_query

    @property
    def path(self) -> str:
        """Where HTTP has it."""
        return "/v1/" + self.name.replace("_", "-")

    @property
    def summary(self) -> str:
        """What it does, in a sentence or two."""
        return inspect.getdoc(self.run) or ""

    @property
    def parameters(self) -> type[Parameters]:
        """The model of what it takes."""
        model: type[Parameters] = get_type_hints(self.run)["given"]
        return model


OPERATIONS = (
    *(
        Operation(run, Access.WRITE)
        for run in (
            write.capture,
            write.remember,
            write.feedback,
            write.propose_ideas,
            write.decide_idea,
            write.capture_batch,
            write.remember_batch,
            write.update,
            write.upsert,
            write.set_relationship,
            write.merge,
            write.unmerge,
            write.name_person,
            write.refuse_name,
        )
    ),
    Operation(write.forget, Access.ADMIN, is_destructive=True),
    Operation(read.doctor, Access.ADMIN, takes_query=True),
    *(
        Operation(run)
        for run in (read.recall, read.resume, read.reconstitute, read.plan, read.query, read.list_)
    ),
    *(
        Operation(run, takes_query=True)
        for run in (
            read.explain,
            read.why_not,
            read.reflect,
            read.show,
            read.ideas,
            read.what_if,
            read.replay,
            read.recalls,
            read.activation,
            read.history,
            read.people,
            read.relationship,
            read.sessions,
            read.entities,
            read.duplicates,
            read.transitions,
            read.facts,
            read.episodes,
            read.artifacts,
            read.schema,
            read.status,
            read.failures,
            read.journal,
            read.trace,
        )
    ),
)
