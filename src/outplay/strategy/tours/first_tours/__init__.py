"""Good tours that are soon found: by joining, to the nearest, there and back, and by exchanging."""
