"""How far is each sink, and what does the one in PostgreSQL hold?"""
