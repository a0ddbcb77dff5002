"""What does the question ask for?

Words, people, times and form of a question.
"""
