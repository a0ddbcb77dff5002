"""How is a memory forgotten everywhere?

`storage/forgetting` erases in the file; this says what takes its place, and empties the graph.
"""
