"""What does each mechanism add to a score?

A score is the sum of its contributions.
"""

from ...core.lazy import door

__all__ = [
    "confidence",
    "contributions",
    "formula",
    "late_interaction",
    "optional_terms",
    "order_terms",
    "people_terms",
    "ranking_weights",
    "score_trace",
    "spreading",
]
__getattr__ = door(__name__)
