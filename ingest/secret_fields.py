"""Walk plain JSON and replace the secrets in it: by their look, and by the names they stand under.

Types and order stay; a secret number becomes text. Depth is no matter: nothing here recurses with
the data, except into JSON within strings, a few times.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from hashlib import blake2b
from itertools import repeat
from typing import Any, NamedTuple

from .secret_formats import RANDOM_KINDS
from .secret_names import Names, is_word
from .secret_values import is_user_and_password, looks_secret
from .secrets import MARK, Finder, find_known, holds, mark, marks, redact

#: Fields that identify the event; `session.key` is the other one.
_IDENTITY = ("id", "kind", "ts")
#: In a pair such as {"name": "PASSWORD", "value": "x"}: what names, and what is named.
_NAMING = ("name", "key", "header", "field", "variable", "param", "option")
_NAMED = frozenset(("value", "val", "values", "default", "defaultValue", "currentValue", "secret"))
#: Under a sensitive name, what describes the secret rather than being it.
_DESCRIBING = frozenset(
    "type name description title domain path expires expiry expiration created scope scopes "
    "algorithm format samesite id user username host port".split()
)
#: A name or a flag in a list.
_NAME = re.compile(r"-{0,2}[^\W\d][\w.-]{0,63}")
_SCHEMA_TYPES = frozenset("string integer number boolean object array null".split())
_CONTENT = frozenset(
    "content contents text new_string old_string new_str old_str file_text data body patch diff "
    "insert_text newtext oldtext edits".split()
)
_NESTED_JSON = re.compile(r"\s*(?:[\[{]|\"(?=[^\"]*\\))")
_NESTING_MAX = 4
_CONTAINERS = (dict, list, tuple, Mapping)
_LEAST_UNSURE = 8
#: A UUID, a digest, a time.
_PLAIN_ID = re.compile(r"[0-9a-f-]{1,40}|[0-9:.+TZ -]{1,40}")


class _Step(NamedTuple):
    """A value on its way into its new container, and the kind of secret that its name makes it."""

    into: Any
    place: Any
    value: Any
    kind: str | None


class Cleaner:
    """Replaces secrets in plain JSON, and counts them by kind."""

    def __init__(self, names: Names, find: Finder, nesting: int = _NESTING_MAX) -> None:
        self._names, self._find, self._nesting = names, find, nesting
        self.counts: Counter[str] = Counter()

    def finds_nothing(self, fields: Mapping[str, Any]) -> bool:
        """Say at a glance whether an event is surely clean, as most are; no is no finding yet."""
        todo: list[tuple[Mapping[Any, Any], tuple[str, ...]]] = [(fields, _IDENTITY)]
        while todo:
            value, identity = todo.pop()
            if not _NAMED.isdisjoint(value):
                return False
            for key, item in value.items():
                if not isinstance(key, str) or not self._names.says_nothing(key):
                    return False
                if isinstance(item, str):
                    if not (is_word(item) or self._is_clean(item, known=key in identity)):
                        return False
                elif isinstance(item, dict):
                    todo.append((item, ("key",) if value is fields and key == "session" else ()))
                elif isinstance(item, _CONTAINERS):
                    return False
        return True

    def _is_clean(self, text: str, *, known: bool) -> bool:
        if known:  # what identifies the event changes for known shapes only
            return _PLAIN_ID.fullmatch(text) is not None or not holds(text, find_known)
        return _NESTED_JSON.match(text) is None and not holds(text, self._find)

    def event(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return an event without secrets; what identifies it changes for known shapes only."""
        held = {name: fields[name] for name in _IDENTITY if isinstance(fields.get(name), str)}
        shown = {**fields, **dict.fromkeys(held)}
        session = fields.get("session")
        key = session.get("key") if isinstance(session, Mapping) else None
        if isinstance(session, Mapping) and isinstance(key, str):
            shown["session"] = {**session, "key": None}
        clean: dict[str, Any] = self.value(shown)
        for name, text in held.items():
            clean[name] = self._identity(text)
        if isinstance(key, str):
            clean["session"]["key"] = self._identity(key)
        return clean

    def value(self, root: Any) -> Any:
        """Return plain JSON without secrets."""
        holder: list[Any] = [root]
        todo: list[_Step] = [_Step(holder, 0, root, None)]
        while todo:
            into, place, value, kind = todo.pop()
            if isinstance(value, str):
                into[place] = self._text(value, kind)
            elif isinstance(value, Mapping):
                into[place] = self._named(value, kind, todo)
            elif isinstance(value, list | tuple):
                items = into[place] = list(value)
                kinds = self._kinds(items, kind)
                todo.extend(map(_Step, repeat(items), range(len(items)), items, kinds))
            elif kind and isinstance(value, int | float) and not isinstance(value, bool):
                into[place] = self._marked(kind)
        return holder[0]

    def hidden(self, root: Any) -> Any:
        """Return plain JSON with every text replaced, as the content of a file."""
        return self._without_content(root, everything=True)

    def written(self, root: Any) -> Any:
        """Return a tool's arguments without the texts that they put into a file."""
        return self._without_content(root, everything=False)

    def _named(
        self, value: Mapping[Any, Any], inherited: str | None, todo: list[_Step]
    ) -> dict[Any, Any]:
        """Return the fields of `value` with names and texts cleaned; the others are to be done."""
        fields: dict[Any, Any] = {}
        if inherited and _is_schema(value):
            inherited = None
        pair = None if _NAMED.isdisjoint(value) else self._pair(value)
        told = inherited is not None or pair is not None
        for key, item in value.items():
            name, kind = key, None
            if isinstance(key, str) and (told or not self._names.says_nothing(key)):
                name = key if is_word(key) else self._name(key, value, fields)
                # A key with a secret in it is no name.
                kind = self._kind(key, item) if name is key else None
            if kind is None and told:
                kind = self._kind_beside(key, pair, inherited)
            if isinstance(item, str):
                fields[name] = self._text(item, kind)
            else:
                fields[name] = item
                if kind or isinstance(item, _CONTAINERS):
                    todo.append(_Step(fields, name, item, kind))
        return fields

    @staticmethod
    def _kind_beside(key: Any, pair: str | None, inherited: str | None) -> str | None:
        """Return the kind that a field is of by what stands beside it, or above."""
        if pair and key in _NAMED:
            return pair
        return inherited if str(key).lower() not in _DESCRIBING else None

    def _kind(self, name: str, item: Any) -> str | None:
        """Return the kind of secret that a field of this name and value is, or None."""
        sensitivity = self._names.of(name)
        if sensitivity is None or MARK.search(name):
            return None
        if sensitivity.sure:
            return sensitivity.kind
        if not isinstance(item, str):
            return None
        if sensitivity.kind == "credential" and is_user_and_password(item):
            return "docker_auth"
        return sensitivity.kind if looks_secret(item, _LEAST_UNSURE) else None

    def _pair(self, value: Mapping[Any, Any]) -> str | None:
        """Return the kind of secret that a pair of a name and a value holds, or None."""
        for naming in _NAMING:
            name = value.get(naming)
            if isinstance(name, str) and (kind := self._kind(name, value.get("value"))):
                return kind
        return None

    def _kinds(self, items: list[Any], inherited: str | None) -> list[str | None]:
        """Return the kinds of what stands behind a flag (`--password`) or a name in a list."""
        kinds = [inherited] * len(items)
        for index, item in enumerate(items[:-1]):
            if inherited or not isinstance(item, str) or not _NAME.fullmatch(item):
                continue
            following = items[index + 1]
            if item.startswith("-") or (len(items) == 2 and isinstance(following, str)):
                kind = self._kind(item.lstrip("-"), following)
                if kind and not (isinstance(following, str) and self._is_name(following)):
                    kinds[index + 1] = kind
        return kinds

    def _is_name(self, text: str) -> bool:
        """Return whether `text` is itself a flag or a sensitive name."""
        if _NAME.fullmatch(text) is None:
            return False
        return text.startswith("-") or self._names.of(text) is not None

    def _name(self, key: str, siblings: Mapping[Any, Any], taken: Mapping[Any, Any]) -> str:
        """Return `key` without secrets; two that read alike afterwards are told apart."""
        clean = plain = self._redacted(key)
        number = 1
        while clean != key and (clean in siblings or clean in taken):
            number += 1
            clean = f"{plain} {number}"
        return clean

    def _text(self, text: str, kind: str | None) -> str:
        if kind:
            blank = not text.strip() or MARK.fullmatch(text)
            return text if blank else self._marked(kind)
        if is_word(text):
            return text
        if self._nesting and _NESTED_JSON.match(text):
            text = self._nested(text)
        return self._redacted(text)

    def _redacted(self, text: str) -> str:
        clean = redact(text, self._find)
        if clean is not text:
            self.counts.update(marks(clean) - marks(text))
        return clean

    def _marked(self, kind: str) -> str:
        self.counts[kind] += 1
        return mark(kind)

    def _nested(self, text: str) -> str:
        """Return JSON text with its fields cleaned, or `text` where it is none or has no secret."""
        try:
            root = json.loads(text)
        except (ValueError, RecursionError):
            return text
        inner = Cleaner(self._names, self._find, self._nesting - 1)
        clean = inner.value(root)
        if not inner.counts:
            return text
        self.counts += inner.counts
        return _written_as(clean, text)

    def _identity(self, text: str) -> str:
        """Return what identifies an event without secrets, still telling it from others.

        A digest stands beside the mark, for kinds that nobody finds out by trying: two events
        whose ids were two tokens remain two events.
        """
        harmless = is_word(text) or _PLAIN_ID.fullmatch(text)
        clean = text if harmless else redact(text, find_known)
        if clean is text:
            return text
        found = marks(clean) - marks(text)
        self.counts.update(found)
        if RANDOM_KINDS.issuperset(found):
            clean += "#" + blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
        return clean

    def _without_content(self, root: Any, *, everything: bool) -> Any:
        holder: list[Any] = [root]
        todo: list[tuple[Any, Any, Any, bool]] = [(holder, 0, root, everything)]
        while todo:
            into, place, value, hide = todo.pop()
            if isinstance(value, str):
                into[place] = self._text(value, "file") if hide else self._written_text(value)
            elif isinstance(value, Mapping):
                fields = into[place] = dict(value)
                for name, item in value.items():
                    content = hide or (isinstance(name, str) and name.lower() in _CONTENT)
                    todo.append((fields, name, item, content))
            elif isinstance(value, list | tuple):
                items = into[place] = list(value)
                todo.extend((items, index, item, hide) for index, item in enumerate(value))
        return holder[0]

    def _written_text(self, text: str) -> str:
        if not _NESTED_JSON.match(text):
            return text
        root = parsed(text)
        if isinstance(root, str):
            return text
        before = self.counts["file"]
        clean = self._without_content(root, everything=False)
        return _written_as(clean, text) if self.counts["file"] > before else text


def parsed(text: str) -> Any:
    """Return what a JSON text says, or the text where it is none."""
    try:
        return json.loads(text) if _NESTED_JSON.match(text) else text
    except (ValueError, RecursionError):
        return text


def _written_as(value: Any, text: str) -> str:
    """Write `value` as JSON, as closely spaced as `text` and in its letters."""
    separators = (", ", ": ") if '": ' in text else (",", ":")
    try:
        body = json.dumps(value, ensure_ascii=text.isascii(), separators=separators)
        body.encode()
    except UnicodeEncodeError:
        body = json.dumps(value, separators=separators)
    except RecursionError:
        return mark("deep_json")
    return body


def _is_schema(value: Mapping[Any, Any]) -> bool:
    kind = value.get("type")
    return isinstance(kind, str) and kind in _SCHEMA_TYPES
