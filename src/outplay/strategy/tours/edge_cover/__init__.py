"""All edges of a game covered: a tour cut where the system chooses, and the strategy that plays its pieces."""
