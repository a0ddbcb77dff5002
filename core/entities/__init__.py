"""Which things with names do memories mention, and which of them are the same?"""
