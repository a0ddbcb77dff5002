"""What does a text say on its surface, and where may it be cut?

Read once, when a message is enriched; text in, spans and kinds out. Nothing is stored here and no
encoder is run. Others import `analyser` (words and stems), `sentences`, `reading` (one message),
`names`, `topics`, `facts`, `feelings`, `tone`, `closings`, `marks`, `heads` and `talk`.
"""

from ..core.lazy import door

__all__ = [
    "addresses",
    "analyser",
    "anticipated",
    "audience",
    "closings",
    "counterparts",
    "fact_ends",
    "facts",
    "feelings",
    "glance",
    "heads",
    "introductions",
    "lazy_pattern",
    "machine_text",
    "marks",
    "names",
    "predicates",
    "quotations",
    "reading",
    "sentences",
    "tagging",
    "talk",
    "tone",
    "topics",
    "word_lists",
]
__getattr__ = door(__name__)
