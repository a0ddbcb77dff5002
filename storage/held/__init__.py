"""What is held in memory of spaces, within one budget, and how many files may be open."""
