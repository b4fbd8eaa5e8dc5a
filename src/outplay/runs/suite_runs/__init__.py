"""Suites played: each test as often as fairness asks, with a ledger of what was seen, and joined where that is sure."""
