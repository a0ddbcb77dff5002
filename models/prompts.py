"""Prompts: text files with a name, a version and limits, whose variables are filled in.

A file is Markdown: settings between two lines of dashes, then the parts `# System` and `# User`.
`{{name}}` is a variable. Values are data, never a template: braces in them have no meaning. A
prompt whose text changes gets a new version.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ..core.errors import InvalidInput, NotFound

FOLDER = Path(__file__).parent / "data" / "prompts"

_SHAPE = re.compile(r"---\n(.*?)\n---\n+# System\n(.*?)\n# User\n(.*)", re.DOTALL)
_VARIABLE = re.compile(r"\{\{(\w+)\}\}")
#: The marks around material; they are made harmless where material itself holds them.
_MARK = re.compile(r"<(?=/?material>)", re.IGNORECASE)
_CUT = " […] "


@dataclass(frozen=True, slots=True)
class Prompt:
    """A versioned prompt. `limits` are the longest a variable may be, in characters.

    `temperature` is never in the file: who asks may set it (`dataclasses.replace`); without one the
    model's own counts.
    """

    name: str
    version: int
    tokens_max: int
    system: str
    user: str
    limits: Mapping[str, int] = field(default_factory=dict)
    temperature: float | None = None

    @property
    def variables(self) -> frozenset[str]:
        """The names that `fill` wants."""
        return frozenset(_VARIABLE.findall(self.system + self.user))

    def fill(self, variables: Mapping[str, str]) -> tuple[str, str]:
        """Return the system's and the user's words, with long material cut in its middle.

        Raises `InvalidInput` when a variable is missing or not known to this prompt.
        """
        odd = self.variables.symmetric_difference(variables)
        if odd:
            raise InvalidInput(
                f"prompt {self.name}: {', '.join(sorted(odd))} is missing or unknown; "
                f"it takes {', '.join(sorted(self.variables))}"
            )

        def words(match: re.Match[str]) -> str:
            name = match.group(1)
            escaped = _MARK.sub("‹", variables[name])
            return clip(escaped, self.limits.get(name, len(escaped)))

        return _VARIABLE.sub(words, self.system), _VARIABLE.sub(words, self.user)


def clip(text: str, chars_max: int) -> str:
    """Return `text`, its middle left out where it is longer than `chars_max` characters.

    Beginnings say what something is, ends how it came out; both are kept.
    """
    if len(text) <= chars_max:
        return text
    available = max(chars_max - len(_CUT), 0)
    head = available - available // 3
    return (text[:head] + _CUT + text[len(text) - available // 3 :])[:chars_max]


def names() -> list[str]:
    """Return the names of the prompts there are, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.md"))


@cache
def load(name: str) -> Prompt:
    """Return the prompt of that name; `NotFound` names those there are."""
    if name not in names():
        raise NotFound(f"there is no prompt {name!r}: choose from {', '.join(names())}")
    return read(name, (FOLDER / f"{name}.md").read_text("utf-8"))


def read(name: str, text: str) -> Prompt:
    """Read a prompt as its file has it; `InvalidInput` says what is wrong with the file."""
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise InvalidInput(f"prompt {name}: add settings between ---, # System and # User")
    head, system, user = shape.groups()
    pairs = [line.partition(":") for line in head.splitlines() if line.strip()]
    try:
        settings = {key.strip(): int(value) for key, _, value in pairs}
        return Prompt(
            name=name,
            version=settings.pop("version"),
            tokens_max=settings.pop("tokens_max"),
            system=system.strip(),
            user=user.strip(),
            limits={key.removesuffix("_chars_max"): value for key, value in settings.items()},
        )
    except (KeyError, ValueError) as error:
        raise InvalidInput(
            f"prompt {name}: version, tokens_max and other settings must be whole numbers ({error})"
        ) from None
