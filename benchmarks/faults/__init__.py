"""How soon testers find faults: systems, mutants, testers, and the best that any tester could do."""
