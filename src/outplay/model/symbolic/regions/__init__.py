"""Endless data as finite games: regions of data that behave alike."""
