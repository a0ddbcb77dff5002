"""What should be loaded for a question?

Plans that name sources before anything is loaded.
"""

from ...core.lazy import door

__all__ = [
    "confidence",
    "document_loader",
    "plan",
    "plan_choice",
    "plan_model",
    "plan_service",
    "plan_trace",
]
__getattr__ = door(__name__)
