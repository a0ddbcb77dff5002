"""Stage concepts: the content words of an experience, for the index, which memories share.

A word is identified by its stem and shown as somebody wrote it. What somebody would call a topic
is named by `topics`.
"""

from __future__ import annotations

from collections.abc import Collection

from ....language.analyser import Analyser

#: A memory is about at most this many concepts; a long tool result keeps its first ones.
CONCEPTS_MAX = 192


def extract_concepts(text: str, analyser: Analyser, names: Collection[str]) -> dict[str, str]:
    """Return stem → first word for the content words of `text`, leaving out people's names.

    `names` are case-folded single words.
    """
    concepts: dict[str, str] = {}
    for word in analyser.words(text):
        if word.stem is None or word.stem in concepts or word.surface in names:
            continue
        concepts[word.stem] = word.surface
        if len(concepts) == CONCEPTS_MAX:
            break
    return concepts
