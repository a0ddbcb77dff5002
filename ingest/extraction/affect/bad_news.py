"""A speaker's own bad news: a death, an illness, a loss, an accident, a failure, a refusal.

It is of them or theirs: I, we, or who and what is mine; not of strangers, not of the listener.
A learned head over the sentence says how likely one is (`utterances`); rules over the clauses and
the tone of the words decide where it is not sure. English only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import pairwise

from ....core.experience import Utterance
from ..analysis.analysis import Analysis, Sentence
from ..analysis.clauses import Clause, Tense
from .feelings import GOOD_KIND
from .sentiment import analyse_sentiment
from .sure_misfortunes import ends_well, is_sure_misfortune


class BadNews(StrEnum):
    """What is told, worst first: that somebody died who was near, or another misfortune.

    A `BLOW` is a misfortune that is so sure that it stays bad news beside a good feeling.
    """

    DEATH = "death"
    BLOW = "blow"
    MISFORTUNE = "misfortune"


#: Whose death is a bereavement.
_NEAR = frozenset(
    "mom mum mother mama dad father papa parents parent sister brother sibling son daughter child"
    " baby wife husband partner girlfriend boyfriend fiance fiancé fiancée grandma grandmother"
    " grandpa grandfather granny nana gran aunt uncle cousin niece nephew friend bestie mentor"
    " dog cat puppy pup kitten kitty pet hamster rabbit bunny guinea-pig parrot bird horse turtle"
    " fish tortoise ferret mother-in-law father-in-law".split()
)
_DIED = frozenset("died dies dying dead".split())
#: What happens to me or mine, by its verb; what I lose or break is more than weight or a record.
_BEFALLS = frozenset(
    "lost failed crashed hurt injured fired sacked dumped robbed stolen stole rejected diagnosed"
    " hospitalized hospitalised evicted sprained twisted tore fractured flunked mugged scammed"
    " bankrupt burgled denied declined struggling suffering suffered collapsed broke bombed"
    " bruised slipped tripped fainted cracked wrecked ruined flooded overslept fumbled botched"
    " relapsed demoted suspended evicted cheated betrayed bullied ghosted totaled totalled".split()
)
#: Verbs of what did not happen, where they are denied.
_MISHAPS = frozenset("fail lose crash hurt injured break fall miss suffer relapse collapse".split())
#: The same in two words that stand together.
_BEFALLS_PAIRS = frozenset(
    tuple(pair.split("_"))
    for pair in (
        "broke_down broke_up split_up fell_through fell_apart fell_ill fell_behind"
        " shut_down closed_down kicked_out knocked_out ran_out gave_out passed_out threw_up"
        " worn_out burned_out burnt_out stressed_out messed_up screwed_up got_sick got_rejected"
        " got_fired got_hurt turned_down called_off not_well not_great no_luck"
        " struggle_with struggling_with dealing_with missed_out backed_out falling_apart"
        " got_stuck got_stolen got_robbed got_cancelled got_canceled got_postponed got_delayed"
        " bad_news sad_news feeling_down feeling_low rough_patch not_feeling going_through"
        " having_trouble had_trouble having_problems had_problems having_issues had_issues"
        " having_difficulties ran_into fell_off fell_down got_into stuck_in let_go laid_off"
    ).split()
)
_GOOD_RIDDANCE = frozenset("weight pounds kilos count track record bread ice silence".split())
#: What is bad by its name, in a sentence about me or mine.
_MISFORTUNES = frozenset(
    "setback setbacks letdown accident rejection surgery cancer bummer injury illness breakup"
    " break-up divorce layoff layoffs miscarriage funeral heartbreak stroke fracture concussion"
    " hospital emergency diagnosis infection flu fever covid debt crash failure blow disaster"
    " nightmare loss sprain not-so-great argument burnout anxiety depression insomnia migraine"
    " pain mishap defeat eviction theft burglary leak flood allergy damage slump rut scare"
    " disappointment struggle struggles heartache outage mess trouble hardship hardships obstacle"
    " delay delays cancellation scam robbery virus sickness snag hiccup".split()
)
#: What was tried and came to nothing, be it that "I" is left out.
_CAME_TO_NOTHING = re.compile(
    r"(?:\b(?:i|we|my [\w ]+?)(?: just| really| unfortunately)?|\A|[,;–-]) *"
    r"(?:didn['’]t|couldn['’]t|did not|could not|wasn['’]t able to) (?:even )?"
    r"(?:make (?:it (?:to|into|past|through)|the (?:cut|team|finals?))|qualify|pass|win"
    r"|get (?:in\b|accepted|picked|selected|hired|(?:the|that) (?:job|part|role|grant|offer|gig)))",
    re.IGNORECASE,
)
#: A question that asks nothing, behind what is stated.
_TAG = re.compile(
    r",? (?:can you (?:believe|imagine) (?:it|that)|you know(?: what i mean)?|right|huh)\?+\W*\Z",
    re.IGNORECASE,
)
_HARD = frozenset("tough rough hard bad awful terrible horrible difficult stressful".split())
_HELPED = frozenset("helped helps helping supported supports supporting".split())
_TIMES = frozenset(
    "time times week weeks day days month months year years patch spot start".split()
)
_YOU = frozenset("you your yours yourself y'all ya u".split())
_MINE = frozenset("i we me us my our im ive".split())
_NOT_STATED = frozenset({Tense.MODAL, Tense.IMPERATIVE, Tense.FUTURE})
#: Verbs of what went well, as bright as a bright tone.
_SUCCEEDS = frozenset(
    "passed won beat recovered healed graduated aced finished fixed repaired rescued".split()
)
#: Where these stand, the tone of the words is not that of the sentence.
_DENIED = frozenset("n't not no none never nothing nobody stop stopped without".split())
_SUPPOSED = frozenset("if unless until whether".split())
_OTHER_KINDS, _OTHER_MIN = ("othernews", "advice", "joke", "question", "general"), 0.5
#: How likely a setback must be that the words or the tone tell too, that nothing else tells, that
#: names nobody's own, and that is told of the listener or in a bright tone.
_LIKELY_MIN, _LIKELY_ALONE, _LIKELY_OF_ANY, _LIKELY_ALL_THE_SAME = 0.2, 0.3, 0.4, 0.5
#: And of the listener or in a bright tone, where words tell it too.
_LIKELY_WORDED, _LIKELY_BLOW = 0.35, 0.4
#: From here on a sentence tells news.
_NEWS_MIN = 0.5
_BRIGHT_ABOVE = 0.25
#: A message is happy as a whole above this.
_HAPPY_ABOVE = 0.6


def bad_news_of(analysis: Analysis, utterances: Sequence[Utterance]) -> BadNews | None:
    """Return the worst of the speaker's own bad news in a message; None where there is none."""
    if any(GOOD_KIND.search(sentence.text) for sentence in analysis.sentences):
        return None
    kinds = {utterance.start: utterance.kinds for utterance in utterances}
    all_news = {
        news
        for sentence in analysis.factual
        if not _asks(sentence)
        for news in [_of_sentence(sentence, kinds.get(sentence.start, {}), analysis.text)]
    }
    return next((news for news in BadNews if news in all_news), None)


def _asks(sentence: Sentence) -> bool:
    return sentence.is_question and not _TAG.search(sentence.text)


def only_sounds_bad(analysis: Analysis, utterances: Sequence[Utterance]) -> bool:
    """Say whether news are told that are not bad, in words that sound so: "I broke my record!".

    `bad_news_of` found none. Nothing else in the message sounds bad.
    """
    news_starts = {u.start for u in utterances if u.kinds.get("news", 0.0) >= _NEWS_MIN}
    return bool(news_starts) and all(
        sentence.start in news_starts or analyse_sentiment(sentence.text).valence >= 0
        for sentence in analysis.sentences
    )


def _of_sentence(sentence: Sentence, kinds: Mapping[str, float], message: str) -> BadNews | None:
    """Return what a sentence tells; in a happy message it takes more than a guess."""
    if any(kinds.get(kind, 0) >= _OTHER_MIN for kind in _OTHER_KINDS) or any(
        clause.negated and not _MISHAPS.isdisjoint(_verbs(clause)) for clause in sentence.clauses
    ):
        return None  # of others, or "I didn't fail"
    words = [token.lower for token in sentence.tokens]
    stated = [
        clause
        for clause in sentence.clauses
        if clause.tense not in _NOT_STATED
        and clause.depends_on not in _SUPPOSED
        and not clause.negated
    ]
    yours = not _YOU.isdisjoint(words)
    if not yours and any(_is_death(clause) for clause in stated):
        return BadNews.DEATH
    if not yours and is_sure_misfortune(sentence.text):
        return BadNews.BLOW
    if ends_well(sentence.text):
        return None
    likely = kinds.get("setback", 0.0)
    if not kinds:  # without an encoder, words alone
        likely = _LIKELY_MIN
    tone = analyse_sentiment(sentence.text).valence
    mine = not _MINE.isdisjoint(words)
    failed = _CAME_TO_NOTHING.search(sentence.text) is not None
    worded = failed or (mine and (_says_bad(stated, words) or tone < -_BRIGHT_ABOVE))
    bright = tone > _BRIGHT_ABOVE or not _SUCCEEDS.isdisjoint(words)
    if (bright and _DENIED.isdisjoint(words)) or yours:
        least = _LIKELY_WORDED if worded else _LIKELY_ALL_THE_SAME
    elif worded:
        least = _LIKELY_MIN
    else:
        guessed = mine and likely >= _LIKELY_ALONE
        happy = guessed and analyse_sentiment(message).valence > _HAPPY_ABOVE
        least = _LIKELY_ALONE if guessed and not happy else _LIKELY_OF_ANY
    if likely < least:
        return None
    return BadNews.BLOW if likely >= _LIKELY_BLOW else BadNews.MISFORTUNE


def _says_bad(stated: Sequence[Clause], words: Sequence[str]) -> bool:
    """Say whether words of misfortune are stated of me or mine."""
    if any(_befalls(clause) for clause in stated):
        return True
    if stated and not _BEFALLS_PAIRS.isdisjoint(pairwise(words)):
        return True
    hard = _HELPED.isdisjoint(words) and any(
        first in _HARD and second in _TIMES for first, second in pairwise(words)
    )
    return bool(stated) and (hard or not _MISFORTUNES.isdisjoint(words))


def _is_death(clause: Clause) -> bool:
    words = [token.lower for token in clause.tokens]
    subject, verbs = clause.subject, _verbs(clause)
    mine = subject is not None and subject.possessor in {"my", "our"}
    near = mine and subject is not None and subject.head_token.lower in _NEAR
    if verbs & _DIED:
        return near
    if "passed" in verbs or "passing" in verbs:
        return near and (clause.object is None or "away" in words)
    lost = clause.object
    whose = lost is not None and lost.possessor in {"my", "our"} and lost.head_token.lower in _NEAR
    if clause.is_own and "lost" in verbs:
        return whose
    return clause.is_own and "put" in verbs and ("down" in words or "sleep" in words) and whose


def _befalls(clause: Clause) -> bool:
    if not clause.is_first_person or clause.tense not in {Tense.PAST, Tense.PERFECT, Tense.PRESENT}:
        return False
    words = [token.lower for token in clause.tokens]
    if clause.object is not None and clause.object.head_token.lower in _GOOD_RIDDANCE:
        return False
    verbs = _verbs(clause)
    off = "laid" in verbs and "off" in words
    ill = not {"sick", "ill", "allergic", "injured", "hurt", "unemployed"}.isdisjoint(words)
    return off or ill or not verbs.isdisjoint(_BEFALLS)


def _verbs(clause: Clause) -> set[str]:
    return {verb.lower for verb in clause.verbs}
