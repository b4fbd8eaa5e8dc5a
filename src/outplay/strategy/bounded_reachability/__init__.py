"""The computation of bounded reachability: one layer of values for each number of moves left."""
