"""What does each mechanism add to a score?

A score is the sum of its contributions.
"""
