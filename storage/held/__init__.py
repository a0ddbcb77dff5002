"""What is held in memory of spaces, and how many files may be open for it?"""

from ...core.lazy import door

__getattr__ = door(__name__)
