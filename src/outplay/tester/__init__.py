"""Testers: who decides the next move from what was seen: along a strategy, at random, by a record, by a test case."""
