"""What do all parts share?

Types, ids, time, errors, events, settings and text analysis.
"""

from .lazy import door

__getattr__ = door(__name__)
