"""How does the source rank, by its own formulas?

Profile `reference`, apart from the default ranking.
"""

from ...core.lazy import door

__all__ = ["reference_profile"]
__getattr__ = door(__name__)
