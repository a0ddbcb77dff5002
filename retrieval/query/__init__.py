"""What does the question ask for?

Words, people, times and form of a question.
"""

from ...core.lazy import door

__all__ = ["anchors", "dates", "periods", "query_rewrite", "question", "time_order"]
__getattr__ = door(__name__)
