"""What becomes of values and strategies when probabilities are not what they were taken for."""
