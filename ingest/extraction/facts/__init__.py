"""Which facts does a message state, and what do they replace?

Patterns by subject.
"""

from ....core.lazy import door

__getattr__ = door(__name__)
