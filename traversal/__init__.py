"""How does activation move over edges?

Pure functions.
"""
