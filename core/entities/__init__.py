"""Which things with names do memories mention, and which of them are the same?"""

from ..lazy import door

__getattr__ = door(__name__)
