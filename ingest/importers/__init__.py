"""Readers of the formats people already have; each yields events and stores nothing."""
