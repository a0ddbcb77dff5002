"""How good is this memory on a user's own conversations?

Questions with what answers them are asked of a memory, and what it finds is counted; a model may
answer them from what was found, and another judge the answers.
"""

from ..core.lazy import door

__all__ = ["answering", "questions"]
__getattr__ = door(__name__)
