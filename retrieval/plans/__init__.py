"""What should be loaded for a question?

Plans that name sources before anything is loaded.
"""
