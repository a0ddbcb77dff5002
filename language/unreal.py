"""Which sentences of a message tell a dream of the night, a fiction, or a joke or lie called one.

What happens in a dream did not happen; that there was a dream is so ("I had a strange dream"). It
goes on in the sentences behind it, until somebody wakes up. Dreams of the future ("I dreamed of
becoming a pilot") are none of these. English only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .word_lists import word_list

_DREAM = re.compile(
    r"""
    (?<!never\ )(?<!ever\ )(?<!always\ )\b(?:dreamed|dreamt)\b(?!\ (?:of|big)\b)
    | \b(?:have|had|having)\ (?:an?|the|this|that|another|such\ an?|one\ of\ those)
      \ (?:[\w-]+\ ){0,3}?(?:dreams?|nightmares?)
      (?=\ (?:that|where|in\ which|about|last|again|once|I|we|my|she|he|they|it)\b|[^\w\s]|\s*$)
    | \b(?P<inside>in)\ (?:the|my|that|this|a)\ (?:dream|nightmare)
      (?=\ (?:I|we|he|she|they|it|there|my|our|his|her|the|was)\b|[^\w\s]|\s*$)
    """,
    re.IGNORECASE | re.VERBOSE,
)
#: Ends a dream and is all there is to say of it.
_WAKES = re.compile(r"\b(?:wak(?:e|ing)|woke(?:n)?|alarm)\b", re.IGNORECASE)
_TURNS = re.compile(
    r"\b(?:anyway|anyhow|in real(?:ity| life)|for real|by the way|btw|actually|but)\b",
    re.IGNORECASE,
)
#: Takes back what stands beside it; in a sentence as short as this, what stands before it.
_JOKE = re.compile(
    r"\b(?:just|only|i['’]m|am|totally) (?:kidding|joking)\b|\bapril fools?\b|\bj/?k\b",
    re.IGNORECASE,
)
_SHORT_WORDS = 5
_LIE = re.compile(
    r"""
    \b(?:which|but\ (?:that|it|this))(?:['’]s|\ is|\ was|\ were)
      (?:\ (?:all|just|totally|completely|of\ course|obviously|simply))?
      (?:\ not\ (?:true|so)\b|n['’]t\ true\b|\ untrue\b|\ made[\ -]up\b|\ invented\b
         |\ (?:an?|the|one)\ (?:\w+\ )?(?:lie|fib|invention)\b|\ lies\b)
    | (?:^|[.!?,–-]\ *)(?:that|it|this)(?:\ was|['’]s|\ is)\ (?:all\ )?
      (?:an?\ (?:\w+\ )?(?:lie|fib)|lies|made\ up|not\ true)\W*$
    | \bI\ (?:just\ )?(?:lied|made\ (?:it|that|all\ (?:of\ )?(?:it|that))(?:\ all)?\ up)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
#: What is told of a work of one's own fancy, but how it is made.
_FICTION = re.compile(
    r"""
    ^\W*(?:\w+,?\ ){0,2}in\ (?:the|my|our|a|an|this|that|his|her)\ (?:[\w-]+\ ){0,2}?
    (?P<work>novel|novella|story|screenplay|script|comic|fan\ ?fic(?:tion)?|fairy\ tale|sitcom
      |role-?play|play|musical|movie|film|sketch|simulation|video\ game|game|campaign)\b
    (?:\ (?:that\ )?(?:I|we|he|she|they)(?:['’]m|['’]re|['’]ve|\ \w+)?\ (?:\w+\ )?\w+)?,?
    \ (?:I|my|we|our)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
#: What goes on with a dream stands in the past.
_NOW = re.compile(
    r"\b(?:i['’]m|i am|is|are|i['’]ll|will|i['’]ve|have|has|do|does|don['’]t|can)\b", re.IGNORECASE
)
_PAST_VERB = re.compile(r"\w+ed|was|were|had|did|got|went|saw|won|lost|scored|made", re.IGNORECASE)
#: Behind the naming of a dream no more than so many words: when it was.
_NAMED_WORDS = 4
_WRITTEN = frozenset("novel novella story screenplay script comic".split())
_MAKES = word_list("telling")


def find_unreal(sentences: Sequence[str]) -> set[int]:
    """Return the places of the sentences of a message that tell what is not so."""
    unreal: set[int] = set()
    dreaming = False
    for place, text in enumerate(sentences):
        if _JOKE.search(text) or _LIE.search(text):
            unreal |= {place, place - 1} if len(text.split()) <= _SHORT_WORDS else {place}
            continue
        if _is_fiction(text):
            unreal.add(place)
            continue
        begins = _DREAM.search(text)
        dreaming = begins is not None or (
            dreaming and not (_TURNS.search(text) or _NOW.search(text))
        )
        if dreaming and not (begins and _only_names(begins, text)):
            unreal.add(place)
        dreaming = dreaming and not any(end.search(text) for end in (_WAKES, _TURNS))
    return unreal


def _only_names(begins: re.Match[str], text: str) -> bool:
    """Return whether a sentence only says that there was a dream."""
    behind = text[begins.end() :]
    goes_into = re.search(
        r"[,:;–-]|\b(?:that|where|in which|about|i|we|my|and)\b", behind, re.IGNORECASE
    )
    return not begins["inside"] and not goes_into and len(behind.split()) <= _NAMED_WORDS


def _is_fiction(text: str) -> bool:
    """Return whether it tells what somebody does in a novel, or now in a game or play."""
    match = _FICTION.match(text)
    verb = re.match(r"\W*(\w+)", text[match.end() :]) if match else None
    if match is None or verb is None or verb[1].lower() in _MAKES:
        return False
    return match["work"].lower() in _WRITTEN or _PAST_VERB.fullmatch(verb[1]) is None
