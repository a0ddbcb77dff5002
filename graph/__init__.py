"""The journal and everything projected from it; the only part that talks to storage engines."""
