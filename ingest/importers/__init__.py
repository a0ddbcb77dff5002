"""Which formats do people already have?

One module a format.
"""

from ...core.lazy import door

__getattr__ = door(__name__)
