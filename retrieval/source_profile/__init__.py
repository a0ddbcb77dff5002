"""How does the source rank, by its own formulas?

Profile `reference`, off the main path.
"""
