"""Checkers: answers confirmed from the definition, in exact arithmetic, apart from all solvers."""
