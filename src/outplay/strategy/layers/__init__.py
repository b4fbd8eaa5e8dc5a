"""What bounded reachability is computed with: one layer of values for each number of moves left."""
