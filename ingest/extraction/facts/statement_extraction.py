"""What somebody states about themselves and those near them, read from the clauses of a message.

Careful rather than complete: a question, a wish, an "if" and what somebody else is reported to
have said state nothing. English only. Addresses and numbers of people are not read. No clock: when
a statement was made is the event's affair.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from ....core.events import EventKind
from ....core.facts import object_key
from ....core.ids import fold
from ....core.vocabulary import Stability
from ....language.runs.tool_calls import Event
from ..affect.irony import is_ironic
from ..analysis.analysis import Analysis, Sentence
from ..analysis.clauses import Clause
from ..entities.appositions import appositions_in
from ..entities.bearer_words import ANIMALS, KIN
from .clause_reading import ClauseReading, read_clause
from .clause_statements import stated_in
from .deaths import deaths_in, ended_by
from .named_tastes import named_tastes_in
from .possessions import belongings_in
from .predicates import get_predicate, render_statement
from .self_statements import family_in, nickname_in, trade_in

#: Take so many statements of a message.
_STATEMENTS_MAX = 12
#: How sure a statement is: said outright (of what does not change: surer), of others, with doubt.
DIRECT, _STATIC, REPORTED, _HEDGED = 0.9, 0.95, 0.7, 0.6
#: Below this nothing is handed on; a text without capitals costs so much.
STATEMENT_CONFIDENCE_MIN, _UNCAPITALISED = 0.6, 0.1
#: Kinds of events whose author states something: what people say and hand in.
STATED_KINDS = frozenset(
    {EventKind.USER_MESSAGE, EventKind.MANUAL_CAPTURE, EventKind.MANUAL_INGEST}
)
_NOTE = re.compile(
    r"^(?:[^,]{0,20}, )?(?:please |also |and )*(?:(?:remember|note|keep in mind|do(?:n['’]t| not)"
    r" forget)(?: that|:| for (?:later|next time|the future):?)|(?<=please )(?:remember|note))"
    r"\s*(?P<note>.{8,300})$",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"\b(?:you|your|yours|yourself|sometimes|always|never|important|matters?|progress|positive)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement that somebody made; `subject` None is the speaker.

    `ends` says that it no longer holds; without an object it ends whichever held.
    `confidence` is from 0.6 to 1.
    """

    subject: str | None
    predicate: str
    object: str
    text: str
    stability: Stability
    single_valued: bool
    confidence: float
    ends: bool = False


def extract_statements(event: Event, speaker: str | None, analysis: Analysis) -> list[Statement]:
    """Return what the author of a message states, in the order of the text, each once.

    `speaker` is the author's name, which the sentences are about; `analysis` that of the text.
    Only what people say and hand in is read: an agent repeats what it was told. At most 12.
    """
    if event["kind"] not in STATED_KINDS:
        return []
    uncased = analysis.text == analysis.text.lower()
    ironic = is_ironic(analysis.text)
    statements: dict[tuple[str, str, str, bool], Statement] = {}
    for sentence in analysis.factual:
        for statement in _statements_in(sentence, speaker, uncased=uncased):
            if ironic and statement.predicate == "likes":
                continue
            named = statement.predicate == "name" and statement.subject is None
            if named and fold(statement.object) == fold(speaker or ""):
                continue
            key = fold(statement.subject or ""), statement.predicate, object_key(statement.object)
            statements.setdefault((*key, statement.ends), statement)
    return list(statements.values())[:_STATEMENTS_MAX]


def _statements_in(
    sentence: Sentence, speaker: str | None, *, uncased: bool
) -> Iterator[Statement]:
    deaths = list(deaths_in(sentence))
    dead = {who for who, _ in deaths}
    for who, name in deaths:
        yield from (statement_of(None, end, DIRECT, speaker) for end in ended_by(who, name))
    for apposition in appositions_in(sentence):
        predicate = "pet" if apposition.noun in ANIMALS else KIN.get(apposition.noun)
        if apposition.own and predicate and apposition.noun not in dead:
            yield statement_of(None, (predicate, apposition.name, False), DIRECT, speaker)
    for clause in _stated_clauses(sentence):
        reading = read_clause(sentence, clause, speaker)
        if reading is None:
            continue
        for stated in stated_in(reading):
            confidence = _confidence(reading, stated[0], uncased=uncased)
            if confidence >= STATEMENT_CONFIDENCE_MIN:
                yield statement_of(reading.subject, stated, confidence, speaker)
    spoken_of = chain(
        nickname_in(sentence),
        trade_in(sentence),
        family_in(sentence, dead),
        belongings_in(sentence),
        named_tastes_in(sentence),
    )
    yield from (statement_of(None, stated, DIRECT, speaker) for stated in spoken_of)
    note = None if sentence.is_question else _NOTE.match(sentence.text)
    if note and not _ADVICE.search(note["note"]):
        yield statement_of(None, ("note", note["note"].strip(" .!"), False), DIRECT, speaker)


def _stated_clauses(sentence: Sentence) -> Iterator[Clause]:
    """Yield the clauses of a sentence that ask nothing: those before "and you?" too."""
    if not sentence.is_question:
        yield from sentence.clauses
        return
    commas = [place for place, token in enumerate(sentence.tokens) if token.text == ","]
    asks = sentence.tokens[0].lower in _ASKING or not commas
    if not asks and sentence.tokens[commas[-1] + 1].lower in _ASKING - {"right"}:
        yield from (clause for clause in sentence.clauses if clause.complement_first <= commas[-1])


_ASKING = frozenset(
    """
    and you do does did are is was were have has had can could will would should what which who
    whose where when why how any got
    """.split()
)


def _confidence(reading: ClauseReading, predicate: str, *, uncased: bool) -> float:
    """Return how sure a statement is; 0 where it is none."""
    if reading.subject is not None:
        return 0.0 if reading.hedged else REPORTED
    if reading.hedged:
        return _HEDGED
    static = get_predicate(predicate).stability is Stability.STATIC
    return (_STATIC if static else DIRECT) - uncased * _UNCAPITALISED


def statement_of(
    subject: str | None,
    stated: tuple[str, str, bool],
    confidence: float,
    speaker: str | None,
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
    )
