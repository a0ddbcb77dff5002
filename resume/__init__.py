"""What does an agent need in order to continue: with a person, with a topic, after a break?

Packs of cited quotes, the story of a relationship, reflection and failures: what `Memory` reads,
and the types that it returns.
"""

from ..core.lazy import door

__all__ = [
    "builder",
    "experience_kit",
    "layout",
    "modes",
    "pack",
    "prose",
    "reflection",
    "relationship_summary",
    "space_history",
]
__getattr__ = door(__name__)
