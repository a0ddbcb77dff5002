"""What lies beside a journal's file, and what may be left of one that was private?"""
