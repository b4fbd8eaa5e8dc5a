"""Stage 1: what the system may do, as the user writes it."""
