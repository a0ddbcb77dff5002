"""Which other memories can be brought along?"""
