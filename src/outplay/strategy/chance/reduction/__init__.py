"""From the game to the decision process that is solved: what counts, what can be joined, in which order."""
