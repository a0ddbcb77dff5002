"""Which facts does a message state, and what do they replace?

Patterns by subject.
"""
