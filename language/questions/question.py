"""A parsed question, before anything is looked up: words, people, times, form.

A question can also be rewritten in the first person of the person it asks about. People say "I" of
themselves, and a question about them uses their name: rewritten, both are closer in meaning. The
rules are for English; a question that names nobody stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

from ...core.ids import fold
from ...core.people import YOU, Gazetteer, Person
from ..analyser import Analyser, is_english
from ..word_lists import word_list
from .dates import PartialDate
from .periods import AnchoredPeriod, Period, anchored_period, named_times
from .time_order import TimeOrder, around_events, order_words, time_order
from .time_words import without_happening

_WHEN = re.compile(
    r"^\W*when\b|\b(?:what|which)\s+(?:year|month|date|day)\b|\bhow\s+long\b", re.IGNORECASE
)
_FIRST_PERSON = re.compile(r"\b(?:I|me|my|mine|myself)\b|\bI['’]", re.IGNORECASE)
#: How an answer is asked for: of the agent, as a summary and the like, of what was talked about;
#: where that was; and what the answer is to be like.
_REQUEST = r"(?:list|summari[sz]e|explain|describe|recap|outline)"
_TO_ME = r"(?:give|show|tell|walk|provide|remind|share|list)"
_POLITE = r"(?:(?:can|could|would|will) you|I(?:['’]d| would) like(?: you)? to|I (?:want|need) to)"
_ASKED = (
    rf"\s*(?:please )?(?:{_POLITE} (?:please )?(?:{_REQUEST}|{_TO_ME})(?: (?:me|us))?"
    rf"|{_TO_ME} (?:me|us)(?! to\b)|{_REQUEST}(?= (?:an?|the|my|our|all|every\w*|wh\w+|how)\b)"
    r"|(?:what )?(?:can|do) you (?:tell me|know|remember|recall)(?: if| whether)?)"
    r"(?: (?:through|about|of))?\s+"
)
_AS_SUMMARY = (
    r"(?:(?:an?|the|some) )?(?:(?!(?:of|how|in|on|about)\b)\w+ ){0,2}(?:summary|overview|list"
    r"|order|timeline|recap|explanation|description|account|outline) (?:of|in which|on|about) "
)
_TALKED_ABOUT = r"(?:how )?(?:I|we) (?:brought up|mentioned|discussed|talked about|went over) "
_ASPECTS = (
    r"(?:the )?(?:different|various|several|main) (?:aspects|topics|parts|points) (?:of|about) "
)
_LEADS = [
    re.compile(lead, re.IGNORECASE) for lead in (_ASKED, _AS_SUMMARY, _TALKED_ABOUT, _ASPECTS)
]
_IN_TALK = re.compile(
    r",?\s+(?:throughout|across|in|over|during) (?:all )?our (?:conversation|chat|discussion"
    r"|message|session|talk)s?\b|,?\s+in order(?=\W*\Z|[?.!])",
    re.IGNORECASE,
)
_OF_FORM = re.compile(
    r"(?<=[?.!])\s+(?:mention|list|answer|respond|reply|include|limit|keep it)\b[^?]*\Z",
    re.IGNORECASE,
)
#: What the agent did in words, or whose words they were: "did you recommend", "you told me",
#: "your advice". To ask it for some now ("what would you suggest") is another thing.
_OF_AGENT = re.compile(
    r"\b(?:did|have|had|were|was)\s+you\b|\byou(?:['’]ve|\s+have|\s+had)?\s+(?:just\s+|ever\s+|also\s+)?"
    r"(?:\w+ed|said|told|gave|wrote|made|chose|found|thought|meant|showed|sent|put)\b"
    r"|\byour\s+(?:\w+\s+)?(?:advice|suggestions?|recommendations?|answers?|explanations?|opinion|"
    r"replies|reply|words|proposals?|plan|list|summary|tips?)\b",
    re.IGNORECASE,
)
_SAYING = frozenset("say says said tell tells told talk talked speak spoke mention".split())
#: Words of a question that asks for whatever happened.
_HAPPENING = word_list("happening")
_SOON = re.compile(r"\b(?:right|just|soon|shortly|directly|immediately)\b", re.IGNORECASE)
#: Where one question ends and another may begin; a mark in quotes or in an address ends none.
_NEXT_QUESTION = re.compile(r"(?<=[?؟;])(?=\s)|(?<=？)(?=[^？。！”’」』）\s]|\s+\S)")
_QUESTION_MARK = re.compile(r"[?？؟;]\W*\Z")
#: What was said before a question is needed to read it.
_BACK = re.compile(
    r"\b(?:he|she|they|him|his|hers?|their|theirs|them|it|its|this|these|those|there|then|ones?)\b",
    re.IGNORECASE,
)
#: A question of fewer words asks on; so many questions at once are a text.
_TERMS_MIN, _QUESTIONS_MAX = 2, 4
#: Words and numbers that only a mark stands between.
_JOINED = re.compile(r"(?<![\w.,/:-])\w+(?:[-./:_#]\w+)+(?![\w-])")
_TOGETHER = re.compile(r"\b(?:both|in common|and)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question taken apart.

    `terms` are its distinct stems without people's names, `pairs` neighbouring ones; `people`
    those it names, in order; `joined`: the stems of what is written as one with a number, such
    as 3-14; `asks_of_several`: about what they share, so no speaker is preferred;
    `order`: which of several statements it asks for, as far as it says; `around`: after (else
    before) which events, that `event_terms` name; `happened_around`: whatever that was;
    `asks_of_asker`: about what the person who asks did or said, and not about what the agent said.
    `nameless` is the owner of the space where nobody knows their name: what they say may be
    anybody's.
    `periods` are relative to when it was asked, `anchored_period` to the event that its
    `anchor_terms` name; `asks_of_time`: for whatever happened then, and nothing else;
    `is_keywords`: it is nothing but words to look for;
    `time_terms` are the terms that name times. `spellings` has its words as written, by stem.
    """

    text: str
    terms: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    people: tuple[Person, ...]
    dates: tuple[PartialDate, ...]
    asks_when: bool
    asks_of_several: bool
    periods: tuple[Period, ...] = ()
    anchored_period: AnchoredPeriod | None = None
    anchor_terms: tuple[str, ...] = ()
    spellings: Mapping[str, str] = field(default_factory=dict)
    order: TimeOrder | None = None
    around: tuple[tuple[bool, str], ...] = ()
    event_terms: tuple[tuple[str, ...], ...] = ()
    happened_around: bool = False
    asks_of_asker: bool = False
    nameless: str | None = None
    asks_of_time: bool = False
    time_terms: tuple[str, ...] = ()
    joined: tuple[tuple[str, ...], ...] = ()
    is_keywords: bool = False

    def spell(self, stem: str) -> str:
        """Return a stem as the question has it."""
        return self.spellings.get(stem, stem)

    def describe(self) -> dict[str, list[str]]:
        """Return how the question was read, for people: what was found in it, by kind."""
        times = [named.describe() for named in self.dates] + [
            period.describe() for period in self.periods
        ]
        if self.anchored_period is not None:
            times.append(self.anchored_period.label)
        form = ["asks when"] * self.asks_when + ["asks of several people"] * self.asks_of_several
        form += [self.order.value] if self.order else []
        form += ["asks of who asks"] * self.asks_of_asker
        form += ["asks what happened then"] * self.asks_of_time
        sections = {
            "words": [self.spell(term) for term in self.terms],
            "people": [person.name for person in self.people],
            "times": times,
            "form": form,
        }
        return {kind: values for kind, values in sections.items() if values}


def parse_question(
    text: str, analyser: Analyser, gazetteer: Gazetteer, now: datetime
) -> ParsedQuestion:
    """Take a question apart that is asked at the time `now`; any text is one, even an empty one."""
    whole, text = text, asked_about(text)
    analyser = analyser.of(text)
    people = tuple(gazetteer.named_in(text))
    times = named_times(text, now)
    anchor = anchored_period(times.without(text))
    of_times = _stems(times.only(text), analyser, gazetteer)
    asks_when, owner = bool(_WHEN.search(text)), gazetteer.owner
    asks_of_time = bool(times.places) and not (anchor or asks_when)
    asks_of_time = asks_of_time and _asks_what_happened(
        without_happening(times.without(text), text), analyser, gazetteer
    )
    said = without_happening(text, text) if asks_of_time else text
    stems = _stems(said, analyser, gazetteer)
    around, beside = () if times.places else around_events(text), _SOON.sub("", text)
    around = tuple((after, without_happening(event, text).strip()) for after, event in around)
    for _, event in around:
        beside = beside.replace(event, "")
    happened_around = bool(around) and _asks_what_happened(
        without_happening(beside, text), analyser, gazetteer
    )
    if not (happened_around or is_english(text)):
        around = ()
    return ParsedQuestion(
        text=whole,
        terms=tuple(dict.fromkeys(stems)),
        pairs=tuple(dict.fromkeys(pairwise(stems))),
        people=people,
        dates=times.dates,
        asks_when=asks_when,
        asks_of_several=len(people) > 1 and bool(_TOGETHER.search(text)),
        periods=times.periods,
        anchored_period=anchor,
        anchor_terms=tuple(_stems(anchor.anchor, analyser, gazetteer)) if anchor else (),
        spellings=analyser.spellings(text),
        order=time_order(text, bool(times.places or anchor)),
        around=around,
        event_terms=tuple(tuple(_stems(event, analyser, gazetteer)) for _, event in around),
        happened_around=happened_around,
        asks_of_asker=not people and asks_of_asker(text),
        nameless=owner.id if owner is not None and owner.name == YOU else None,
        asks_of_time=asks_of_time,
        time_terms=tuple(dict.fromkeys(of_times)),
        joined=tuple(joined_stems(times.without(text), analyser)),
        is_keywords="?" not in whole and 0 < len(stems) == len(list(analyser.words(text))),
    )


def asked_about(text: str) -> str:
    """Return a text without the words that say how the answer is to be given: it may be all.

    "Can you give me a summary of how my essay went, across our chats?" asks how my essay went.
    """
    rest = _IN_TALK.sub("", _OF_FORM.sub("", text))
    for place, lead in enumerate(_LEADS):
        match = lead.match(rest)
        if match is None and not place:
            break
        rest = rest[match.end() :] if match else rest
    return rest if rest.strip(" ?.!") else text


def questions_in(text: str, analyser: Analyser, gazetteer: Gazetteer) -> list[str]:
    """Return the questions that a text asks one after the other, where each can be read alone.

    Else the text itself: of one question, of more than `_QUESTIONS_MAX`, of one with a remark.
    """
    questions, complete, parts = [""], False, _NEXT_QUESTION.split(text)
    for part in parts if parts[1:] else ():
        alone = _QUESTION_MARK.search(part) and (gazetteer.named_in(part) or not _BACK.search(part))
        is_own = alone and len({*_stems(part, analyser.of(part), gazetteer)}) >= _TERMS_MIN
        if complete and is_own:
            questions.append(part)
        else:
            questions[-1] += part
        complete = complete or bool(is_own)
    if not 1 < len(questions) <= _QUESTIONS_MAX:
        return [text]
    return [question.strip() for question in questions]


def joined_stems(text: str, analyser: Analyser) -> Iterator[tuple[str, ...]]:
    """Yield the stems of each identifier of a text that has several: 3-14, 10.0.4.12, B/204."""
    for match in _JOINED.finditer(text):
        if len(stems := analyser.terms(match[0])) > 1 and any(map(str.isdigit, match[0])):
            yield tuple(stems)


def asks_of_asker(text: str) -> bool:
    """Return whether a question is about what its asker did or said ("When did I …?")."""
    return bool(_FIRST_PERSON.search(asked_about(text))) and not _OF_AGENT.search(text)


def _asks_what_happened(text: str, analyser: Analyser, gazetteer: Gazetteer) -> bool:
    """Return whether a question without its times asks for whatever happened, or was said."""
    left_out = gazetteer.words | _HAPPENING | _words_of_saying(text, analyser, gazetteer)
    return all(word in left_out for word, stem in analyser.words(text) if stem is not None)


def _stems(text: str, analyser: Analyser, gazetteer: Gazetteer) -> list[str]:
    """Return the stems of a text in order, without stop words and people's names.

    A name that is a word too stays one.
    """
    left_out = gazetteer.words | words_of_form(text, analyser, gazetteer)
    return [
        stem for word, stem in analyser.words(text) if stem is not None and word not in left_out
    ]


def words_of_form(text: str, analyser: Analyser, gazetteer: Gazetteer) -> frozenset[str]:
    """Return the words that only say what is asked for: "last time", "What did Ana say?"."""
    return order_words(text) | _words_of_saying(text, analyser, gazetteer)


def _words_of_saying(text: str, analyser: Analyser, gazetteer: Gazetteer) -> frozenset[str]:
    """Return the words of a question that asks for whatever somebody said: "What did Ana say?".

    None where it says anything else: then they are words like others.
    """
    people = gazetteer.named_in(text)
    if len(people) != 1:
        return frozenset()
    words = {word for word, stem in analyser.words(text) if stem is not None} - gazetteer.words
    asked = words - {*fold(people[0].name).split()}
    return frozenset(asked) if asked <= _SAYING else frozenset()


#: Words about the person asked about, and what they themselves would say.
_PRONOUNS = {
    "he": "I",
    "she": "I",
    "they": "I",
    "him": "me",
    "his": "my",
    "her": "my",
    "their": "my",
    "himself": "myself",
    "herself": "myself",
    "themselves": "myself",
}
_PRONOUN = re.compile(rf"\b(?:{'|'.join(_PRONOUNS)})\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s\Z", re.IGNORECASE)
#: The verb before or behind "I", with its "not", and as it is said of oneself.
_VERBS = {"is": "am", "has": "have", "does": "do"}
_AGREEMENT = re.compile(
    r"\b(?:(?P<before>is|has|does)(?P<not>n['’]t)?(?=\s+I\b)"
    r"|(?<=\bI )(?P<behind>is|has|does)(?P<never>n['’]t)?\b)",
    re.IGNORECASE,
)


def rewrite_in_first_person(text: str, gazetteer: Gazetteer) -> str:
    """Return a question as the first person that it names would put it of themselves.

    Their name becomes "I", another's "you", and pronouns follow; without a name it is unchanged.
    """
    mentions = gazetteer.mentions(text)
    if not mentions:
        return text
    people = gazetteer.named_in(text)
    subject_id = people[0].id
    parts, done = [], 0
    for start, end, person in sorted(mentions, key=lambda mention: (mention[0], -mention[1])):
        if start < done:  # within a longer name
            continue
        subject, possessive = ("I", "my") if person.id == subject_id else ("you", "your")
        parts += [
            _spoken(text[done:start]),
            possessive if _POSSESSIVE.search(text[start:end]) else subject,
        ]
        done = end
    rewritten = "".join([*parts, _spoken(text[done:])])
    return _AGREEMENT.sub(_first_person_verb, rewritten)


def _spoken(text: str) -> str:
    return _PRONOUN.sub(lambda match: _PRONOUNS[match.group().lower()], text)


def _first_person_verb(match: re.Match[str]) -> str:
    verb = _VERBS[(match["before"] or match["behind"]).lower()]
    negation = match["not"] or match["never"]
    if negation and verb == "am":
        return "am not" if match["behind"] else "aren't"
    return f"{verb}{negation or ''}"
