"""What is handed to the agent?

Cited text within a token budget, in five modes.
"""
