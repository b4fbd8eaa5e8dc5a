"""Symbolic execution: states as terms with path conditions, the graph of them, and paths that cover it."""
