"""Stage 2: the model as a game between tester and system."""
