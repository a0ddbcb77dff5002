"""Spreading activation over immutable graph views: pure functions, no I/O, no clock."""
