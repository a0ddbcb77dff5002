"""What do facets and profiles change in the order of the best?

A switch; off by default.
"""
