"""What does a text say: facts, names, sentiment?

Rules over text; nothing is stored here.
"""
