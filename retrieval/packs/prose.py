"""A pack told in prose: by a language model where there is one, else by its twin by rule.

A model's prose is taken only when every paragraph cites, nothing is cited that the pack does not
cite, and the budget holds. It is never kept: a model would not tell the same again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...core.types import Json
from ...models.answer_types import ReconstitutionAnswer
from ...models.model_types import Model
from ...models.prompts import load
from .layout import Count, tokens_of, written
from .modes import STRATEGIES, Format
from .pack import Pack

_SCHEME = "meridia://"
_ADDRESS = re.compile(r"meridia://(@?[\w-]+)|(?<=[\[ ])(@\d+)(?=[\] ])")
#: A word of English takes about so many tokens, and its citation some more.
_TOKENS_A_WORD = 1.8


@dataclass(frozen=True, slots=True)
class Prose:
    """A pack as prose; `by` is "model" or "rule", `why` says why no model told it.

    `record` is what a trace keeps of a model's answer; None where none was asked.
    """

    text: str
    tokens: int
    by: str
    why: str = ""
    record: dict[str, Json] | None = None


def prose_of(
    pack: Pack, model: Model | None, time_limit_s: float, count: Count = tokens_of
) -> Prose:
    """Return a pack as prose within its own budget; a model is asked once, when there is one."""
    twin = _twin(pack, count)
    if model is None:
        return Prose(twin, count(twin), "rule", "no model")
    words = max(int(pack.meta.tokens_max / _TOKENS_A_WORD), 20)
    variables = {
        "memories": _in_full(pack),
        "purpose": STRATEGIES[pack.mode].purpose,
        "words": str(words),
    }
    answer = model.ask(load("reconstitution"), variables, ReconstitutionAnswer, time_limit_s)
    record = answer.record()
    if answer.value is None:
        return Prose(twin, count(twin), "rule", answer.outcome.value, record)
    told = _shortened(pack, f"{_heading(pack)}\n\n{answer.value.summary.strip()}\n")
    wrong = _wrong(pack, told, count)
    if wrong:
        return Prose(twin, count(twin), "rule", wrong, record)
    return Prose(told, count(told), "model", record=record)


def _twin(pack: Pack, count: Count) -> str:
    """Return the same by rule, in paragraphs; where those need more room, as the pack has it."""
    title = _heading(pack).removeprefix("# ")
    told = written(title, pack.sections, Format.NARRATIVE)
    return told if count(told) <= pack.meta.tokens_max else pack.text


def _heading(pack: Pack) -> str:
    return pack.text.partition("\n")[0]


def _in_full(pack: Pack) -> str:
    """Return what a pack says with addresses in full, as a model is to cite them."""
    uris = {citation.short: citation.uri for citation in pack.citations}
    body = pack.text.partition("\n")[2]

    def whole(match: re.Match[str]) -> str:
        address = match[1] or match[2]
        return uris.get(address, match[0])

    return _ADDRESS.sub(whole, body)


def _shortened(pack: Pack, text: str) -> str:
    for citation in pack.citations:
        text = text.replace(citation.uri, f"{_SCHEME}{citation.short}")
    return text


def _wrong(pack: Pack, text: str, count: Count) -> str:
    """Return what keeps a model's prose from being taken; nothing where it can be."""
    known = {citation.short for citation in pack.citations}
    for line in text.splitlines()[1:]:
        cited = {match[1] or match[2] for match in _ADDRESS.finditer(line)}
        if line.strip() and not cited:
            return "a paragraph cites nothing"
        if cited - known:
            return "it cites what the pack does not"
    return "" if count(text) <= pack.meta.tokens_max else "it is longer than the budget"
