"""Where does activation flow?

Pure functions over edges.
"""
