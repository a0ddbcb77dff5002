"""Tell whether a tool's call names a file whose content is not stored, and where paths stand.

Patterns are globs as in a list of ignored files: the last that fits decides, `!` makes an
exception, a pattern with a slash fits the end of a path, one without fits a file's name. Nothing
is opened or looked up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import translate
from functools import cached_property
from typing import Any

from .rules import rule_file, split, words

#: Words of a command, by what cannot stand in a path that is worth a look.
_WORD = re.compile(r"[^\s\"'`<>|;&()=,\[\]{}]+")
_STRING = re.compile(r"[\"'`]([^\"'`\n]{1,4096})[\"'`]")
_PATH_CHARS_MAX = 4096
#: What ends a sentence behind a path.
_AFTER = ".:!?"


class PathPatterns:
    """Globs for the paths of files: those of the rules, and `more`; or with `rules` off, `more`."""

    def __init__(self, more: Iterable[str] = (), *, rules: bool = True) -> None:
        self._globs = (*(split(rule_file("paths")["globs"]) if rules else ()), *more)
        self._literals = {_literal(glob) for glob in self._globs}

    @cached_property
    def _rules(self) -> list[tuple[re.Pattern[str], bool, bool]]:
        return [_rule(glob) for glob in self._globs]

    def fits(self, path: str) -> bool:
        """Return whether `path` is that of such a file."""
        whole = "/" + path.replace("\\", "/").casefold().lstrip("/")
        name = whole.rpartition("/")[2]
        fits = False
        for regex, deep, secret in self._rules:
            if fits != secret and regex.match(whole if deep else name):
                fits = secret
        return fits

    def named_in(self, arguments: Any) -> bool:
        """Return whether JSON data `arguments` name such a file: as a value, or in a command."""
        return any(
            self.fits(path)
            for name, value in _strings(arguments)
            if self._may_name(value)
            for path in _paths(name, value)
        )

    def spans_in(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where paths that fit stand in a text."""
        if not self._may_name(text):
            return
        for word in _WORD.finditer(text):
            path = word[0].rstrip(_AFTER)
            if path and self.fits(path.removeprefix("file://")):
                yield word.start(), word.start() + len(path)

    def _may_name(self, value: str) -> bool:
        lowered = value.replace("\\", "/").casefold()
        return any(map(lowered.__contains__, self._literals))


def _rule(glob: str) -> tuple[re.Pattern[str], bool, bool]:
    bare = glob.removeprefix("!").casefold().lstrip("/")
    deep = "/" in bare
    if bare.startswith("*."):
        bare = "?" + bare  # `.key` alone is a field, not a file
    pattern = translate(bare)
    return re.compile(rf".*/{pattern}" if deep else pattern), deep, not glob.startswith("!")


def _literal(glob: str) -> str:
    """Return the longest piece of a glob that stands in whatever it fits."""
    return max(re.split(r"[*?\[\]!]+", glob.casefold().lstrip("/!")), key=len)


def _strings(arguments: Any) -> Iterator[tuple[str, str]]:
    """Yield the strings in `arguments`, each with the name that it stands under."""
    todo: list[tuple[str, Any]] = [("", arguments)]
    while todo:
        name, value = todo.pop()
        if isinstance(value, str):
            yield name, value
        elif isinstance(value, Mapping):
            todo.extend((str(key).lower(), item) for key, item in value.items())
        elif isinstance(value, list | tuple):
            todo.extend((name, item) for item in value)


def _paths(name: str, value: str) -> Iterator[str]:
    if name in words("fields", "prose"):
        return
    code = name in words("fields", "code")
    if not code and len(value) <= _PATH_CHARS_MAX:
        yield value.strip().removeprefix("file://")
    for word in dict.fromkeys((_STRING if code else _WORD).findall(value)):
        if len(word) <= _PATH_CHARS_MAX:
            yield word.rpartition(":")[2]
