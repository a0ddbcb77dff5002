"""Which things with names do memories mention, and which of them are the same?"""

from ..lazy import door

__all__ = [
    "common_words",
    "entity_gazetteer",
]
__getattr__ = door(__name__)
