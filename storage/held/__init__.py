"""What is held in memory of spaces, and how many files may be open for it?"""
