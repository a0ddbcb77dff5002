"""What did a tool call do, did it fail, and what solved the failure?

Shared by ingest and retrieval. Nothing here stores anything or asks a model.
"""

from ...core.lazy import door

__all__ = [
    "failure_signs",
    "fixes",
    "reported_failures",
    "run_ends",
    "tool_calls",
    "tool_intent",
    "tool_result",
]
__getattr__ = door(__name__)
