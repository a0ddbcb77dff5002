"""Which transcripts of agents are read?"""

from ....core.lazy import door

__all__ = ["codex", "gemini", "message_lists", "opencode", "pydantic_ai", "vercel_ai"]
__getattr__ = door(__name__)
