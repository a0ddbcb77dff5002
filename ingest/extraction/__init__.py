"""What does a text say: facts, names, sentiment?

Rules over text; nothing is stored here.
"""

from ...core.lazy import door

__getattr__ = door(__name__)
