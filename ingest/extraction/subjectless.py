"""What a sentence without "I" commits to: "Gonna try it", "Let me look that up", "Count me in".

English only. Sentences with a subject stand in `commitments`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...core.experience import TELL
from ...core.text import Analyser
from ...core.vocabulary import CommitmentKind
from .analysis.analysis import Sentence
from .analysis.tagged_words import TaggedWord
from .commitment_doubts import UNSURE
from .commitment_forms import FORMS, UPDATES
from .dated_things import DATES
from .deeds import Deed, deed_after, lemma
from .definite_deeds import THINGS, is_definite

#: What an agent announces and does in the same message.
TALKS = frozenset(
    "explain clarify summarize summarise recap walk break list outline repeat rephrase".split()
)
_NOT_LET_ME = TALKS | frozenset("know see tell guess think be say start put ask make".split())
_LET_ME = re.compile(r"\blet me\b", re.IGNORECASE)
#: Words among which a sentence can open with a verb.
_OPENINGS = 4
YOU = frozenset({"you", "ya", "u"})


def commitments_without_subject(
    sentence: Sentence, analyser: Analyser, *, has_due: bool, by_agent: bool
) -> Iterator[tuple[CommitmentKind, Deed]]:
    """Yield what a sentence without "I" commits to, and its deed."""
    if UNSURE.search(sentence.text):
        return
    by_form = next(_by_form(sentence, analyser, has_due=has_due), None)
    if by_form is not None:
        yield by_form
    elif has_due and sentence.text[:4].lower() == "got ":  # "Got an audition next Tuesday"
        deed = deed_after(sentence, sentence.start, analyser)
        if any(token.lower in DATES for token in sentence.tokens):
            yield CommitmentKind.PLAN, deed
    elif "be the first to know" in sentence.text.lower():
        yield CommitmentKind.PROMISE, Deed(TELL, (), ())
    elif by_agent and (match := _LET_ME.search(sentence.text)):
        deed = deed_after(sentence, sentence.start + match.end(), analyser)
        if deed.written and lemma(deed.written[0]) not in _NOT_LET_ME:
            yield CommitmentKind.PROMISE, deed
    elif (place := _opening_verb(sentence)) is not None:
        yield from _opened(sentence, place, analyser, has_due=has_due, by_agent=by_agent)


def _by_form(
    sentence: Sentence, analyser: Analyser, *, has_due: bool
) -> Iterator[tuple[CommitmentKind, Deed]]:
    """Yield what is undertaken in a set form: "Count me in for Saturday"."""
    for form, kind, timed in FORMS:
        if (match := form.search(sentence.text)) and (has_due or not timed):
            deed = deed_after(sentence, sentence.start + match.end(), analyser)
            if (kind is CommitmentKind.PLAN and deed.verb == "see") or _names_any_deed(deed):
                yield kind, deed


def _names_any_deed(deed: Deed) -> bool:
    """Say whether a form is followed by a deed that can be done, to something or somebody."""
    words = {token.lower for token in deed.written}
    to_what = not deed.verb or deed.objects or not words.isdisjoint(THINGS | YOU)
    return bool(to_what) and is_definite(deed, any_deed=True)


def _opening_verb(sentence: Sentence) -> int | None:
    """Return the place of "gonna", "let's" or a gerund with which a sentence opens."""
    for place, token in enumerate(sentence.tokens[:_OPENINGS]):
        before = sentence.tokens[place - 1] if place else None
        opens = before is None or before.text in {",", "!", "-", ":"} or before.tag in {"RB", "UH"}
        if opens and (token.lower in {"gon", "let", "will"} or token.tag == "VBG"):
            return None if token.tag == "VBG" and _is_finite(sentence, place) else place
        if token.is_verb or token.tag == "PRP":
            return None
    return None


def _is_finite(sentence: Sentence, place: int) -> bool:
    """Say whether a main clause follows a gerund: "Counting from now it is done by Friday"."""
    return any(clause.first > place and not clause.depends_on for clause in sentence.clauses)


def _opened(
    sentence: Sentence, place: int, analyser: Analyser, *, has_due: bool, by_agent: bool
) -> Iterator[tuple[CommitmentKind, Deed]]:
    """Yield what an opening verb commits to."""
    token, following = sentence.tokens[place], sentence.tokens[place + 1 : place + 2]
    word, behind = token.lower, following[0].lower if following else ""
    verb = sentence.tokens[place + 2 : place + 3]
    going = word == "gon" or (
        behind == "to" and word == "going" and bool(verb) and verb[0].tag == "VB"
    )
    begins = token.start
    if going:
        begins = token.end
    elif word == "let" and following:
        begins = following[0].end
    deed = deed_after(sentence, begins, analyser)
    if word != "let" and UPDATES.search(sentence.text):
        yield CommitmentKind.PROMISE, Deed(TELL, (), deed.written)
        return
    if not (deed.verb or deed.objects) or not is_definite(deed, any_deed=has_due or by_agent):
        return
    if kind := _kind_opened("gon" if going else word, following, deed, has_due=has_due):
        yield kind, deed


def _kind_opened(
    word: str, following: Sequence[TaggedWord], deed: Deed, *, has_due: bool
) -> CommitmentKind | None:
    """Return the kind of "Gonna …", "Will send it", "Let's …", "Sending you …", "Planning to …"."""
    behind = following[0].lower if following else ""
    things = bool(deed.objects) or any(token.lower in THINGS for token in deed.written)
    if word == "gon":
        return CommitmentKind.PLAN if things or has_due else None
    if word == "will":
        return CommitmentKind.PROMISE if things and deed.verb else None
    if not deed.objects:
        return None
    if word == "let":
        return CommitmentKind.PROPOSAL if has_due and behind in {"'s", "us"} else None
    if behind in {"you", "ya"}:
        return CommitmentKind.PROMISE
    return CommitmentKind.PLAN if has_due else None
