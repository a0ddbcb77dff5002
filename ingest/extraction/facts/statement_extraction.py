"""What the author of a message states of themselves, as statements for the facts that are known.

The closed set of facts is read by `language/facts`, their ends by `language/fact_ends`; here they
get their words and how sure they are. No clock: when a statement was made is the event's affair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....core.events import EventKind
from ....core.facts import Fact
from ....core.ids import fold
from ....core.vocabulary import Stability
from ....language.fact_ends import Ending, ending_of, may_end
from ....language.facts import facts_in
from ....language.runs.tool_calls import Event
from ....language.words import Span
from .predicates import get_predicate, render_statement

#: Take so many statements of a message.
_STATEMENTS_MAX = 12
#: How sure a statement is: said outright (of what does not change: surer), of others.
DIRECT, _STATIC, REPORTED = 0.9, 0.95, 0.7
#: Below this nothing is handed on; a text without capitals costs so much.
STATEMENT_CONFIDENCE_MIN, _UNCAPITALISED = 0.6, 0.1
#: Kinds of events whose author states something: what people say and hand in.
STATED_KINDS = frozenset(
    {EventKind.USER_MESSAGE, EventKind.MANUAL_CAPTURE, EventKind.MANUAL_INGEST}
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement that somebody made; `subject` None is the speaker.

    `ends` says that it no longer holds; without an object it ends whichever held.
    `confidence` is from 0.6 to 1; `quote` are the words that say it.
    """

    subject: str | None
    predicate: str
    object: str
    text: str
    stability: Stability
    single_valued: bool
    confidence: float
    ends: bool = False
    quote: str | None = None


def extract_statements(
    event: Event, speaker: str | None, text: str, sentences: Sequence[Span]
) -> list[Statement]:
    """Return what the author of a message states, in the order of the text, each once.

    `speaker` is the author's name, which the sentences are about; `sentences` are those of the text
    that tell what is so. Only what people say and hand in is read: an agent repeats what it was
    told. At most 12.
    """
    if event["kind"] not in STATED_KINDS:
        return []
    penalty = _UNCAPITALISED if text == text.lower() else 0.0
    statements = []
    for fact in facts_in(text, sentences):
        if fact.predicate == "name" and fold(fact.object) == fold(speaker or ""):
            continue
        static = get_predicate(fact.predicate).stability is Stability.STATIC
        stated = fact.predicate, fact.object, fact.ends
        quote = text[fact.start : fact.end]
        sure = (_STATIC if static else DIRECT) - penalty
        statements.append(statement_of(None, stated, sure, speaker, quote))
    return statements[:_STATEMENTS_MAX]


def endings_in(
    event: Event, text: str, spans: Sequence[Span], facts: Sequence[Fact]
) -> Iterator[tuple[Fact, Ending, str]]:
    """Yield which of a speaker's facts a message ends, or may end, with the sentence that does."""
    if event["kind"] not in STATED_KINDS:
        return
    factual = [text[start:end] for start, end in spans]
    sentences = [sentence for sentence in factual if may_end(sentence)]
    for fact in facts if sentences else ():
        for sentence in sentences:
            ending = ending_of(sentence, fact.predicate, fact.object, fact.evidence or "")
            if ending is not None:
                yield fact, ending, sentence
                break


def statement_of(
    subject: str | None,
    stated: tuple[str, str, bool],
    confidence: float,
    speaker: str | None,
    quote: str | None = None,
) -> Statement:
    """Return a statement in the table's words; `stated` is predicate, object, whether it ends."""
    predicate, object, ends = stated
    row = get_predicate(predicate)
    return Statement(
        subject=subject,
        predicate=predicate,
        object=object,
        text=render_statement(subject or speaker or "The speaker", predicate, object, ends=ends),
        stability=row.stability,
        single_valued=row.single_valued,
        confidence=round(confidence, 2),
        ends=ends,
        quote=quote,
    )
