"""Benchmarks of recall, packs and speed. They use the public API and are not shipped."""
