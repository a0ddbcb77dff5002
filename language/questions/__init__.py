"""What does the question ask for?

Words, people, times and form of a question.
"""

from ...core.lazy import door

__all__ = ["dates", "periods", "question", "time_order"]
__getattr__ = door(__name__)
