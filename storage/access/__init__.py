"""Who may read and write what a journal file holds?"""
