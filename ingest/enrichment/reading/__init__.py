"""What does a model find that reads a whole session?

What it is shown, what of its answer words of the session show, and what becomes of that.
"""
