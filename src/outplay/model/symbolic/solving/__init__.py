"""Conditions solved: read off where they are simple, else asked of a solver."""
