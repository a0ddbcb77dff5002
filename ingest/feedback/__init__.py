"""Was a shown memory useful?

Verdicts, references in later turns, style.
"""

from ...core.lazy import door

__getattr__ = door(__name__)
