"""What are nodes and edges made of, and what is somebody to the agent?"""
