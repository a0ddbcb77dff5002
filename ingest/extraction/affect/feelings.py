"""A speaker's own feelings, by rules over the shallow analysis: what one would dare to tell them.

A word of feeling counts where I or we are what feels, in a clause that is stated: not denied, not
supposed, no question, and not about the listener ("glad you liked it", "proud of you"). What an
own experience was like counts too ("it was so rewarding"); what things are like in general does
not. English only. No word is better than a wrong one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ....core.experience import PRIMARY_MAX, Utterance
from ....core.vocabulary import Emotion
from ..analysis.analysis import Analysis, Sentence
from ..analysis.clauses import Clause, Tense
from ..analysis.phrases import NounPhrase
from ..analysis.tagged_words import TaggedWord
from .irony import is_ironic
from .sentiment import analyse_sentiment


def _by_word(rows: Mapping[Emotion, str]) -> dict[str, Emotion]:
    return {word: emotion for emotion, words in rows.items() for word in words.split()}


#: What I am, or feel. Pride, joy and gratitude are `satisfied`, fear and worry `concerned`.
_STATES = _by_word(
    {
        Emotion.EXCITED: "excited thrilled stoked pumped psyched ecstatic hyped",
        Emotion.SATISFIED: "happy happier glad proud prouder grateful thankful satisfied pleased"
        " content fulfilled lucky blessed delighted overjoyed joyful accepted honored honoured",
        Emotion.RELIEVED: "relieved",
        Emotion.CONCERNED: "nervous worried anxious scared afraid terrified concerned stressed"
        " overwhelmed freaked frightened uneasy panicked panicking worrying stressing",
        Emotion.FRUSTRATED: "frustrated annoyed angry mad furious irritated pissed",
        Emotion.SAD: "sad heartbroken devastated lonely depressed bummed disappointed gutted"
        " crushed homesick miserable upset discouraged",
        Emotion.SURPRISED: "surprised shocked stunned astonished",
        Emotion.CURIOUS: "curious intrigued",
        Emotion.UNCERTAIN: "unsure torn undecided confused",
        Emotion.CAUTIOUS: "wary cautious",
        Emotion.FOCUSED: "focused determined",
        Emotion.GRIEVING: "grieving mourning",
    }
)
#: What an own experience was like.
_EXPERIENCES = _by_word(
    {
        Emotion.EXCITED: "exciting thrilling",
        Emotion.SATISFIED: "awesome amazing blast rewarding satisfying fulfilling gratifying"
        " special wonderful fantastic incredible",
        Emotion.RELIEVED: "relief",
        Emotion.CONCERNED: "scary nerve-wracking nerve-racking terrifying stressful frightening",
        Emotion.FRUSTRATED: "frustrating annoying infuriating",
        Emotion.SAD: "heartbreaking devastating disappointing disheartening bummer",
        Emotion.SURPRISED: "surprising shocking",
    }
)
#: Feelings by their nouns, in a sentence that speaks of feelings.
_NOUNS = _by_word(
    {
        Emotion.EXCITED: "excitement",
        Emotion.SATISFIED: "joy happiness gratitude pride",
        Emotion.RELIEVED: "relief",
        Emotion.CONCERNED: "anxiety worry terror fear nerves",
        Emotion.FRUSTRATED: "frustration anger",
        Emotion.SAD: "sadness sorrow",
        Emotion.GRIEVING: "grief",
        Emotion.UNCERTAIN: "doubt",
    }
)
#: What something does to me.
_DONE_TO_ME = _by_word(
    {
        Emotion.FRUSTRATED: "frustrated frustrates annoyed annoys bugged bugs angered irritated",
        Emotion.SAD: "upset upsets bummed saddened saddens hurt devastated crushed",
        Emotion.CONCERNED: "scared scares worried worries terrified freaked stresses stressed",
    }
)
#: Of what is not going on now, only what weighs or what is over is a feeling: "it's a bummer".
_LASTING = frozenset({Emotion.FRUSTRATED, Emotion.SAD, Emotion.CONCERNED, Emotion.RELIEVED})

_BAD = _LASTING - {Emotion.RELIEVED}
_BRIGHT = frozenset({Emotion.EXCITED, Emotion.SATISFIED})
#: The tone from where on a sentence about its speaker outweighs what is bright elsewhere.
_SOUR = -0.7
_MINE = frozenset("i we my our me us".split())

_FEEL = frozenset(
    "be am is are was were 'm 's 're been being feel feels felt feeling get got gets getting"
    " become became stay".split()
)
_NAMED = frozenset("feeling feelings emotions feels feel felt mix".split())
_YOU = frozenset("you your yours yourself y'all ya u".split())
_ME = frozenset({"me", "us"})
_DENIED = frozenset("not n't never no without hardly".split())
_SUPPOSED = frozenset("if unless until whether".split())
_NOT_STATED = frozenset({Tense.MODAL, Tense.IMPERATIVE, Tense.FUTURE})
_OVER = frozenset({Tense.PAST, Tense.PERFECT})
_GUESSED = frozenset("bet must sounds looks seems imagine".split())
#: What is watched and read is judged, not felt.
_JUDGED = frozenset(
    "movie movies film films book books show series acting song songs album watched".split()
)
_DEGREES = frozenset("so such super really pretty kinda very quite a bit little of an".split())
_OPENS = frozenset(", ! . - – — : … ... ;".split())
_PERCEIVED = frozenset(
    "see seeing hear hearing read reading watch watching help check try trying".split()
)
#: Says that what sounds bad felt good: "scared, the good kind", "nervous, but in a good way".
GOOD_KIND = re.compile(
    r"\b(?:(?:the|a) (?:\w+ly )?(?:good|best|nice|great|happy) (?:kind|sort|way)"
    r"|good (?:kind|sort) of|(?:happy|joyful) tears|tears of joy)\b",
    re.IGNORECASE,
)
#: What happens now and then is no feeling of now; what opens a set phrase is none at all.
_HABITS = frozenset("when whenever always usually sometimes often".split())
_POLITE = {"afraid": frozenset("i we that not so there it".split())}
#: What one may be glad of for oneself.
_GLAD_OF = frozenset("i my to of about that with for and".split())
_BETWEEN_TAGS = frozenset("RB RBR RBS JJ JJR CC , DT PDT VBN VBG UH :".split())
_BETWEEN = frozenset("bit kind kinda sort little of super so way lot mix feeling like".split())
_BETWEEN_MAX = 7
#: Kinds of utterance in which no speaker's own feeling is told, and how likely they must be.
_OTHER_KINDS, _OTHER_MIN = ("othernews", "advice", "joke", "question"), 0.5


def feelings_of(analysis: Analysis, utterances: Sequence[Utterance]) -> tuple[Emotion, ...]:
    """Return the speaker's own feelings in a message, the most often told first, at most three."""
    elsewhere = {
        utterance.start
        for utterance in utterances
        if any(utterance.kinds.get(kind, 0) >= _OTHER_MIN for kind in _OTHER_KINDS)
    }
    judged = any(t.lower in _JUDGED for s in analysis.sentences for t in s.tokens)
    felt: Counter[Emotion] = Counter()
    for sentence in analysis.factual:
        if not sentence.is_question and sentence.start not in elsewhere:
            felt.update(list(dict.fromkeys(_Reader(sentence, judged).feelings())))
    left_out: set[Emotion] = set()
    if is_ironic(analysis.text):
        left_out |= set(Emotion) - _BAD
    if any(GOOD_KIND.search(sentence.text) for sentence in analysis.sentences):
        left_out |= _BAD
    if felt.keys() & _BRIGHT and any(
        _is_sour(s) for s in analysis.factual if s.start not in elsewhere
    ):
        left_out |= _BRIGHT
    emotions = [emotion for emotion, _ in felt.most_common() if emotion not in left_out]
    return tuple(emotions[:PRIMARY_MAX])


def _is_sour(sentence: Sentence) -> bool:
    """Say whether the tone of a sentence about its speaker is so bad that nothing is bright."""
    mine = not _MINE.isdisjoint(token.lower for token in sentence.tokens)
    return mine and analyse_sentiment(sentence.text).valence <= _SOUR


class _Reader:
    """Reads one sentence, word by word."""

    def __init__(self, sentence: Sentence, judged: bool) -> None:
        self._tokens = sentence.tokens
        self._words = [token.lower for token in sentence.tokens]
        self._clauses = sentence.clauses
        self._judged = judged

    def feelings(self) -> Iterator[Emotion]:
        """Yield what its words tell, in their order; of what concerns the listener, nothing."""
        about_you = any(
            word in _YOU and self._words[place - 1 : place] != ["thank"]
            for place, word in enumerate(self._words)
        )
        for place, word in enumerate(self._words):
            if word == "wait" and self._cannot_wait(place):
                yield Emotion.EXCITED
            if about_you:
                continue
            if _DENIED.isdisjoint(self._words[max(0, place - 4) : place]):
                yield from self._at(place)
            yield from self._by_phrase(place)

    def _cannot_wait(self, place: int) -> bool:
        """Say whether somebody cannot wait for what is their own affair too."""
        after = self._words[place + 1 :]
        denied = self._words[place - 1 : place] in (["n't"], ["cannot"])
        return denied and _PERCEIVED.isdisjoint(after[:2]) and "your" not in after

    def _at(self, place: int) -> Iterator[Emotion]:
        word, clause = self._words[place], self._clause(place)
        if word in _STATES and self._is_of_me(place) and self._is_state(place, clause):
            yield _STATES[word]
        elif word in _EXPERIENCES and self._is_experience(place, clause):
            yield _EXPERIENCES[word]
        elif word in _NOUNS and _NAMED & set(self._words[:place]):
            yield _NOUNS[word]
        if word in _DONE_TO_ME and _ME & set(self._words[place + 1 : place + 2]):
            yield _DONE_TO_ME[word]

    def _is_state(self, place: int, clause: Clause | None) -> bool:
        if clause is None:
            return self._words[place] != "glad" and self._opens(place)
        habit = clause.tense is Tense.PRESENT and not _HABITS.isdisjoint(self._words)
        if habit or clause.tense in _NOT_STATED or clause.depends_on in _SUPPOSED:
            return False
        if place < clause.complement_first:
            return clause.is_own and self._tokens[place] in clause.verbs
        if clause.verb in _FEEL and self._follows(place, clause) and _is_own(clause):
            return True
        made = _ME & set(self._words[max(0, place - 4) : place])
        return bool(made) and clause.tense in _OVER

    def _is_of_me(self, place: int) -> bool:
        """Say whether what a feeling is about may be the speaker's own affair."""
        word, after = self._words[place], self._words[place + 1 :]
        following = after[0] if after else ""
        if following in _POLITE.get(word, ()) or following == "we" or self._tokens[place].is_noun:
            return False
        if following == "to" and _PERCEIVED & set(after[1:2]):
            return bool({"me", "my"} & set(after))
        return word != "glad" or following in _GLAD_OF

    def _is_experience(self, place: int, clause: Clause | None) -> bool:
        word = self._words[place]
        if self._judged or not _GUESSED.isdisjoint(self._words):
            return False
        if clause is None or place < clause.complement_first:
            exclaimed = word == "relief" and self._words[:place][-2:] == ["what", "a"]
            strong = _EXPERIENCES[word] is not Emotion.SATISFIED
            degree = strong and self._words[place - 1] in _DEGREES
            return exclaimed or (degree and self._opens(place))
        if not self._follows(place, clause) or clause.depends_on in _SUPPOSED:
            return False
        if _is_own(clause):
            return clause.tense in _OVER and word == "blast"
        subject = clause.subject.head_token.lower if clause.subject else ""
        if clause.tense is Tense.PAST:
            return subject in {"it", "that"} and clause.verb in _FEEL
        lasting = clause.tense is Tense.PRESENT and subject in {"it", "this"}
        mixed = any(_EXPERIENCES.get(other, word) in _BRIGHT for other in self._words)
        return lasting and _EXPERIENCES[word] in _LASTING and not mixed

    def _by_phrase(self, place: int) -> Iterator[Emotion]:
        word, clause = self._words[place], self._clause(place)
        before, after = self._words[:place], self._words[place + 1 :]
        if word == "believe" and before[-2:] == ["ca", "n't"]:
            yield Emotion.SURPRISED
        elif clause is None or not _is_own(clause):
            return
        elif (
            word == "forward"
            and before[-1:] in (["looking"], ["look"])
            and clause.tense is Tense.PRESENT  # "I'd been looking forward to it" is over
        ):
            yield Emotion.EXCITED
        elif word in {"loving", "loved"} and after[:1] == ["it"]:
            yield Emotion.SATISFIED
        elif word == "miss" and not clause.negated and _is_dear(clause.object):
            yield Emotion.SAD
        elif word == "decided" and before[-2:] == ["have", "n't"]:
            yield Emotion.UNCERTAIN

    def _clause(self, place: int) -> Clause | None:
        holding = [clause for clause in self._clauses if clause.first <= place < clause.last]
        return holding[-1] if holding else None

    def _follows(self, place: int, clause: Clause) -> bool:
        return _is_gap(self._tokens[clause.complement_first : place])

    def _opens(self, place: int) -> bool:
        """Say whether only adverbs and the like stand before a word without a clause."""
        while (
            place > 0
            and _is_gap(self._tokens[place - 1 : place])
            and self._words[place - 1] not in _OPENS
        ):
            place -= 1
        return place == 0 or self._words[place - 1] in _OPENS


def _is_own(clause: Clause) -> bool:
    """Say whether I or we are what it speaks of, be it that it has no subject."""
    return clause.is_own or clause.subject is None


def _is_dear(missed: NounPhrase | None) -> bool:
    """Say whether somebody or something of mine is missed, and not a bus."""
    if missed is None:
        return False
    return missed.possessor == "my" or missed.head_token.lower in {"him", "her", "them", "home"}


def _is_gap(tokens: Sequence[TaggedWord]) -> bool:
    return len(tokens) <= _BETWEEN_MAX and all(
        token.tag in _BETWEEN_TAGS or token.lower in _BETWEEN for token in tokens
    )
