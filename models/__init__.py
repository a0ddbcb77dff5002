"""Which models does Meridia use, and how?

Sentence encoders, and clients of language models within budgets.
"""

from ..core.lazy import door

__getattr__ = door(__name__)
