"""How does the source rank, by its own formulas?

Profile `reference`, apart from the default ranking.
"""
