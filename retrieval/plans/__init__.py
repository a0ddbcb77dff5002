"""Retrieval plans: which sources answer a question, chosen before anything is loaded."""
