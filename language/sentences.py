"""Split a text into sentences and words with their places; leave out quoted material.

Quoted are code, quoted lines and addresses: nobody's own words. Contractions are two words ("I'll"
is "I" and "'ll", "don't" is "do" and "n't"), as the tagger was taught.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .word_lists import word_list

_QUOTED = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"`[^`\n]*`|https?://\S+|(?<![^\s@`])[^\s@]++@\S+")
_BULLET = re.compile(r"\A\s*(?:[-*•–]|\d{1,2}[.)]|[a-z][.)])\s+")
#: A line that names a value, such as "**Date:** May 22", and a sentence that announces a list.
_FIELD = re.compile(
    r"\A\s*(?:#+ .*|\*\*[^*]*\*\*\s*|\W*[A-Z][\w ()#-]{0,30}(?:\*\*)?:(?:\s|\*).*)\Z"
)
_ANNOUNCES = re.compile(r"(?:\A|(?<=[.!?])\s)[^.!?]*:[\s*]*\Z")
_END = re.compile(
    r"(?:(?<=[.!?…])|(?<=[.!?…][\"”’')*])|(?<=[.!?…][\"”’')*]{2}))\s+"
    r"|(?<=[。！？])(?![。！？」』”)])"
)
#: Behind these a full stop ends no sentence.
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|vs|approx|e\.g|i\.e|a\.m|p\.m|(?<![-'’])[b-hj-z])|\A\d{1,2})\.\Z",
    re.IGNORECASE,
)
#: English small talk before the first comma or stop; in other languages nothing is taken away.
_OPENING = re.compile(
    r"^(?:(?:hey|hi|hello|wow|yeah|yes|yep|yup|oh|ah|aw|aww|well|so|ok|okay|sure|cool|great|nice"
    r"|awesome|amazing|thanks|thank you|thx|haha|lol|congrats|absolutely|definitely|totally"
    r"|perfect|morning|good morning|btw|by the way|actually|anyway)"
    r"(?:[\s,]+\w+)?\s*[,.!:–—-]+\s*)+",
    re.IGNORECASE,
)
#: English words that talk is made of, whatever it is about.
COMMON_TALK = word_list("common_talk")
#: What is shorter in ASCII is small talk, and no opening is taken away to leave less, characters.
OWN_CHARS_MIN = 12


#: "14. februar", and "no. 12".
_ORDINAL = re.compile(r"(?<!\S)[0-3]?\d\.\Z")
_NUMBERED = re.compile(r"\b(?:no|nr|num)\.\Z", re.IGNORECASE)


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text in order, each on one line and without the mark of a list.

    Every line ends a sentence. Signs between two sentences, such as an emoji, are one too.
    """
    sentences: list[str] = []
    for line in text.splitlines():
        pending = ""
        for fragment in _END.split(" ".join(_BULLET.sub("", line, count=1).split())):
            if pending and not _goes_on(pending, fragment):
                sentences.append(pending)
                pending = ""
            pending = f"{pending} {fragment}" if pending else fragment
        sentences.append(pending)
    return [sentence for sentence in sentences if sentence]


def _goes_on(before: str, after: str) -> bool:
    """Return whether a full stop ends no sentence: of an abbreviation, a number, an ellipsis."""
    if before.endswith(("…", "..")) or _ORDINAL.search(before):
        return after[:1].islower()
    if after[:1].isdigit() and _NUMBERED.search(before):
        return True
    return before.endswith(".") and _ABBREVIATION.search(before) is not None


def without_opening(sentence: str) -> str:
    """Return a sentence without the small talk that it opens with, where something is left."""
    bare = _OPENING.sub("", sentence)
    return bare if len(bare) >= OWN_CHARS_MIN else sentence


def quotations(text: str) -> list[str]:
    """Return the blocks of code and the quoted lines of a text."""
    return _QUOTED.findall(text)


def without_quotations(text: str) -> str:
    """Return a text without blocks of code and quoted lines."""
    return _QUOTED.sub("\n", text) if "```" in text or ">" in text else text


def own_words(text: str) -> str:
    """Return a text without blocks of code and quoted lines, code within lines and addresses."""
    text = without_quotations(text)
    return _INLINE.sub(" ", text) if "`" in text or "@" in text or "http" in text else text


def blank_quotations(text: str) -> str:
    """Return a text of the same length, with blanks in place of what `own_words` leaves out."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match.group())

    return _INLINE.sub(blank, _QUOTED.sub(blank, text))


def without_lists(text: str) -> str:
    """Return a text without the lines of lists, fields such as "Arrival: 12:00" and headings."""
    lines = (line for line in text.splitlines() if not (_BULLET.match(line) or _FIELD.match(line)))
    return "\n".join(_ANNOUNCES.sub("", line) for line in lines)


def is_item(text: str, start: int) -> bool:
    """Return whether a sentence that starts there opens a line of a list, a field or a heading."""
    line = text[text.rfind("\n", 0, start) + 1 :].partition("\n")[0]
    opens = text[text.rfind("\n", 0, start) + 1 : start]
    return not opens.strip(" \t*#-•–.)0123456789") and bool(
        _BULLET.match(line) or _FIELD.match(line)
    )


def is_list(text: str) -> bool:
    """Return whether a text is mostly a list: lines with bullets or numbers."""
    lines = [line for line in text.splitlines() if line.strip()]
    return 2 * sum(_BULLET.match(line) is not None for line in lines) > len(lines)


_WORD = re.compile(
    r"[^\W\d_]+(?=n['’]t\b)|n['’]t\b"  # don't
    r"|['’](?:ll|re|ve|s|m|d)\b"
    r"|(?:[^\W\d_]\.){2,}"  # U.S.
    r"|\d+(?:[.,:/]\d+)*(?:st|nd|rd|th|s|am|pm|k|m|km|kg|%)?\b"
    r"|[^\W_]+(?:[-&][^\W_]+)*"
    r"|\.{2,}|[!?]+|\S",
    re.IGNORECASE,
)
#: Words that are written as one and tagged as two.
_JOINED = {"gonna": 3, "wanna": 3, "gotta": 3, "cannot": 3}
Span = tuple[int, int]


def own_spans(text: str) -> list[tuple[Span, list[Span]]]:
    """Return where the sentences of a text stand, in order, and the words of each.

    Each span is (start, end) in characters of `text`.
    """
    own = blank_quotations(text)
    return [(span, list(_word_spans(own, span))) for span in sentence_spans(text)]


def sentence_spans(text: str) -> list[Span]:
    """Return where the sentences of a text stand, in order, without what is quoted."""
    own = blank_quotations(text)
    spans, place = [], 0
    for sentence in split_sentences(own):
        words = sentence.split()
        start = own.index(words[0], place)
        place = start
        for word in words:
            place = own.index(word, place) + len(word)
        spans.append((start, place))
    return spans


def _word_spans(text: str, span: Span) -> Iterator[Span]:
    for match in _WORD.finditer(text, *span):
        start, end = match.span()
        joined = _JOINED.get(match.group().lower())
        if joined is not None:
            yield start, start + joined
            start += joined
        yield start, end
