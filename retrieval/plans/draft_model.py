"""The role MIND words a draft: one sentence a line, each with a quote from its document.

A line whose quote is not in the document that it names is refused. A section without accepted lines
keeps the text of the rules; so does the whole draft where the model fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...core.text import find_quote
from ...core.types import Json
from ...models.answer_types import DraftAnswer, DraftLine
from ...models.model_types import Model
from ...models.prompts import Prompt
from .context_draft import CONSTRAINTS, DraftSection, PlanDraft, mean_confidence
from .document_loader import Document
from .plan import TemporalBounds

PROMPT = "draft"
_BY_RULE = "the draft is made by rule"


@dataclass(frozen=True, slots=True)
class WordedDraft:
    """A draft, and what came of asking: `record` is what the trace keeps."""

    draft: PlanDraft
    record: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class ShownDocuments:
    """What a model is shown for a draft, after `clean`: the question and its documents."""

    question: str
    documents: Sequence[Document]
    bounds: TemporalBounds
    clean: Callable[[str], str]

    def texts(self, chars_max: int) -> dict[str, str]:
        """Return the documents' texts by node id, each with the same share of `chars_max`."""
        room = chars_max // max(len(self.documents), 1)
        return {
            d.node.node_id: self.clean(d.text)[: max(room - len(d.node.node_id) - 5, 0)]
            for d in self.documents
        }


def word_draft(
    made: PlanDraft, shown: ShownDocuments, model: Model, prompt: Prompt, time_limit_s: float
) -> WordedDraft:
    """Have a model word the sections of a draft, within `time_limit_s` seconds, tries included.

    Its quotes are looked for in the texts that it was shown.
    """
    texts = shown.texts(prompt.limits["documents"])
    variables = {
        "question": shown.clean(shown.question),
        "documents": "\n\n".join(f"[{id}]\n{text}" for id, text in texts.items()),
    }
    answer = model.ask(prompt, variables, DraftAnswer, time_limit_s)
    record = answer.record() | {"temperature": prompt.temperature}
    if answer.value is None:
        return WordedDraft(replace(made, notes=(f"{_BY_RULE}: {answer.problem}",)), record)
    lines = [line for line in answer.value.lines if line.text and _stands(line, texts)]
    refused = len(answer.value.lines) - len(lines)
    record |= {"taken": len(lines), "refused": refused}
    if not lines:
        why = "no line of the model is shown by a document"
        return WordedDraft(replace(made, notes=(f"{_BY_RULE}: {why}",)), record)
    sections = [_worded(section, lines, shown) for section in made.sections]
    notes = (f"lines of the model whose quote is in no document: {refused}, left out",)
    return WordedDraft(PlanDraft(sections, str(record["model"]), notes if refused else ()), record)


def _stands(line: DraftLine, texts: Mapping[str, str]) -> bool:
    return find_quote(texts.get(line.node_id, ""), line.quote) is not None


def _worded(
    section: DraftSection, lines: Sequence[DraftLine], shown: ShownDocuments
) -> DraftSection:
    """Return a section in the model's lines, resting on their nodes; its own without any."""
    mine = [line for line in lines if line.node_id in section.node_ids]
    if not mine:
        return section
    used = {line.node_id for line in mine}
    nodes = [document.node for document in shown.documents if document.node.node_id in used]
    text = "\n".join(f"- {line.text} (“{line.quote}”) [{line.node_id}]" for line in mine)
    if section.title == CONSTRAINTS:
        question = section.text.partition("\n\n")[0]
        text = f"{question}\n\n{text}"
    return replace(
        section,
        text=text,
        node_ids=tuple(node.node_id for node in nodes),
        confidence_avg=mean_confidence(nodes, shown.bounds),
        provenance=tuple(dict.fromkeys(node.source_ref for node in nodes)),
    )
