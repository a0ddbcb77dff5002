"""What somebody states about themselves, others and things, read from messages by rule.

Careful rather than complete: a question, a wish, an "if" and what somebody else is reported to
have said state nothing. English only. Addresses and numbers of people are not read. No clock: when
a statement was made is the event's affair, and "tomorrow" stays "tomorrow".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ....core.events import EventKind, text_of
from ....core.facts import object_key
from ....core.ids import fold
from ....core.sentences import own_words, split_sentences
from ....core.vocabulary import Stability
from ...capture.event_view import Event
from .fact_rule import FactRule, ObjectShape
from .object_phrases import EDGE_CHARS, NOT_NAMES, extract_name, extract_phrase, extract_phrases
from .pattern_blocks import COUNTED, KIN
from .predicates import FAVOURITE, get_predicate, render_statement
from .rule_index import FACT_RULES, RULES_BY_CUE, compile_rule

#: Read so much of a message, characters; take so many statements of it.
_CHARS_MAX, _STATEMENTS_MAX = 4_000, 12
#: How sure a statement is: said outright (of what does not change: surer), of others, with doubt.
_DIRECT, _STATIC, _REPORTED, _HEDGED = 0.9, 0.95, 0.7, 0.6
#: Below this nothing is handed on; a text without capitals costs so much.
STATEMENT_CONFIDENCE_MIN, _UNCAPITALISED = 0.6, 0.1

_STATED_KINDS = frozenset(
    {EventKind.USER_MESSAGE, EventKind.MANUAL_CAPTURE, EventKind.MANUAL_INGEST}
)
_WORD = re.compile(r"[a-zé]+(?:'[a-z]+)?")
#: Where a statement can begin: at a name, or at one of few words.
_START = re.compile(
    r"\b(?:[A-ZÀ-ÖØ-ÞĀ-Ž]"
    r"|(?:i|we|my|our|the|please|just|you|call|everyone|people|friends)\b)|^."
)
#: What anywhere before a statement makes it none: a condition, a thing imagined.
_HYPOTHETICAL = re.compile(
    r"\b(?:if|unless|whether|wish\w*|imagin\w+|suppos(?:e|ing)|pretend\w*|in case|as though"
    r"|let['’]s say|example|e\.g|not sure|doubt\w*|joke\w*|joking|kidding)\b",
    re.IGNORECASE,
)
#: What does so in the same clause: a wish, somebody else's words, another time.
_HYPOTHETICAL_CLAUSE = re.compile(
    r"\b(?:would|could|should|might|may|must|hop(?:e|ing)|dream\w*|want\w*|when(?:ever)?|until|till"
    r"|before|once|say(?:s|ing)?|said|claim\w*|ask(?:s|ed)?|wonder\w*|never|gonna|going to|will"
    r"|['’]ll|['’]d|not that|why|how)\b(?![^,;:.—–]*[,;:.—–])",
    re.IGNORECASE,
)
#: The same behind: the statement goes on and takes itself back.
_HYPOTHETICAL_AFTER = re.compile(r"^[^.;!?]{0,20}\b(?:if|unless|would|if only)\b", re.IGNORECASE)
_HEDGE = re.compile(
    r"\b(?:i (?:think|guess|believe|suppose|assume)|maybe|perhaps|probably|possibly|apparently"
    r"|as far as i know|if i remember|i['’]m (?:pretty|fairly) sure|kind of|kinda|sort of)\b",
    re.IGNORECASE,
)
#: Words and marks behind which a new clause begins.
_CLAUSE = re.compile(
    r"(?:^|[,;:(–—…!.*\"-]|\b(?:and|but|so|because|since|cause|cuz|as|though|although|while|that"
    r"|well|yes|yeah|yep|no|nope|also|plus|hi|hello|hey|actually|honestly|ok|okay|oh|sure|btw"
    r"|currently|now|think|guess|believe|know|recently|unfortunately|neighbou?r|friend|colleague"
    r"|cousin|wife|husband|partner|boss|girlfriend|boyfriend|sister|brother|mother|father|told you"
    r"|thanks|right|anyway|fyi|fun fact))\s*$",
    re.IGNORECASE,
)
_QUESTION_START = re.compile(
    r"^\W*(?:(?:and|but|so|or|well|hey|oh|btw|wow) )*(?:do|does|did|are|is|was|were|have|has|had"
    r"|can|could|will|would|should|what|which|who|whose|where|when|why|how|any|got|isn|don|aren"
    r"|right|you|and you|ever)\b",
    re.IGNORECASE,
)
#: A favourite of these kinds says nothing.
_VAGUE_KINDS = frozenset(
    """
    part parts thing things memory memories bit way moment moments one ones aspect time times
    passions kind person people place spot of so to
    """.split()
)
_ADVICE = re.compile(
    r"\b(?:you|your|yours|yourself|sometimes|always|never|important|matters?|progress|positive)\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"^(?:my|our|the)\s+", re.IGNORECASE)
#: A number is the same in words and in digits.
_DIGITS = {
    word: str(number)
    for number, word in enumerate("one two three four five six seven eight nine ten".split(), 1)
}
_NUMBER = re.compile(rf"\b(?:{'|'.join(_DIGITS)})\b", re.IGNORECASE)
_COUNTS = frozenset(COUNTED.values())
_IS = re.compile(r"\bis (?:now )?")
#: Of what is studied, where and how long is another matter.
_FIELDS = frozenset({"studies", "studied"})
_PREPOSITION = re.compile(r" (?:at|in|with|for|under|from|last|this|full[- ]time|part[- ]time)\b")


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


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    is_question: bool
    uncased: bool


def extract_statements(event: Event, speaker: str | None) -> list[Statement]:
    """Return what the author of a message states, in the order of the text, each once.

    `speaker` is the author's name, which the sentences are about. Only what people say and hand
    in is read: an agent repeats what it was told. At most 12 statements.
    """
    if event["kind"] not in _STATED_KINDS:
        return []
    text = text_of(event)[:_CHARS_MAX]
    if RULES_BY_CUE.keys().isdisjoint(_words(text)):
        return []
    uncased = text == text.lower()
    statements: dict[tuple[str, str, str, bool], Statement] = {}
    for sent in _sentences(text, uncased):
        for statement in _statements_in(sent, speaker):
            key = fold(statement.subject or ""), statement.predicate, object_key(statement.object)
            statements.setdefault((*key, statement.ends), statement)
    return list(statements.values())[:_STATEMENTS_MAX]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower().replace("’", "'")))


def _sentences(text: str, uncased: bool) -> Iterator[_Sentence]:
    for sentence_text in split_sentences(own_words(text)):
        is_question = sentence_text.rstrip("\"')”* ").endswith("?")
        stated = _before_question(sentence_text) if is_question else sentence_text
        if stated:
            yield _Sentence(stated, is_question, uncased)


def _before_question(sentence_text: str) -> str:
    """Return what a sentence states before it asks: "I live in Rome, and you?"."""
    head, mark, tail = sentence_text.rpartition(", ")
    return head if mark and _QUESTION_START.match(tail) and not _QUESTION_START.match(head) else ""


def _statements_in(sent: _Sentence, speaker: str | None) -> Iterator[Statement]:
    rule_indexes = {
        rule_index for word in _words(sent.text) for rule_index in RULES_BY_CUE.get(word, ())
    }
    starts = (
        [start_match.start() for start_match in _START.finditer(sent.text)] if rule_indexes else []
    )
    for rule_index in sorted(rule_indexes):
        rule = FACT_RULES[rule_index]
        for match in _matches(compile_rule(rule_index, uncased=sent.uncased), sent, starts):
            confidence = _confidence(rule, match, sent)
            subject = _subject(match, speaker)
            if confidence < STATEMENT_CONFIDENCE_MIN or subject == "":
                continue
            for predicate, object in _predicate_objects(rule, match):
                yield _statement(rule, subject or None, (predicate, object), confidence, speaker)


def _matches(
    pattern: re.Pattern[str], sent: _Sentence, starts: list[int]
) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern; where capitals show names, only at words that can begin one.

    Looking everywhere takes three times as long.
    """
    if sent.uncased:
        yield from pattern.finditer(sent.text)
        return
    end = 0
    for start in starts:
        if start >= end and (match := pattern.match(sent.text, start)):
            yield match
            end = match.end()


def _confidence(rule: FactRule, match: re.Match[str], sent: _Sentence) -> float:
    """Return how sure a match is; 0 where it states nothing."""
    before, after = sent.text[: match.start()].rstrip(), sent.text[match.end() :]
    if before and not rule.position_free and not _can_start(before):
        return 0.0
    if _HYPOTHETICAL_AFTER.match(after):
        return 0.0
    groups = match.groupdict()
    row = get_predicate(_predicate(rule, groups.get("kind") or ""))
    confidence = _STATIC if row.stability is Stability.STATIC else _DIRECT
    if groups.get("who"):
        confidence = _REPORTED
    if _HEDGE.search(before) or _HEDGE.search(after[:20]):
        confidence = _HEDGED if confidence > _REPORTED else 0.0
    return confidence - _UNCAPITALISED if sent.uncased and confidence > _REPORTED else confidence


def _can_start(before: str) -> bool:
    """Say whether a statement can begin behind these words."""
    if not _CLAUSE.search(before) or before.count('"') % 2:
        return False
    return not (_HYPOTHETICAL.search(before) or _HYPOTHETICAL_CLAUSE.search(before))


def _subject(match: re.Match[str], speaker: str | None) -> str | None:
    """Return whom a match is about: None for the speaker, nothing where nobody can tell."""
    groups = match.groupdict()
    if thing := groups.get("what"):
        return _OWN.sub("", thing).strip()
    who = groups.get("who")
    if not who:
        return None
    if own := _OWN.match(who):
        return f"{speaker}'s {who[own.end() :]}" if speaker else ""
    first, *others = fold(who).split()
    named = first not in NOT_NAMES and not (first.endswith("ing") and not others)
    return who if named else ""


def _predicate_objects(rule: FactRule, match: re.Match[str]) -> Iterator[tuple[str, str]]:
    """Yield predicate and object of everything that a match states."""
    groups = match.groupdict()
    predicate = _predicate(rule, groups.get("kind") or "")
    raw = groups.get("o") or groups.get("o2") or ""
    if not predicate or (not raw and not rule.ends):
        return
    if not raw:
        yield predicate, ""
    elif (than := groups.get("than")) is not None:
        chosen, other = extract_phrase(raw), extract_phrase(than)
        if chosen and other:
            yield predicate, f"{chosen} over {other}"
    else:
        for object in _objects(rule, predicate, raw):
            yield predicate, object


def _predicate(rule: FactRule, kind: str) -> str:
    if rule.predicate == FAVOURITE:
        words = fold(kind).split()
        vague = not words or not _VAGUE_KINDS.isdisjoint(words)
        return "" if vague else FAVOURITE + "_".join(words).replace("color", "colour")
    if rule.predicate in ("", "count"):
        return (COUNTED if rule.predicate else KIN).get(fold(kind), "")
    return rule.predicate


def _objects(rule: FactRule, predicate: str, raw: str) -> list[str]:
    if rule.shape is ObjectShape.PROPER:
        return [name] if (name := extract_name(raw)) else []
    if rule.shape is ObjectShape.THINGS:
        return extract_phrases(raw)
    if rule.shape is ObjectShape.THING:
        head = _PREPOSITION.split(raw)[0] if predicate in _FIELDS else raw
        return [phrase] if (phrase := extract_phrase(head)) else []
    cleaned = " ".join(raw.split()).strip(EDGE_CHARS)
    if predicate == "age" or predicate in _COUNTS:
        cleaned = _NUMBER.sub(lambda match: _DIGITS[match[0].lower()], cleaned)
    if predicate == "meeting":
        cleaned = _IS.sub("", cleaned)
    if predicate == "note" and _ADVICE.search(cleaned):
        return []
    return [cleaned] if cleaned else []


def _statement(
    rule: FactRule,
    subject: str | None,
    predicate_object: tuple[str, str],
    confidence: float,
    speaker: str | None,
) -> Statement:
    predicate, object = predicate_object
    row = get_predicate(predicate)
    return Statement(
        subject=subject,
        predicate=predicate,
        object=object,
        text=render_statement(
            subject or speaker or "The speaker", predicate, object, ends=rule.ends
        ),
        stability=row.stability,
        single_valued=row.single_valued,
        confidence=round(confidence, 2),
        ends=rule.ends,
    )
