"""The monitors of a run, and their reports: coverage, suspicions, odds, the forecast, when it is quiet."""
