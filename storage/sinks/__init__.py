"""How far has each sink come, and what does the one in PostgreSQL hold?"""
