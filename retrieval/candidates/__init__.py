"""Which experiences are scored at all?

Candidates by words, meaning and activation.
"""

from ...core.lazy import door

__getattr__ = door(__name__)
