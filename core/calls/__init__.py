"""What do callers hand in: is it what a method asks for, and can a journal keep it?

Nothing here stores anything or knows what a method does.
"""

from ..lazy import door

__all__ = ["arguments", "cleaning", "where"]
__getattr__ = door(__name__)
