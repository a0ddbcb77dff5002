"""Which sentiment does a text show?

Valence, intensity and at most one word for the feeling.
"""
