"""Why this answer, and would it be the same again?

Replay, counterfactuals, why not.
"""
