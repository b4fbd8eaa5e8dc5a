"""The values and strategies when probabilities differ from those assumed."""
