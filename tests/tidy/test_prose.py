"""What knows words of a language stands in `language/`: no list or pattern of words elsewhere."""

from __future__ import annotations

import ast
import re

from tests.tidy.tree import modules, relative, syntax

#: So many words make a list, so many alternatives a pattern of prose.
WORDS_MIN, ALTERNATIVES_MIN = 6, 4
#: The room for language, and folders with formats of their own.
ALLOWED_FOLDERS = ("language/", "ingest/redaction/", "ingest/importers/")
#: Module with such words → why. The list only shrinks.
ALLOWED = {
    "core/facts.py": "names of predicates",
    "core/time.py": "names of months, days and numbers",
    "ingest/capture/stages.py": "commands of Meridia's own",
    "ingest/extraction/artifacts.py": "names of tools and of their arguments",
    "models/model_client.py": "names of headers",
}
_WORDS = re.compile(r"[a-z]+(?:['’-][a-z]+)*")
_ALTERNATIVE = re.compile(r"(?:(?<=[(|:])|\A)([a-z]{2,}(?:(?:\\? |['’-])[a-z]+)*)(?=[|)]|\Z)")


def holds_prose(tree):
    """Say whether a syntax tree holds a list of words, or a pattern of words."""
    return any(_is_list(node) or _is_pattern(node) for node in ast.walk(tree))


def _is_list(node):
    if not isinstance(node, ast.Call):
        return False
    named = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
    texts = [
        each.value
        for part in (node.func, *node.args)
        for each in ast.walk(part)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]
    match named:
        case "split":
            return sum(map(bool, map(_WORDS.fullmatch, " ".join(texts).split()))) >= WORDS_MIN
        case "frozenset" | "set":
            return sum(map(bool, map(_WORDS.fullmatch, texts))) >= WORDS_MIN
        case "compile":
            return len(_ALTERNATIVE.findall("".join(texts))) >= ALTERNATIVES_MIN
    return False


def _is_pattern(node):
    """Say whether a text is a pattern of words, wherever it is handed over to be compiled."""
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return is_text and len(_ALTERNATIVE.findall(node.value)) >= ALTERNATIVES_MIN


def test_words_of_a_language_stand_in_the_room_for_language():
    holding = {relative(path) for path in modules() if holds_prose(syntax(path))}
    outside = {name for name in holding if not name.startswith(ALLOWED_FOLDERS)}
    assert outside == ALLOWED.keys()


def test_lists_and_patterns_are_told_from_names_and_formats():
    prose = (
        "A = frozenset('dog cat cow pig hen owl'.split())",
        "B = re.compile(r'\\b(?:sad|glad|angry|so tired)\\b', re.IGNORECASE)",
        "C = {*()} | set(['one', 'two', 'three', 'four', 'five', 'six'])",
        "D = rule(r'(?:spring|summer|autumn|winter)')",
        "E = (r'\\b(?:well done|good job|great work|nice)\\b', 0.5)",
    )
    other = (
        "A = 'GET POST PUT PATCH HEAD TRACE'.split()",
        "B = re.compile(r'[0-9a-f]{8}-(?:[0-9a-f]{4}-)+')",
        "C = line.split(',')",
    )
    assert [holds_prose(ast.parse(each)) for each in (*prose, *other)] == [True] * 5 + [False] * 3
