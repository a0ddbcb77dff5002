"""Why this answer, and would it be the same again?

Replay, counterfactuals, why not.
"""

from ...core.lazy import door

__all__ = ["activated_graph", "counterfactual", "recall_explainer"]
__getattr__ = door(__name__)
