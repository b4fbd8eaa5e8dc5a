"""Stage 6: the job, done: prepared, played again and again, on record."""
