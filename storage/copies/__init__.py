"""How is a journal copied, read back, and put in the place of another?"""
