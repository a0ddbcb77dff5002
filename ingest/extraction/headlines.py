"""Headlines: what a sentence tells of its speaker in about eight words: "Sara quit her job".

The sentence's own words with the speaker's name for "I" and "my": nothing else is put in, and what
would not be understood by itself ("I did it with them") gives no headline. English only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...core.experience import TELLS_MIN, Utterance
from ...core.people import FORMS_OF_ADDRESS
from .analysis.analysis import Analysis, Sentence
from .analysis.clauses import NEARLY, Clause, Tense
from .analysis.phrases import NounPhrase
from .analysis.tagged_words import TaggedWord, join
from .entities.topics import is_topical

WORDS_MAX = 8
#: Words more that a headline may have to name what it is about, or what became of it.
_WORDS_OVER = 5
#: What a headline loses from the first to the last of a session, and gains a word.
_LATE, _MORE = 0.2, 0.04
#: What it loses that tells of somebody's relative or thing: "Haruto's dad lost a foot".
_OF_OTHERS = 0.2
#: What a headline gains that tells of a turn in a life, and loses that tells of a pastime.
_TURN, _PASTIME = 0.4, -0.25
_TURNS = frozenset(
    "won lost finished completed wrapped passed failed quit joined moved adopted applied graduated"
    " married engaged divorced hired fired retired rejected rejection published accepted died"
    " accident hurt injured surgery hospital crashed broke audition auditioned interview interviews"
    " letdown job pregnant born award prize submitted submitting volunteering"
    " diagnosed evicted inherited stolen robbed split sacked laid offer".split()
)
_PASTIMES = frozenset(
    "played watched noticed read saw roasted tried upgraded picked made cooked baked ate"
    " checking revising chasing".split()
)
#: Verbs that tell nothing by themselves.
_IDLE = frozenset(
    "think thought know knew mean guess hope hoped wish wished feel felt agree love loved like"
    " liked remember remembered see saw say said hear heard want wanted need needed was were 'm"
    " am are is used hoping hope trying"
    " be been wonder wondered appreciate appreciated believe believed understand understood let"
    " told tell ask asked realize realized turning turned introducing".split()
)
_TENSES = frozenset({Tense.PAST, Tense.PERFECT, Tense.FUTURE})
#: Auxiliaries of "I" as those of a name.
_OF_A_NAME = {
    "'m": "is",
    "am": "is",
    "'re": "is",
    "are": "is",
    "were": "was",
    "have": "has",
    "'ve": "has",
    "gon": "is going",
}
_OF_GOING = {"gon": "going", "na": "to"}
#: A promise tells nothing that happened, and "used to" nothing new.
_NO_DEED = frozenset("will 'll wo used".split())
_OWN = frozenset("my our".split())
#: Before a name: who is called so has more names than one.
_PEOPLES_TITLES = FORMS_OF_ADDRESS | frozenset(
    "coach captain father sister brother uncle aunt the".split()
)
_ADVERBS = frozenset(
    "just finally actually really also even already recently lately so then ever only still now"
    " always totally definitely literally basically".split()
)
#: Verbs that tell something without more: "my dad passed away".
_WHOLE = frozenset(
    "died passed graduated retired quit divorced relapsed resigned broke crashed".split()
)
_GO = frozenset("go goes going gone went".split())
#: The same, only with what stands behind: "we split up", "I got laid off".
_WITH_PARTICLE = frozenset("split laid fell broke got moved".split())
_PUTS = frozenset("down off on together up away out in".split())
_PARTICLES = frozenset("away apart down out up off through".split())
#: What may stand before a clause that stands for itself, beside times.
_BEFORE = frozenset(", : . CC RB UH (".split()) | frozenset("– — - ; ya you".split())
_DASHES = frozenset("– — -".split())
#: What opens words that say when: "after finishing my book I got a letter".
_WHEN = frozenset("after before since while during by".split())
_RELATIVES = frozenset({"WDT", "WP"})
_STOPS = frozenset(", . ! ; : ( – — ? because".split())
_UNCLEAR = frozenset(
    "your you this that these those it another one something anything stuff things".split()
)
#: What befalls a thing: said of "I" the thing is meant ("the car I bought broke down").
_OF_THINGS = frozenset("broke crashed".split())


def with_headlines(
    utterances: Sequence[Utterance], analysis: Analysis, speaker: str
) -> tuple[Utterance, ...]:
    """Return the utterances of a message, those that tell something with a headline."""
    sentences = {sentence.start: sentence for sentence in analysis.sentences}
    return tuple(
        replace(utterance, headline=headline_of(sentences[utterance.start], speaker))
        if utterance.tells >= TELLS_MIN
        else utterance
        for utterance in utterances
    )


def title_of(utterances: Sequence[Utterance]) -> str:
    """Return the headline that tells most, and a second person's where both are short enough.

    `utterances` are those of a session in order: what it opens with, and what is told in more
    words, counts a little more; a turn in a life counts more than a pastime.
    """
    ranked = [
        (
            utterance.tells
            - _LATE * place / len(utterances)
            + _MORE * min(len(headline.split()), WORDS_MAX)
            + _grade(headline)
            - (_OF_OTHERS if headline.partition(" ")[0].endswith("'s") else 0.0),
            headline,
        )
        for place, utterance in enumerate(utterances)
        if (headline := utterance.headline)
    ]
    title = ""
    for _, headline in sorted(ranked, key=lambda row: -row[0]):
        longer = f"{title}; {headline}" if title else headline
        is_new = headline.split()[0].removesuffix("'s") not in title
        if not title or (is_new and len(longer.split()) <= WORDS_MAX):
            title = longer
    return title


def _grade(headline: str) -> float:
    words = frozenset(headline.lower().split())
    if words & _TURNS:
        return 0.0 if "another" in words else _TURN
    return _PASTIME if words & _PASTIMES else 0.0


def headline_of(sentence: Sentence, speaker: str) -> str | None:
    """Return the headline of the first clause that has one, a turn in a life first; None for none.

    `speaker` is a name as it is to be shown; its first word is used, but for one with a title.
    """
    if not speaker or sentence.is_question:
        return None
    name = _short_name(speaker)
    headlines = [
        headline + _became(sentence, clause, headline)
        for clause in sentence.clauses
        if _tells(clause, sentence) and _stands_alone(sentence, clause)
        if (headline := _headline(clause, name))
    ]
    return max(headlines, key=_grade, default=None)


def _short_name(speaker: str) -> str:
    first = speaker.split(maxsplit=1)[0]
    return speaker if first.lower().rstrip(".") in _PEOPLES_TITLES else first


def _omits_subject(clause: Clause, sentence: Sentence) -> bool:
    """Say whether "I" is left out: "Just dyed my hair"."""
    if clause.subject is not None or clause.tense is not Tense.PAST:
        return False
    before = [token.lower for token in sentence.tokens[: clause.first]]
    opening = max((place + 1 for place, word in enumerate(before) if word in _DASHES), default=0)
    return all(word in _ADVERBS for word in before[opening:])


def _stands_alone(sentence: Sentence, clause: Clause) -> bool:
    """Say whether nothing before a clause governs it: no "wish", no noun that it is about."""
    subject = clause.subject
    start = clause.first if subject is None else min(clause.first, subject.first)
    if start == 0 or subject is None or subject.first < clause.first:
        return True
    before = sentence.tokens[start - 1]
    opening = max(
        (place + 1 for place in range(start) if sentence.tokens[place].text == ","), default=0
    )
    if opening < start and sentence.tokens[opening].lower in _WHEN:
        return True
    is_time = any(phrase.last == start and phrase.is_time for phrase in sentence.phrases)
    return is_time or before.tag in _BEFORE or before.lower in _BEFORE


def _tells(clause: Clause, sentence: Sentence) -> bool:
    """Say whether a clause is a deed or a fate of its speaker or theirs, and no condition."""
    timely = clause.tense in _TENSES or (clause.tense is Tense.PRESENT and clause.progressive)
    group = {token.lower for token in clause.tokens[: clause.complement_first - clause.first]}
    if not NEARLY.isdisjoint(group | {t.lower for t in sentence.tokens[: clause.first][-1:]}):
        return False  # "nearly died"
    if clause.progressive and not group.isdisjoint({"was", "were"}):
        return False  # "I was reading when …": what it was about comes after
    return (
        timely
        and (clause.is_first_person or _omits_subject(clause, sentence))
        and (
            not clause.depends_on
            or (clause.depends_on == "so" and sentence.tokens[0].lower == "so")
        )
        and bool(clause.verbs)
        and not any(verb.lower in _IDLE for verb in clause.verbs)
    )


def _headline(clause: Clause, name: str) -> str | None:
    before, first = [name], 0
    if clause.subject is not None:
        first = max(clause.subject.last - clause.first, 0)
        if not clause.is_own:
            before = [f"{name}'s", *(token.text for token in clause.subject.tokens[1:])]
    last = clause.complement_first - clause.first
    verbs = [token for token in clause.tokens[first:last] if token.lower not in _ADVERBS]
    if len(before) > 1 and any(token.tag == "TO" for token in verbs):
        return None
    if not verbs or any(token.lower in _NO_DEED for token in verbs):
        return None
    before.append(_OF_A_NAME.get(verbs[0].lower, verbs[0].text.lower()))
    before += [_OF_GOING.get(token.lower, token.text.lower()) for token in verbs[1:]]
    behind = _complement(clause, WORDS_MAX - len(" ".join(before).split()))
    whole = clause.verb in _WHOLE and not (clause.is_own and clause.verb in _OF_THINGS)
    if clause.verb == "put" and behind.split()[:1] not in [[word] for word in _PUTS]:
        return None  # "put our cat to sleep"
    parted = clause.verb in _WITH_PARTICLE and verbs[-1].lower in _PARTICLES
    if not behind and not parted and not (whole and clause.object is None):
        return None
    text = " ".join([*before, *([behind] if behind else [])])
    text = text.replace(" n't", "n't")
    return text.replace('"', "") if text.count('"') % 2 else text


def _complement(clause: Clause, room: int) -> str:
    """Return the beginning of what follows the verbs, up to the end of a noun; "" without a topic.

    Times and "my" are left out; somebody or something that is not named in it ends it.
    """
    shown: list[TaggedWord] = []
    best, topical = 0, False
    place = clause.complement_first
    phrases = {phrase.first: phrase for phrase in clause.phrases}
    while place < clause.last:
        phrase, token = phrases.get(place), clause.tokens[place - clause.first]
        words = [token] if phrase is None else phrase.tokens
        place += len(words)
        if token.lower in _STOPS or (phrase and (phrase.is_pronoun or phrase.is_time)):
            break
        if any(_is_unclear(word, words) for word in words):
            break
        shown += [word for word in words if word.lower not in _OWN | _ADVERBS]
        if len(join(shown).split()) > room + (0 if best else _WORDS_OVER):
            break
        is_activity = token.tag == "VBG" and clause.verb in {*_GO, token.lower}
        topical = topical or is_activity or (phrase is not None and _is_topical(phrase))
        ends = phrase is not None or is_activity or token.tag == "RP"
        parts = clause.verb in _WHOLE | _WITH_PARTICLE and token.lower in _PARTICLES
        if (ends and topical) or parts:
            best = len(shown)
    return " ".join(join(shown[:best]).split())


def _became(sentence: Sentence, clause: Clause, headline: str) -> str:
    """Return what became of the thing that ends a headline: "that appeared on the big screen"."""
    behind = next((later for later in sentence.clauses if later.first == clause.last + 1), None)
    if behind is None or behind.subject is not None or behind.tense is not Tense.PAST:
        return ""
    pronoun, ended = sentence.tokens[clause.last], clause.tokens[-1].text
    times = [phrase.first for phrase in behind.phrases if phrase.is_time]
    shown = behind.tokens[: min(times, default=behind.last) - behind.first]
    fits = pronoun.tag in _RELATIVES and headline.endswith(ended) and len(shown) <= _WORDS_OVER
    return f" {pronoun.text} {join(shown).strip()}" if fits else ""


def _is_topical(phrase: NounPhrase) -> bool:
    return is_topical(phrase) or any(word.lower in _TURNS for word in phrase.tokens)


def _is_unclear(word: TaggedWord, words: Sequence[TaggedWord]) -> bool:
    names_it = word.lower == "another" and words[-1].lower not in {"another", "one"}
    return word.lower in _UNCLEAR and not names_it
