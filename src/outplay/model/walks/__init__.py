"""Graphs to be walked: GraphWalker's models, as specifications, and when a walk may stop."""
