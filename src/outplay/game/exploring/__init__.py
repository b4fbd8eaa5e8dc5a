"""From a model to a game: explored breadth first, with costs and weights, by a test assumption."""
