"""What should be loaded for a question?

Plans that name sources before anything is loaded.
"""

from ...core.lazy import door

__all__ = ["context_draft", "plan", "plan_choice", "plan_model", "plan_service"]
__getattr__ = door(__name__)
