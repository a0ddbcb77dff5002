"""What does an agent need to go on: with a person, a topic, after a break?

Packs of cited quotes, the story of a relationship, reflection, failures. Callers use `reader` (the
methods of `Memory` that read) and the types that it returns.
"""

from ..core.lazy import door

__getattr__ = door(__name__)
