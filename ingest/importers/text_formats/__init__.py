"""Which formats are plain text, not JSON?"""
