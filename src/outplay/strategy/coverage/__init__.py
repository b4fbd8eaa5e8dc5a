"""Node coverage: how much of a game the tester is sure to visit, and who plays for and against it."""
