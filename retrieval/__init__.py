"""Which memories answer a question, and why?

From a question to ranked memories with reasons, and to plans.
"""

from ..core.lazy import door

__all__ = [
    "ranked",
    "recall",
    "recall_record",
    "recall_result",
    "recall_service",
    "sentence_excerpts",
    "space_snapshot",
]
__getattr__ = door(__name__)
