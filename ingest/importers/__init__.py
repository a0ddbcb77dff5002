"""Which formats do people already have?

One module a format.
"""
