"""Strategies against chance: where the goal is sure to be reached, and the numbers that go with it."""
