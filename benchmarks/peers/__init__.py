"""Other programs that do the same work, each wrapped so that only the work is timed."""
