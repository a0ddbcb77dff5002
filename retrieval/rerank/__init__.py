"""Do facets and profiles change the order of the best memories?

Off by default.
"""
