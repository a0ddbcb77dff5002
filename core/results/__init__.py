"""How does a caller look at what it got?

As text for people and for prompts, as plain values, as JSON, in a notebook.
"""

from ..lazy import door

__all__ = ["results"]
__getattr__ = door(__name__)
