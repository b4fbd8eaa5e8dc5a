"""What is watched while playing, and told afterwards: coverage, suspicions, odds, the forecast, when it is quiet."""
