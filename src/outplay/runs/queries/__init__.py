"""Queries about models and traces without playing: what they are, what to expect, whether they conform."""
