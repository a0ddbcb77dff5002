"""Who may read and write what a journal file holds?"""

from ...core.lazy import door

__getattr__ = door(__name__)
