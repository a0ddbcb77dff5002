"""What lies beside a journal's file, and what may be left of one that was private?"""

from ...core.lazy import door

__getattr__ = door(__name__)
