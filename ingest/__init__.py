"""How does an event become an experience?

Capture before the acknowledgement, enrichment after it.
"""

from ..core.lazy import door

__all__ = [
    "background_enrichment",
    "curation",
    "enrichment_state",
    "ideas",
    "inline_data",
    "message_event",
]
__getattr__ = door(__name__)
