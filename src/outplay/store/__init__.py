"""Runs kept: a database of what was played, seen and found, and what several runs come to together."""
