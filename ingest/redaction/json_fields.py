"""Walk JSON data and replace the secrets in it: by their look, and by the names they stand under.

Types and order stay; a secret number becomes text. Depth is no matter: nothing here recurses with
the data, except into JSON within strings, a few times.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from hashlib import blake2b
from itertools import pairwise, repeat
from typing import Any, TypeAlias, TypeVar

from ...core.ids import content_hash
from .cuts import MARK, ends_of, joined_ends
from .rules import SecretNames, is_word, rule_file, split, words
from .scanner import Finder, count_marks, find_by_shape, has_match, mark, redact
from .token_formats import random_kinds
from .value_shapes import CHECKS, is_folder, is_title, looks_secret, stands_for_secret

State = TypeVar("State")
#: Values on their way: the new container, the place in it, the value, the kind that its name says.
_Steps: TypeAlias = list[tuple[Any, Any, Any, str | None]]

#: Fields that identify the event; `session.key` is the other one.
_IDENTITY = ("id", "kind", "ts")
#: A name or a flag in a list.
_NAME = re.compile(r"-{0,2}[^\W\d][\w.-]{0,63}")
_NESTED_JSON = re.compile(r"\s*(?:[\[{]|\"(?=[^\"]*\\))")
_NESTING_MAX = 4
_CONTAINERS = (dict, list, tuple, Mapping)
#: A UUID, a digest, a time.
_IDENTIFIER = re.compile(r"[0-9a-f-]{1,40}|[0-9:.+TZ -]{1,40}")


class JsonRedactor:
    """Replaces secrets in JSON data, and counts them by kind.

    Of a text much longer than `text_chars_max` only the ends are searched, and kept.
    """

    def __init__(
        self,
        names: SecretNames,
        find: Finder,
        nesting: int = _NESTING_MAX,
        text_chars_max: int = sys.maxsize,
    ) -> None:
        self._names, self._find, self._nesting = names, find, nesting
        self._text_chars_max = text_chars_max
        #: What is named in a pair such as {"name": "PASSWORD", "value": "x"}.
        self._named = words("fields", "named")
        #: What describes a secret under a sensitive name rather than being it.
        self._describing = words("fields", "describing")
        self.counts: Counter[str] = Counter()
        #: How many texts were cut, and a hash of them.
        self.cut, self.gone = 0, ""

    def is_clean(self, fields: Mapping[str, Any]) -> bool:
        """Say at a glance whether an event is surely clean, as most are; False says nothing yet."""
        todo: list[tuple[Mapping[Any, Any], tuple[str, ...]]] = [(fields, _IDENTITY)]
        while todo:
            value, identity = todo.pop()
            if not self._named.isdisjoint(value):
                return False
            for key, item in value.items():
                if not isinstance(key, str) or not self._names.is_neutral(key):
                    return False
                if isinstance(item, str):
                    if not (is_word(item) or self._is_clean_text(item, identity=key in identity)):
                        return False
                elif isinstance(item, dict):
                    todo.append((item, ("key",) if value is fields and key == "session" else ()))
                elif isinstance(item, _CONTAINERS):
                    return False
        return True

    def _is_clean_text(self, text: str, *, identity: bool) -> bool:
        if len(text) > self._text_chars_max:
            return False
        if identity:  # what identifies the event changes for secrets with a shape only
            return _IDENTIFIER.fullmatch(text) is not None or not has_match(text, find_by_shape)
        return _NESTED_JSON.match(text) is None and not has_match(text, self._find)

    def event(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return an event without secrets; what identifies it loses those with a shape only."""
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
        """Return JSON data without secrets."""
        holder: list[Any] = [root]
        todo: _Steps = [(holder, 0, root, None)]
        while todo:
            into, place, value, kind = todo.pop()
            if isinstance(value, str):
                into[place] = self._text(value, kind)
            elif isinstance(value, Mapping):
                into[place] = self._mapping(value, kind, todo)
            elif isinstance(value, list | tuple):
                items = into[place] = list(value)
                kinds = self._item_kinds(items, kind)
                todo.extend(zip(repeat(items), range(len(items)), items, kinds, strict=False))
            elif kind and isinstance(value, int | float) and not isinstance(value, bool):
                into[place] = self._marked(kind)
        return holder[0]

    def hide(self, root: Any, *, content_only: bool = False) -> Any:
        """Return JSON data with its texts replaced, as the content of a file.

        Of a tool's arguments, only those that it puts into a file are content.
        """
        content = words("fields", "content")
        return map_texts(
            root,
            lambda text, hidden: self._text(text, "file") if hidden else self._nested_content(text),
            not content_only,
            lambda hidden, key: hidden or (isinstance(key, str) and key.lower() in content),
        )

    def _nested_content(self, text: str) -> str:
        root = parse_json(text)
        if isinstance(root, str):
            return text
        before = self.counts["file"]
        clean = self.hide(root, content_only=True)
        return _dump_like(clean, text) if self.counts["file"] > before else text

    def _mapping(
        self, value: Mapping[Any, Any], inherited: str | None, todo: _Steps
    ) -> dict[Any, Any]:
        """Return the fields of `value` with names and texts cleaned; the others are to be done."""
        fields: dict[Any, Any] = {}
        if inherited and _is_schema(value):
            inherited = None
        pair = None if self._named.isdisjoint(value) else self._pair(value)
        beside = inherited is not None or pair is not None
        for key, item in value.items():
            name, kind = key, None
            if isinstance(key, str) and (beside or not self._names.is_neutral(key)):
                name = key if is_word(key) else self._clean_key(key, value, fields)
                # A key with a secret in it is no name.
                kind = self._kind(key, item) if name is key else None
            if kind is None and pair and key in self._named:
                kind = pair
            elif kind is None and inherited and str(key).lower() not in self._describing:
                kind = inherited
            if isinstance(item, str):
                fields[name] = self._text(item, kind)
            else:
                fields[name] = item
                if kind or isinstance(item, _CONTAINERS):
                    todo.append((fields, name, item, kind))
        return fields

    def _kind(self, name: str, item: Any) -> str | None:
        """Return the kind of secret that a field of this name and value is, or None."""
        sensitivity = self._names.of(name)
        is_text = isinstance(item, str)
        if sensitivity is None or MARK.search(name) or (is_text and is_folder(name, item)):
            return None
        if is_text and (
            is_title(item) or (sensitivity.kind == "credential" and stands_for_secret(item))
        ):
            return None  # what a form calls it, say, or a word of the options of `fetch`
        if sensitivity.sure:
            return sensitivity.kind
        if not is_text:
            return None
        if sensitivity.kind == "credential" and CHECKS["user_and_password"](item):
            return "docker_auth"
        return sensitivity.kind if looks_secret(item, least=8) else None

    def _pair(self, value: Mapping[Any, Any]) -> str | None:
        """Return the kind of secret that a pair of a name and a value holds, or None."""
        names = map(value.get, split(rule_file("fields")["naming"]))
        kinds = (self._kind(n, value.get("value")) for n in names if isinstance(n, str))
        return next(filter(None, kinds), None)

    def _item_kinds(self, items: list[Any], inherited: str | None) -> list[str | None]:
        """Return the kinds of what stands behind a flag (`--password`) or a name in a list."""
        kinds = [inherited] * len(items)
        for index, (item, following) in enumerate(pairwise(items), 1):
            if inherited or not isinstance(item, str) or not _NAME.fullmatch(item):
                continue
            if item.startswith("-") or (len(items) == 2 and isinstance(following, str)):
                kind = self._kind(item.lstrip("-"), following)
                if kind and not self._is_name(following):
                    kinds[index] = kind
        return kinds

    def _is_name(self, item: Any) -> bool:
        """Return whether an item of a list is itself a flag or a sensitive name."""
        if not isinstance(item, str) or not _NAME.fullmatch(item):
            return False
        return item.startswith("-") or self._names.of(item) is not None

    def _clean_key(self, key: str, siblings: Mapping[Any, Any], taken: Mapping[Any, Any]) -> str:
        """Return `key` without secrets; two that read alike afterwards are numbered."""
        clean = redacted = self._redacted(key)
        number = 1
        while clean != key and (clean in siblings or clean in taken):
            number += 1
            clean = f"{redacted} {number}"
        return clean

    def _text(self, text: str, kind: str | None) -> str:
        if kind:
            blank = not text.strip() or MARK.fullmatch(text)
            return text if blank else self._marked(kind)
        if is_word(text):
            return text
        ends = ends_of(text, self._text_chars_max)
        if len(ends) == 1:
            return self._redacted(self._nested(text) if self._nesting else text)
        self.cut += 1
        self.gone = content_hash(self.gone + text)
        return joined_ends(tuple(map(self._redacted, ends)), len(text))

    def _redacted(self, text: str) -> str:
        clean = redact(text, self._find)
        if clean is not text:
            self.counts.update(count_marks(clean) - count_marks(text))
        return clean

    def _marked(self, kind: str) -> str:
        self.counts[kind] += 1
        return mark(kind)

    def _nested(self, text: str) -> str:
        """Return JSON text with its fields cleaned, or `text` where it is none or has no secret."""
        root: object = parse_json(text)
        if root is text:
            return text
        inner = JsonRedactor(self._names, self._find, self._nesting - 1, self._text_chars_max)
        clean = inner.value(root)
        self.counts += inner.counts
        return _dump_like(clean, text) if inner.counts else text

    def _identity(self, text: str) -> str:
        """Return what identifies an event without secrets, still different from others.

        A digest stands beside the mark, for kinds that nobody finds out by trying: two events
        whose ids were two tokens remain two events.
        """
        clean = text
        if not (is_word(text) or _IDENTIFIER.fullmatch(text)):
            clean = redact(text, find_by_shape)
        if clean is text:
            return text
        replaced = count_marks(clean) - count_marks(text)
        self.counts.update(replaced)
        if random_kinds().issuperset(replaced):
            clean += "#" + blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
        return clean


def map_texts(
    root: Any,
    change: Callable[[str, State], str],
    state: State,
    below: Callable[[State, Any], State] = lambda state, _: state,
) -> Any:
    """Return JSON data with `change(text, state)` in the place of each text, in document order.

    `below(state, key)` is the state for what stands under a key.
    """
    holder: list[Any] = [root]
    todo: list[tuple[Any, Any, Any, State]] = [(holder, 0, root, state)]
    while todo:
        into, place, value, state = todo.pop()
        if isinstance(value, str):
            into[place] = change(value, state)
        elif isinstance(value, Mapping):
            fields = into[place] = dict(value)
            items = [(fields, key, item, below(state, key)) for key, item in value.items()]
            todo.extend(reversed(items))
        elif isinstance(value, list | tuple):
            entries = into[place] = list(value)
            todo.extend((entries, n, value[n], state) for n in reversed(range(len(value))))
    return holder[0]


def parse_json(text: str) -> Any:
    """Return what a JSON text says, or the text where it is none."""
    try:
        return json.loads(text) if _NESTED_JSON.match(text) else text
    except (ValueError, RecursionError):
        return text


def _dump_like(value: Any, text: str) -> str:
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
    return isinstance(kind, str) and kind in words("fields", "schema_types")
