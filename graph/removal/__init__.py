"""How is what was forgotten taken out of the adjacency and of a graph, and nothing else?"""
