"""How does an event become an experience?

Capture before the acknowledgement, enrichment after it.
"""

from ..core.lazy import door

__all__ = [
    "background_enrichment",
    "chat_messages",
    "curation",
    "enrichment_state",
    "inline_data",
    "message_event",
    "people_cache",
    "people_curation",
    "versions",
]
__getattr__ = door(__name__)
