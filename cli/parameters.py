"""Options of commands, made of the parameters of the operations that they call.

Names, types, bounds, defaults and help are those of the models that HTTP and MCP read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, TypeVar, get_args

import click
from pydantic import BaseModel

from ..service.parameters import FilterParameters, Instant, Time, flat_schema
from .options import conditions, instant_of, time_of

F = TypeVar("F", bound=Callable[..., Any])
#: What stands for a value in the help; T for a time, TEXT for anything else.
_METAVARS = {
    **dict.fromkeys(("person", "about", "tool"), "NAME"),
    "id": "ID",
    **dict.fromkeys(("session", "current_session"), "KEY"),
    **{name: name.upper() for name in ("kind", "mode")},
}


def options_of(model: type[BaseModel], names: str) -> Callable[[F], F]:
    """Give a command an option for each named parameter; times arrive read."""
    described = flat_schema(model)["properties"]
    made = [_option(model, name, described[name]) for name in names.split()]
    return lambda command: reduce(lambda to, option: option(to), reversed(made), command)


def filter_options(command: F) -> F:
    """Give a command the options that say which memories to look at."""
    where = where_option("Metadata; also K!=V, K>=V, or JSON.")
    return options_of(FilterParameters, "person session kind since until")(where(command))


def where_option(help: str) -> Callable[[F], F]:
    """Give a command the option for conditions on metadata."""
    return click.option(
        "--where",
        multiple=True,
        metavar="K=V",
        callback=lambda _, __, texts: conditions(texts),
        help=help,
    )


def _option(
    model: type[BaseModel], name: str, schema: Mapping[str, Any]
) -> Callable[[Callable[..., Any]], Any]:
    field, flag = model.model_fields[name], "--" + name.replace("_", "-")
    alternatives = get_args(field.annotation)
    read = instant_of if Instant in alternatives else time_of if Time in alternatives else None
    least, most = schema.get("minimum"), schema.get("maximum")
    kinds = {"integer": click.IntRange(least, most), "number": click.FloatRange(least, most)}
    kind = click.Choice(schema["enum"]) if "enum" in schema else kinds.get(schema["type"])
    metavar = None if kind else "T" if read else _METAVARS.get(name, "TEXT")
    help = str(schema["description"])
    is_flag = schema["type"] == "boolean"
    return click.option(
        flag,
        type=bool if is_flag else kind,
        is_flag=is_flag,
        metavar=None if is_flag else metavar,
        default=field.default,
        show_default=bool(field.default),
        callback=(lambda _, __, text: read(text, flag)) if read else None,
        help=f"{help[0].upper()}{help[1:]}.",
    )
