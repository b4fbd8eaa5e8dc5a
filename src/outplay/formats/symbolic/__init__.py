"""Models with data: symbolic systems, extended machines, register automata, graphs of GraphWalker."""
