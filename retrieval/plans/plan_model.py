"""The role MIND: a model may reorder or narrow the plan of the rules, and word its draft.

The model is asked once, with its own temperature, and sees the selected nodes, redacted as for any
other system. Its answer is validated like any plan from elsewhere. Each sentence of a draft needs a
quote from its document. If the model fails, the plan or the draft of the rules is used, and a note
says why. Nothing of its answer is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from ...core.text import find_quote, shorten
from ...core.types import Json
from ...models.answer_types import DraftAnswer, DraftLine, PlanAnswer
from ...models.model_types import Model, Prompt, load
from .context_draft import CONSTRAINTS, Document, DraftSection, PlanDraft, mean_confidence
from .plan import SUMMARY_CHARS_MAX, Handoff, QueryAnalysis, RetrievalPlan, TemporalBounds
from .plan_choice import NodeChoice

PROMPT = "plan"
#: Most nodes that a model is shown; what is not shown could not be selected.
NODES_MAX = 100
_BY_RULE = "the plan is made by rule"
_NO_MODEL = "no model is set up (model.dialect, model.name)"

ReadPlan: TypeAlias = Callable[[Json], Handoff]


@dataclass(frozen=True, slots=True)
class PlanModel:
    """The parts of a memory that a plan's model needs.

    `model` opens the model, or gives None where the settings name none; `clean` makes a text fit to
    leave for another system; the model has `time_limit_s`, tries again included.
    """

    model: Callable[[], Model | None] = lambda: None
    clean: Callable[[str], str] = str
    time_limit_s: float = 15.0

    def propose(
        self,
        analysis: QueryAnalysis,
        choices: Sequence[NodeChoice],
        temperature: float,
        read: ReadPlan,
    ) -> Proposal:
        """Ask for the plan of some choices; `read` says whether an answer may be taken.

        Raises `InvalidInput` and `Unavailable` where the settings of the model cannot be right.
        """
        if not choices:
            return Proposal()
        if len(choices) > NODES_MAX:
            many = f"{len(choices)} nodes are more than a model is shown, {NODES_MAX}"
            return Proposal(note=f"{_BY_RULE}: {many}")
        model = self.model()
        if model is None:
            return Proposal(note=f"{_BY_RULE}: {_NO_MODEL}")
        try:
            return self._ask(model, self._variables(analysis, choices), temperature, read)
        finally:
            model.close()

    def word(
        self,
        made: PlanDraft,
        analysis: QueryAnalysis,
        documents: Sequence[Document],
        bounds: TemporalBounds,
        temperature: float,
    ) -> WordedDraft:
        """Let the model word a draft; without one, or if it fails, keep the draft of the rules."""
        model = self.model()
        if model is None:
            note = f"the draft is made by rule: {_NO_MODEL}"
            return WordedDraft(replace(made, notes=(note,)), {})
        shown = ShownDocuments(analysis.question, documents, bounds, self.clean)
        prompt = replace(load(DRAFT), temperature=temperature)
        try:
            return word_draft(made, shown, model, prompt, self.time_limit_s)
        finally:
            model.close()

    def _ask(
        self, model: Model, words: dict[str, str], temperature: float, read: ReadPlan
    ) -> Proposal:
        prompt = replace(load(PROMPT), temperature=temperature)
        answer = model.ask(prompt, words, PlanAnswer, self.time_limit_s)
        record = answer.record() | {"temperature": temperature}
        if answer.value is None:
            return Proposal(note=f"{_BY_RULE}: {answer.problem}", record=record)
        handoff = read(answer.value.model_dump())
        taken = {"taken": handoff.plan is not None}
        if handoff.intervention is not None:
            why = f"{_BY_RULE}: the model's plan was refused: {handoff.intervention.problem}"
            return Proposal(note=why, record=record | taken)
        return Proposal(handoff.plan, str(record["model"]), record=record | taken)

    def _variables(self, analysis: QueryAnalysis, choices: Sequence[NodeChoice]) -> dict[str, str]:
        """Return the variables of the prompt: one node a line, all within its limit."""
        room = load(PROMPT).limits["nodes"] // len(choices) - 1
        lines = []
        for choice in choices:
            node = choice.node
            head = f"{node.node_id} | {node.source_type} | {node.confidence:.2f} | "
            width = min(SUMMARY_CHARS_MAX, max(room - len(head), 2))
            lines.append(head + shorten(self.clean(_without_cut_word(node.summary)), width))
        texts = [text for text in (analysis.question, analysis.reasoning) if text.strip()]
        return {"question": self.clean(" ".join(texts)), "nodes": "\n".join(lines)}


@dataclass(frozen=True, slots=True)
class Proposal:
    """The result of a request: a plan and the model's name, or None and a note that says why.

    `record` is for the trace, None if the model was not asked.
    """

    plan: RetrievalPlan | None = None
    by: str = ""
    note: str = ""
    record: dict[str, Json] | None = None


def _without_cut_word(summary: str) -> str:
    """Return a preview without the word that it was cut in, by which nobody knows an address."""
    return summary.rpartition(" ")[0] if summary.endswith("…") else summary


DRAFT = "draft"
_DRAFTED_BY_RULE = "the draft is made by rule"


@dataclass(frozen=True, slots=True)
class WordedDraft:
    """A draft, and the `record` of the request for the trace."""

    draft: PlanDraft
    record: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class ShownDocuments:
    """The input of a model for a draft, after `clean`: the question and its documents."""

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
    """Let a model word the sections of a draft, within `time_limit_s` seconds for all attempts.

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
        return WordedDraft(replace(made, notes=(f"{_DRAFTED_BY_RULE}: {answer.problem}",)), record)
    lines = [line for line in answer.value.lines if line.text and _stands(line, texts)]
    refused = len(answer.value.lines) - len(lines)
    record |= {"taken": len(lines), "refused": refused}
    if not lines:
        why = "no line of the model is shown by a document"
        return WordedDraft(replace(made, notes=(f"{_DRAFTED_BY_RULE}: {why}",)), record)
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
