"""What happened before, and what became of it?

Relationships, threads, themes and reflection.
"""
