"""n-complete suites: finitely many tests that find every fault of an implementation with at most n states."""
