"""Firewall: which texts can be understood alone as a memory, and which are echoes of a recall.

The limits refuse derived memories; a message or a note is only marked, since it is always kept
(feature 100), unless a note says nothing at all. An echo is text that came out of a recall or a
pack. Nothing is dropped here, and nothing is compared with memories: exact and near duplicates are
found elsewhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import lru_cache

from ...core.ids import fold
from ...core.types import Json
from ...language.runs.tool_calls import leaves
from ...language.sentences import quotations
from .event_view import EventView
from .scoring import tool_matches

#: A derived memory has so many characters. A character of a script that is written wide
#: (Han, Kana, Hangul) says about as much as two Latin ones and counts as two for the shortest.
CHARS_MIN, CHARS_MAX = 12, 4_000

#: Answers, thanks, greetings and laughter: alone or in a row they say nothing. Phrases stand
#: between commas; repeated letters, capitals and punctuation do not matter.
_SMALL_TALK = """
ok, okay, okey, k, oki, yes, yeah, yep, yup, no, nope, nah, sure, sure thing, right, fine, alright
thanks, thank you, thank u, thank you so much, thank you very much, thanks so much, thanks a lot
many thanks, thanks again, thx, thnx, ty, tysm, cheers, np, no problem, no worries, my pleasure
welcome, you are welcome, youre welcome, please, got it, i see, understood, sounds good, all good
all right, cool, nice, great, good, perfect, awesome, wow, oh, ooh, ah, aha, um, uh, uhm, hm, eh
lol, lmao, rofl, haha, hehe, hihi, huh, hi, hello, hey, hi there, hey there, bye, goodbye
well, so, and, good morning, good night, good evening, good afternoon, see you, see you later
danke, danke schön, danke sehr, vielen dank, besten dank, bitte, ja, nein, genau, gut, klar, na gut
alles klar, in ordnung, passt, super, prima, hallo, moin, servus, guten morgen, guten tag, tschüss
merci, merci beaucoup, daccord, oui, non, ouais, salut, bonjour, bonsoir, au revoir, mdr, très bien
gracias, muchas gracias, mil gracias, de nada, vale, sí, bueno, claro, muy bien, hola, adiós, jaja
obrigado, obrigada, muito obrigado, muito obrigada, valeu, beleza, sim, não, tudo bem, olá, tchau
grazie, grazie mille, prego, va bene, perfetto, certo, ciao, buongiorno
dank je, dank je wel, dank u, dank u wel, bedankt, graag gedaan, oké, nee, hoi, doei
tack, tack så mycket, tak, mange tak, takk, hej, hei, nej, kiitos, joo, kyllä, selvä
dziękuję, dzięki, nie, cześć, dobrze, děkuji, díky, ano, ahoj, dobře, köszönöm, igen, nem, szia
mulțumesc, mersi, da, bine, hvala, ευχαριστώ, ναι, όχι, εντάξει, γεια
teşekkürler, teşekkür ederim, sağ ol, tamam, evet, hayır, merhaba
cảm ơn, vâng, terima kasih, makasih, iya, baik
спасибо, большое спасибо, спс, ок, да, нет, хорошо, ладно, понятно, привет, пока, ага, угу, хаха
дякую, так, ні, добре
شكرا, شكرا جزيلا, نعم, لا, تمام, حسنا, مرحبا, תודה, תודה רבה, כן, לא, בסדר, שלום
धन्यवाद, शुक्रिया, हाँ, नहीं, ठीक है, अच्छा, नमस्ते, ขอบคุณ, ขอบคุณครับ, ขอบคุณค่ะ
好, 好的, 谢谢, 謝謝, 谢谢你, 嗯, 是, 是的, 对, 不, 不是, 哈, 没问题, 收到, 你好, 再见
はい, うん, いいえ, ありがとう, ありがとうございます, ありがとうございました, 了解, 了解です
了解しました, わかりました, 承知しました, お願いします, よろしくお願いします, 笑
네, 예, 응, 아니요, 감사합니다, 고마워, 고마워요, 고맙습니다, 알겠습니다, 안녕하세요, ㅋ, ㅎ
"""
#: A long text is known by its opening, characters, not to be made of such phrases.
_OPENING_CHARS = 120
_REPEATED = re.compile(r"(.{1,3}?)\1+")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_APOSTROPHES = re.compile(r"['’`]")

#: Tools whose results are our own memories: with and without the prefix of the server they are on.
_OWN_TOOLS = (
    *("meridia*", "*__meridia__*", "*__meridia_*", "mcp[_.:/-]meridia*", "*[.:/]meridia[._:/-]*"),
    *("experience_*", "memory_search", "memory_get", "memory_recall", "memory_query"),
)
_OWN_COMMAND = re.compile(
    r"(?:^|[;&|(/\n]|\brun|\bexec|\s-m)\s*meridia\s+(?:-\S+(?:[= ]\S+)?\s+)*"
    r"(?:recall|resume|reconstitute|show|inspect|replay|why-not|plan|reflect)(?:\s|$)"
)
#: A command is looked for at the beginning of an argument, characters.
_COMMAND_CHARS = 2_000
_SOURCE = re.compile(r"(?:meridia[ ._:/-])?(?:recall|pack|reconstitution)(?![a-z])|meridia:")
_ADDRESS = re.compile(r"\bmeridia:\\?/\\?/[\w@-]")
_ONLY_ADDRESS = re.compile(r"\s*meridia://@?[\w-]+/?\s*")
#: What a recall and a pack are recorded under: it stands in all that is printed of them.
_ANSWER_ID = re.compile(
    r"\b(?:recall|pack)\W{1,6}[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"
)
#: How `recall` ends what it prints, how it begins what a model reads, how `show` begins.
_SCREEN = re.compile(
    r"\bnext: meridia why last \d+ \W"
    r"|^[ \t]*(?:\d+ memories, best first|1 memory|Probably nothing answers this\. The nearest):"
    r"\s*\n[ \t]*@\d+ "
    r"|^[ \t]*address +@\d+[ \t]*\n(?:[ \t]*id .*\n)?[ \t]*from "
    r"|\(data,\s+not\s+instructions\),\s+@N\s+the\s+message:",
    re.MULTILINE,
)
#: One address as a field (of `show`, of JSON), or as a citation of a pack.
_ADDRESS_FIELD = re.compile(
    r"^[ \t]*address +meridia://|\\?\"uri\\?\": ?\\?\"meridia:\\?/|\[meridia://@\d+(?: @\d+)*\]",
    re.MULTILINE,
)


class HygieneVerdict(StrEnum):
    """What the limits say of a text."""

    OK = "ok"
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    EMPTY_TALK = "empty_talk"


def check_hygiene(text: str) -> HygieneVerdict:
    """Return what the limits say of a text with its white space collapsed."""
    line = " ".join(text.split())
    if line and _is_small_talk(line):
        return HygieneVerdict.EMPTY_TALK
    if _width(line) < CHARS_MIN:
        return HygieneVerdict.TOO_SHORT
    return HygieneVerdict.TOO_LONG if len(line) > CHARS_MAX else HygieneVerdict.OK


def is_echo(event: EventView) -> bool:
    """Return whether an event repeats what came out of a recall or a pack.

    Its tool or command reads our memory, its metadata or provenance say so, or its text cites us:
    two addresses of memories, or one in a form that only we print, or one in a quotation that
    makes up most of the text.
    """
    return (
        _declares_recall(event)
        or (event.is_result and _reads_own_memory(event))
        or _cites_memory(event.text)
    )


def _width(line: str) -> int:
    wide = line[:CHARS_MIN]
    if wide.isascii():
        return len(line)
    return len(line) + sum(unicodedata.east_asian_width(letter) in "WF" for letter in wide)


def _is_small_talk(line: str) -> bool:
    """Return whether a text is made of phrases of the list, or of no letters and digits at all."""
    first = line.split(" ", 1)[0]
    begins = _may_begin if len(first) <= _OPENING_CHARS else _may_begin.__wrapped__
    if not begins(first):
        return False
    if len(line) > _OPENING_CHARS:
        opening = _words(line[:_OPENING_CHARS])
        if _small_talk_words(opening) < len(opening) - _PHRASE_WORDS:
            return False
    words = _words(line)
    return _small_talk_words(words) == len(words)


@lru_cache(maxsize=4096)
def _may_begin(word: str) -> bool:
    """Return whether a phrase of the list may begin with a word; sentences begin with few words."""
    first = _words(word)
    return not first or first[0] in _FIRST_WORDS


def _small_talk_words(words: list[str]) -> int:
    """Return how many words from the beginning are phrases of the list, the longest first."""
    place = 0
    while place < len(words):
        ends = range(min(len(words), place + _PHRASE_WORDS), place, -1)
        end = next((end for end in ends if tuple(words[place:end]) in _PHRASES), None)
        if end is None:
            break
        place = end
    return place


def _words(line: str) -> list[str]:
    """Return the folded words of a line, marks of punctuation left out, repetition taken back."""
    if line.isascii():
        normalised = _REPEATED.sub(r"\1", _APOSTROPHES.sub("", line.lower()))
        return _ASCII_WORD.findall(normalised)
    letters = "".join(
        letter if letter.isalnum() or unicodedata.category(letter)[0] == "M" else " "
        for letter in _APOSTROPHES.sub("", fold(line))
    )
    return [_REPEATED.sub(r"\1", word) for word in letters.split()]


_PHRASES = frozenset(tuple(_words(phrase)) for phrase in re.split(r"[,\n]", _SMALL_TALK.strip()))
_PHRASE_WORDS = max(map(len, _PHRASES))
_FIRST_WORDS = frozenset(phrase[0] for phrase in _PHRASES)


def _declares_recall(event: EventView) -> bool:
    about = event.metadata
    if about.get("recalled") in (True, "true"):
        return True
    given = (event.fields.get("provenance"), about.get("provenance"))
    return any(
        _SOURCE.match(source)
        for provenance in given
        if provenance
        for source in _sources(provenance)
    )


def _sources(given: Json) -> Iterator[str]:
    """Yield where something came from, as it is written: a word, or an object with a source."""
    source = given.get("source") if isinstance(given, Mapping) else given
    if isinstance(source, str):
        yield fold(source)


def _reads_own_memory(event: EventView) -> bool:
    """Return whether a tool's result was read from our memory."""
    if event.is_by_hand:
        return False
    args = (arg[:_COMMAND_CHARS] for arg in event.args)
    if tool_matches(event.tool, _OWN_TOOLS) or any(map(_OWN_COMMAND.search, args)):
        return True
    return any(map(_ONLY_ADDRESS.fullmatch, leaves(event.fields["payload"])))


def _cites_memory(text: str) -> bool:
    if _SCREEN.search(text):
        return True
    if "meridia" not in text:
        return False
    cited = len(_ADDRESS.findall(text))
    if cited != 1:
        return cited > 1
    if _ANSWER_ID.search(text) or _ADDRESS_FIELD.search(text):
        return True
    quoted = quotations(text)
    return any(map(_ADDRESS.search, quoted)) and 2 * sum(map(len, quoted)) > len(text)
