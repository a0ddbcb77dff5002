"""What happens to an event before it is acknowledged?

Stages, decision and commit; no model is asked.
"""
