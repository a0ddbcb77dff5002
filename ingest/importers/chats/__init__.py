"""Which chats of people are read?"""

from ....core.lazy import door

__all__ = ["discord", "messenger", "slack", "telegram", "whatsapp"]
__getattr__ = door(__name__)
