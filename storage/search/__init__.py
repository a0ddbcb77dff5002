"""Which memories of a space have the words of a question, and how well do they match?"""

from ...core.lazy import door

__getattr__ = door(__name__)
