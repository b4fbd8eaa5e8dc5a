"""Symbolic transition systems: models with variables, parameters and guards, whose data may be infinite."""
