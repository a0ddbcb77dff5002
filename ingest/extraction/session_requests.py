"""What a session was asked for: the first request, and the one that says what in particular.

"I need to make some changes to my flight" is a request, and no title: what somebody wants stands in
what they answer. English only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from ...core.events import EventKind
from ...core.runs.tool_calls import Event
from ...core.sentences import without_opening
from .quotations import quotable_sentences, quote, spoken_text

#: Longest title of a session, characters.
TITLE_CHARS_MAX = 120
#: A user who has not said by then what they want in particular, in messages, wants many things.
_MESSAGES_MAX = 6
_GREETING = re.compile(
    r"\A\W*(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings|dear)\b(?: there)?"
    r"(?:,? (?!i\b|i['’]|can\b|could\b|we\b)\w+)?\s*[,.!:–-]+\s*",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"\b(?:i(?:['’]d| would) like|i(?:['’]m| am) (?:looking|trying|hoping|calling|interested)"
    r"|i (?:want|need|have to|wish|wanted|was hoping)|can you|could you|would you|please"
    r"|help me|assist me|fix|add|write|make|implement|find|how (?:do|can|to))\b",
    re.IGNORECASE,
)
#: Asks for help, and leaves open with what.
_HELP = re.compile(r"\bi (?:need|want) (?:some |your )?(?:help|assistance)\b", re.IGNORECASE)
_WISH_PREFIX = re.compile(
    r"(?:so,? |and |well,? )?(?:please |i(?:['’]m| am) (?:looking|trying|hoping|calling|here) to "
    r"|i(?:['’]d| would) like (?:you )?to |i (?:want(?:ed)?|need|was hoping|wish) (?:you )?to "
    r"|(?:can|could|would) you (?:please )?(?:(?:help|assist) me )?(?:to |with |in )?"
    r"|(?:please )?help me (?:to |with )?|i need (?:some )?(?:help|assistance) (?:with|in|to) "
    r"|(?:start with|know) )",
    re.IGNORECASE,
)
#: Says who asks and about which record, not for what.
_INTRODUCES = re.compile(
    r"\bmy (?:[\w-]+ ){0,2}(?:id|name|username|number|email|zip(?: code)?) (?:is|should|would)\b",
    re.IGNORECASE,
)
#: Behind it, a prompt says what the task is.
_TASK = re.compile(
    r"(?:\A|\n)\W*(?:issue|task|problem(?: statement)?|here['’]s the issue text|question|goal"
    r"|<(?:issue|task|pr|problem|user)(?:_\w+)?>)\W*(?:\n|\Z)|\A\W*(?:issue|task|goal): ",
    re.IGNORECASE,
)
#: Wants something, and does not say what.
_VAGUE = re.compile(
    r"\b(?:mak(?:e|ing) (?:some |a few |an? |any )?(?:changes?|adjustments?|modifications?)"
    r"|(?:chang|modify|modify|updat|adjust|alter|edit|resolv|discuss)(?:e|ing)?"
    r"|issues?|problems?|questions?|some things?|a few)\b",
    re.IGNORECASE,
)
_ANY_CHANGES = re.compile(r"\bmak(?:e|ing) (?:some |a few |an? |any )?changes?\b", re.IGNORECASE)
#: Says of a change what it is to be.
_PARTICULAR = re.compile(
    r"\d|\b(?:to|from|into|instead|by) (?:an?|the|my|one|business|economy|first|basic"
    r"|[A-Z][a-z]+)\b|\bnonstop\b"
)
#: Words that mean whoever speaks, or whom they speak to.
_SPOKEN = re.compile(r"\b(?:i|me|my|mine|we|us|our|ours|you|your|yours|u|im)\b", re.IGNORECASE)
#: Only agrees to what was offered, or asks for somebody else.
_AGREES = re.compile(
    r"\b(?:proceed(?:ing)?|go ahead|confirm|transfer|connect me|human|again|for now)\b"
    r"|\A(?:also|i['’]ll|i will)\b",
    re.IGNORECASE,
)
#: A request that points back: "can you fix it", "find out why", "help me".
_POINTS_BACK = re.compile(
    r"\b(?:it|them|this|that|these|those|why)\b(?=\W*\Z|,)|\A(?:please )?help me\W", re.IGNORECASE
)
_PRONOUN = re.compile(r"(?:\w+ ){1,2}(?:it|them|that)\b", re.IGNORECASE)

Stems = Callable[[str], Collection[str]]


class Request(NamedTuple):
    """A sentence in which somebody asks for something, and the place of its event."""

    place: int
    text: str

    @property
    def is_wish(self) -> bool:
        """Whether it says so: "I'd like to", "can you"."""
        return _REQUEST.search(self.text) is not None


def task_of(text: str) -> str:
    """Return what a prompt asks for: what stands behind the last heading that says "task"."""
    headings = list(_TASK.finditer(text))
    return text[headings[-1].end() :].lstrip() or text if headings else text


def first_request(events: Sequence[Event], stems_of: Stems) -> Request | None:
    """Return the sentence in which somebody first asked for something; None where nobody did.

    The instructions around a task are not it, and neither is who asks.
    """
    asked = _sentences(events, stems_of)
    first = [request for request in asked if request.place == asked[0].place]
    specific = [request for request in first if request.is_wish and not _HELP.search(request.text)]
    return next(iter([*specific, *first]), None)


def request_title(events: Sequence[Event], request: Request, stems_of: Stems) -> str:
    """Return a title for a session that was asked for something, in the words of who asked.

    Where the first `request` does not say what in particular, a later one may; where it points
    back, what it points to is the title. What somebody only tells, and what is "mine" or "yours" to
    nobody but them, stands as a quote behind their name.
    """
    chosen = _telling(_sentences(events, stems_of), request)
    heading = _heading(chosen.text if chosen == request else without_opening(chosen.text))
    event = events[chosen.place]
    if event.get("person") and (not chosen.is_wish or _SPOKEN.search(heading)):
        return quote(event, chosen.text, TITLE_CHARS_MAX)
    return heading


def _telling(asked: Sequence[Request], request: Request) -> Request:
    """Return the sentence that says what a session was asked for in particular."""
    before = [r for r in asked if r.place == request.place and r != request]
    back = _POINTS_BACK.search(request.text.strip(" .!?"))
    if back and before and not before[0].text.endswith("?"):
        return before[0]
    if not _is_vague(request.text):
        return request
    places = list(dict.fromkeys(later.place for later in asked))[:_MESSAGES_MAX]
    particular = (
        later
        for later in asked
        if later.place in places
        and later.is_wish
        and not (_is_vague(later.text) or _AGREES.search(later.text) or _HELP.search(later.text))
        and not _POINTS_BACK.search(later.text.strip(" .!?"))
        and not _PRONOUN.match(_heading(without_opening(later.text)))
    )
    return next(particular, request)


def _is_vague(request: str) -> bool:
    if _ANY_CHANGES.search(request) and not re.search(r"\d", request):
        return True
    return bool(_VAGUE.search(request) or _HELP.search(request)) and not _PARTICULAR.search(request)


def _sentences(events: Sequence[Event], stems_of: Stems) -> list[Request]:
    return [
        Request(place, sentence)
        for place, event in enumerate(events)
        if event["kind"] == EventKind.USER_MESSAGE
        for sentence in quotable_sentences(_GREETING.sub("", task_of(spoken_text(event)), 1))
        if len(stems_of(sentence)) > 1 and not _INTRODUCES.search(sentence)
    ]


def _heading(request: str) -> str:
    """Return a request without its greeting and its "I would like to"."""
    bare = _GREETING.sub("", request, count=1)
    while (wish := _WISH_PREFIX.match(bare)) and len(bare) - wish.end() > 12:
        bare = bare[wish.end() :]
    bare = re.sub(r",? please\W*\Z", "", bare, flags=re.IGNORECASE).strip(" .!?,")
    return bare[:1].upper() + bare[1:]
