"""What do the words of a message do?

One shallow analysis, made once and used by all rules.
"""

from ....core.lazy import door

__getattr__ = door(__name__)
