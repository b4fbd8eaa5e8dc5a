"""Adapters held against a model before anything is played."""
