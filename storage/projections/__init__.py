"""Which lists does the journal's file hold beside the journal?

Each is written with the entry it comes from, and can be rebuilt.
"""

from ...core.lazy import door

__all__ = [
    "catalog",
    "entry_indexes",
    "experience_list",
    "feedback_table",
    "session_states",
    "text_traits",
]
__getattr__ = door(__name__)
