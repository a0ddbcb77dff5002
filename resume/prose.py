"""Rewrites a pack as prose with a language model; without one, the pack stays as it is.

The prose is accepted only if every paragraph cites, every citation is one of the pack, and the text
fits the budget. It is never stored, because a model would not write the same text again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..core.types import Json
from ..models.answer_types import ReconstitutionAnswer
from ..models.model_types import Model, load
from .layout import TokenCounter, estimate_tokens
from .modes import STRATEGIES
from .pack import Pack

_ADDRESS = re.compile(r"(?:meridia://)?(@\d+)|meridia://([\w-]+)")
#: A word of English takes about so many tokens, and its citation some more.
_TOKENS_A_WORD = 1.8


@dataclass(frozen=True, slots=True)
class Prose:
    """A pack as prose; `by` is "model" or "rule" (its quotes), `why` why no model told it.

    `record` is what a trace keeps of a model's answer; None where none was asked.
    """

    text: str
    tokens: int
    by: str
    why: str = ""
    record: dict[str, Json] | None = None


def render_prose(
    pack: Pack, model: Model | None, time_limit_s: float, count: TokenCounter = estimate_tokens
) -> Prose:
    """Return a pack as prose within its own budget; a model is asked once, when there is one."""
    rule_text = pack.text
    if model is None:
        return Prose(rule_text, count(rule_text), "rule", "no model")
    words = max(int(pack.meta.tokens_max / _TOKENS_A_WORD), 20)
    variables = {
        "memories": _with_full_addresses(pack),
        "purpose": STRATEGIES[pack.mode].purpose,
        "words": str(words),
    }
    answer = model.ask(load("reconstitution"), variables, ReconstitutionAnswer, time_limit_s)
    record = answer.record()
    if answer.value is None:
        return Prose(rule_text, count(rule_text), "rule", answer.outcome.value, record)
    model_text = _with_short_addresses(
        pack, f"{_heading(pack)}\n\n{answer.value.summary.strip()}\n"
    )
    rejection = _rejection(pack, model_text, count)
    if rejection:
        return Prose(rule_text, count(rule_text), "rule", rejection, record)
    return Prose(model_text, count(model_text), "model", record=record)


def _heading(pack: Pack) -> str:
    return pack.text.partition("\n")[0]


def _with_full_addresses(pack: Pack) -> str:
    """Return the text of a pack with full addresses, as a model must cite them."""
    uris = {citation.short: citation.uri for citation in pack.citations}
    body = pack.text.partition("\n")[2]

    def full_address(match: re.Match[str]) -> str:
        address = match[1] or match[2]
        return uris.get(address, match[0])

    return _ADDRESS.sub(full_address, body)


def _with_short_addresses(pack: Pack, text: str) -> str:
    for citation in pack.citations:
        text = text.replace(citation.uri, citation.short)
    return text


def _rejection(pack: Pack, text: str, count: TokenCounter) -> str:
    """Return why a model's prose is rejected; "" if it is accepted."""
    citable = {citation.short for citation in pack.citations}
    for line in text.splitlines()[1:]:
        cited = {match[1] or match[2] for match in _ADDRESS.finditer(line)}
        if line.strip() and not cited:
            return "a paragraph cites nothing"
        if cited - citable:
            return "it cites what the pack does not"
    return "" if count(text) <= pack.meta.tokens_max else "it is longer than the budget"
