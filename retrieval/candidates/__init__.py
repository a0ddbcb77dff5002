"""Which experiences are scored at all?

Candidates by words, meaning and activation.
"""
