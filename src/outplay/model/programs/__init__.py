"""Models written as programs in Python: what is marked, how states are stepped, and what users get wrong."""
