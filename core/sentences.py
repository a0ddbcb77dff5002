"""Split a text into sentences, and leave out what is quoted: code, quoted lines, addresses.

One reading for all: extraction, episodes, packs and open threads see the same sentences.
"""

from __future__ import annotations

import re

_QUOTED = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"`[^`\n]*`|https?://\S+|[^\s@]+@\S+")
_BULLET = re.compile(r"\A\s*(?:[-*•–]|\d{1,2}[.)]|[a-z][.)])\s+")
_END = re.compile(
    r"(?:(?<=[.!?…])|(?<=[.!?…][\"”’')*])|(?<=[.!?…][\"”’')*]{2}))\s+"
    r"|(?<=[。！？])(?![。！？」』”)])"
)
#: Behind these a full stop ends no sentence.
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|vs|approx|e\.g|i\.e|a\.m|p\.m|(?<![-'’])[b-hj-z])|\A\d{1,2})\.\Z",
    re.IGNORECASE,
)


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
    """Say whether a full stop ends no sentence: of an abbreviation, or of an ellipsis."""
    if before.endswith(("…", "..")):
        return after[:1].islower()
    return before.endswith(".") and _ABBREVIATION.search(before) is not None


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


def is_list(text: str) -> bool:
    """Say whether a text is mostly a list: lines with bullets or numbers."""
    lines = [line for line in text.splitlines() if line.strip()]
    return 2 * sum(_BULLET.match(line) is not None for line in lines) > len(lines)
