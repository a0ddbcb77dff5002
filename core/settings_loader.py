"""Gathers the settings in one place: defaults < file < environment < flags.

`load` remembers where each value came from. The environment variable of a key is
`MERIDIA_SECTION_NAME`, but for a few. Nothing else in Meridia reads the environment.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import BaseModel, ValidationError

from .calls.arguments import checked
from .errors import InvalidInput
from .settings import Settings

#: Variables without a section: where the journal lies, which space, which settings file.
DATABASE, SPACE, CONFIG = "MERIDIA_DB", "MERIDIA_SPACE", "MERIDIA_CONFIG"
#: Keys whose variable has a name of its own.
_VARIABLES = {
    "recall.debug": "MERIDIA_ENABLE_RETRIEVAL_DEBUG",
    "recall.rerank": "MERIDIA_ENABLE_RERANK",
    "recall.rerank_candidates": "MERIDIA_RERANK_CANDIDATE_LIMIT",
}
#: Sections that are held within another: what a kept answer was computed with is one value.
_NESTED = {"reference": "recall"}

#: Behind what stands before it: a password in an address, or in a list of names and values.
_PASSWORD = re.compile(
    r"((?<=://)[^/?#:@\s]*:)[^/?#\s]*(?=@)|(password\s*=\s*)(?:'(?:[^'\\]|\\.)*'|[^&\s]+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The settings in force and, by key, where each value came from."""

    settings: Settings
    origins: Mapping[str, str]


def section_of(settings: Settings, name: str) -> BaseModel:
    """Return one section by the name that it has in keys."""
    holder = getattr(settings, _NESTED[name]) if name in _NESTED else settings
    section: BaseModel = getattr(holder, name)
    return section


def keys() -> list[str]:
    """Return every key, `section.name`, in order of definition."""
    defaults, sections = Settings(), list(Settings.model_fields)
    for inner, outer in _NESTED.items():
        sections.insert(sections.index(outer) + 1, inner)
    return [
        f"{section}.{name}"
        for section in sections
        for name in type(section_of(defaults, section)).model_fields
        if name not in _NESTED
    ]


def variable(key: str) -> str:
    """Return the environment variable of a key."""
    return _VARIABLES.get(key, "MERIDIA_" + key.replace(".", "_").upper())


def masked(value: object) -> str:
    """Return a value as it may be shown: an address in it has no password."""
    return _PASSWORD.sub(lambda match: f"{match[1] or match[2]}***", str(value))


def default_file() -> Path:
    """Return where the settings file is looked for when none is named."""
    return Path(platformdirs.user_config_dir("meridia")) / "meridia.toml"


def default_database() -> Path:
    """Return where the journal lies when nothing else is said."""
    return Path(platformdirs.user_data_dir("meridia")) / "meridia.db"


@checked
def load(
    flags: Mapping[str, Any] | None = None,
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> LoadedSettings:
    """Gather the settings: defaults, then the file, then the environment, then flags by key.

    `InvalidInput` names the source and key of a wrong value, or a named file that cannot be read.
    """
    variables = os.environ if environment is None else environment
    named = file or (Path(variables[CONFIG]) if variables.get(CONFIG) else None)
    layers = [
        (f"file {named or default_file()}", _from_file(named)),
        ("environment", {k: variables[variable(k)] for k in keys() if variable(k) in variables}),
        ("flag", {k: v for k, v in (flags or {}).items() if v is not None}),
    ]
    sections: dict[str, dict[str, Any]] = {}
    origins = dict.fromkeys(keys(), "default")
    for origin, values in layers:
        for key, value in values.items():
            section, _, name = key.partition(".")
            sections.setdefault(section, {})[name] = value
            origins[key] = f"{origin} {variable(key)}" if origin == "environment" else origin
    for inner, outer in _NESTED.items():
        if inner in sections.get(outer, {}):
            raise InvalidInput(f"setting {outer}.{inner} is a section of its own: write [{inner}]")
        if inner in sections:
            sections.setdefault(outer, {})[inner] = sections.pop(inner)
    return LoadedSettings(_checked(sections, origins), origins)


def changed(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """Return settings with some values, by key, in the place of theirs; None leaves one as it is.

    Raises `InvalidInput` for a value that is not allowed.
    """
    sections, given = settings.model_dump(), {k: v for k, v in values.items() if v is not None}
    for key, value in given.items():
        section, _, name = key.partition(".")
        sections[section][name] = value
    return _checked(sections, dict.fromkeys(given, "argument"))


def _checked(sections: Mapping[str, Any], origins: Mapping[str, str]) -> Settings:
    """Return the settings; `InvalidInput` says which value is wrong, and where it came from."""
    try:
        return Settings.model_validate(sections)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        loc = problem["loc"]
        key = ".".join(map(str, loc[1:] if len(loc) > 1 and loc[1] in _NESTED else loc))
        origin = next((o for k, o in origins.items() if k == key or k.startswith(f"{key}.")), "")
        raise InvalidInput(
            f"setting {key} ({origin}): {problem['msg']}; `meridia config` lists the settings"
        ) from None


def _from_file(named: Path | None) -> dict[str, Any]:
    path = named or default_file()
    try:
        document = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        if named is None:
            return {}
        raise InvalidInput(f"settings file {path} does not exist") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(f"settings file {path} cannot be read: {error}") from None
    loose = [name for name, section in document.items() if not isinstance(section, dict)]
    if loose:
        raise InvalidInput(f"settings file {path}: {loose[0]} is outside any [section]")
    return {
        f"{section}.{name}": value
        for section, fields in document.items()
        for name, value in fields.items()
    }
