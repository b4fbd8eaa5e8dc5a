"""Joker games: how much help a goal needs."""
