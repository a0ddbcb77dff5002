"""Which memories of a space have the words of a question, and how well do they match?"""

from ...core.lazy import door

__all__ = ["full_text", "term_index"]
__getattr__ = door(__name__)
