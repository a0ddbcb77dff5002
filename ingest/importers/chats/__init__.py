"""Which chats of people are read?"""

from ....core.lazy import door

__getattr__ = door(__name__)
