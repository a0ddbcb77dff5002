"""What does a text say: facts, names, sentiment?

Rules over text; nothing is stored here.
"""

from ...core.lazy import door

__all__ = ["artifacts", "duplicates", "entities", "phenomenology", "statements"]
__getattr__ = door(__name__)
