"""Plays made by several workers at once, each with a system of its own, as one run."""
