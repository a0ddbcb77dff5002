"""What the sentences of a message say was done, was received, or is off; English only."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...core.text import Analyser
from ...core.vocabulary import CommitmentKind
from .analysis.analysis import Sentence
from .analysis.clauses import Clause, Tense
from .analysis.tagged_words import TaggedWord
from .deeds import Deed, deed_after, deed_of, lemma, noun_stems, stem_of

_CANCELS = re.compile(
    r"\b(?:never ?mind|forget (?:about )?it|scratch that|chang(?:ed|ing) my mind"
    r"|call(?:ed|ing)? (?:\w+ )?off|no longer|not? (?:\w+ )*after all|decided (?:not to|against)"
    r"|backed out|gave up on|fell through)\b",
    re.IGNORECASE,
)
_UNABLE = re.compile(
    r"\b(?:(?:won['’]t|can['’]t|can ?not|couldn['’]t) (?:be able to )?|unable to |not able to )"
    r"(?!wait|help|believe|imagine|thank|stop|get enough|give up)",
    re.IGNORECASE,
)
_THANKS = re.compile(r"\b(?:thank(?:s| you)(?: \w+){0,3}? for|as promised)\b", re.IGNORECASE)
#: Hands something over as it is said: "Sending you the recipe now!".
_NOW = re.compile(
    r"(?:\A|[.,;!–-] *)(?:(?:i['’]m|i am|just) )?"
    r"(?=(?:sending|forwarding|e-?mailing|texting|sharing) .*\b(?:now|as we speak)\b)",
    re.IGNORECASE,
)
_HERE = re.compile(r"\bhere(?:['’]s| is| are)\b", re.IGNORECASE)
#: Verbs that tell of no deed when they stand in the past.
_STATES = frozenset(
    "be have think feel love like know want need hope plan say mean wish guess decide forget"
    " try seem look believe remember use".split()
)


#: Verbs that tell of a deed with a mere "it": "Found it!", and not "Got it".
_BARE = frozenset("find do finish fix send book make call buy check".split())


def is_handed_over(sentence: Sentence) -> bool:
    """Say whether a sentence hands over what it tells of, so that nothing is left to be done."""
    return _NOW.search(sentence.text) is not None


def completions_of(sentence: Sentence, analyser: Analyser) -> Iterator[tuple[CommitmentKind, Deed]]:
    """Yield what a sentence tells done, received or given up, each with its deed."""
    if sentence.is_question:
        return
    if _CANCELS.search(sentence.text):
        verbs = (clause.verbs[-1] for clause in sentence.clauses if clause.verbs)
        verb = next((stem_of(v, analyser) for v in verbs if lemma(v) not in _STATES), "")
        yield CommitmentKind.CANCEL, Deed(verb, noun_stems(sentence.tokens, analyser), ())
    elif match := _UNABLE.search(sentence.text):
        deed = deed_after(sentence, sentence.start + match.end(), analyser)
        if deed.objects:
            yield CommitmentKind.CANCEL, deed
    else:
        yield from _received(sentence, analyser)
        for clause in sentence.clauses:
            denied = clause.negated or clause.depends_on in {"if", "unless", "whether"}
            if clause.tense in {Tense.PAST, Tense.PERFECT} and not denied:
                yield from _done(sentence, clause, analyser)


def _received(sentence: Sentence, analyser: Analyser) -> Iterator[tuple[CommitmentKind, Deed]]:
    """Yield what is thanked for, and what somebody hands over: "Here are the flights"."""
    if match := _THANKS.search(sentence.text):
        deed = deed_after(sentence, sentence.start + match.end(), analyser)
        if deed.objects:
            yield CommitmentKind.RECEIVED, deed
    elif match := _NOW.search(sentence.text):
        yield CommitmentKind.DONE, deed_after(sentence, sentence.start + match.end(), analyser)
    elif _HERE.search(sentence.text) and (nouns := noun_stems(sentence.tokens, analyser)):
        yield CommitmentKind.DONE, Deed("", nouns, ())


def _done(
    sentence: Sentence, clause: Clause, analyser: Analyser
) -> Iterator[tuple[CommitmentKind, Deed]]:
    """Yield what a clause in the past tells done: by the speaker, by nobody named, or over."""
    if any(token.lower == "got" for token in clause.verbs) and clause.tense is Tense.PERFECT:
        return  # "I've got" has, and got nothing done
    own = clause.is_own or clause.subject is None
    verb = lemma(clause.verbs[-1]) if clause.verbs else ""
    subject = () if clause.subject is None else clause.subject.tokens
    if own or clause.passive:
        deed = deed_of(sentence, clause, analyser)
        before = _before(sentence, clause)
        objects = (*noun_stems(before, analyser), *deed.objects) if own else deed.objects
        bare = clause.object is not None and verb in _BARE
        if verb not in _STATES and (objects or bare):
            yield CommitmentKind.DONE, Deed(deed.verb, tuple(dict.fromkeys(objects)), ())
    elif verb in {"arrive", "arrived"}:
        yield CommitmentKind.RECEIVED, Deed("", noun_stems(subject, analyser), ())
    elif nouns := noun_stems(subject, analyser):
        yield CommitmentKind.DONE, Deed("be", nouns, ())


def _before(sentence: Sentence, clause: Clause) -> tuple[TaggedWord, ...]:
    """Return the noun phrase right before a clause: what it tells of, in "the poem I sent"."""
    return tuple(
        token
        for phrase in sentence.phrases
        if phrase.last == clause.first
        for token in phrase.tokens
    )
