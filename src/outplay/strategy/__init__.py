"""Stage 3: how the tester moves, and what that guarantees."""
