"""Stage 4: against the real system."""
