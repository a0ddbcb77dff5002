"""Was a shown memory useful?

Verdicts, references in later turns, style.
"""

from ...core.lazy import door

__all__ = ["service", "tracking"]
__getattr__ = door(__name__)
