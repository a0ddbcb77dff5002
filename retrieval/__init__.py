"""Which memories answer a question, and why?

From a question to ranked memories with reasons, and to plans.
"""

from ..core.lazy import door

__getattr__ = door(__name__)
