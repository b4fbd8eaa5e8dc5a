"""Measurements, and the peers they are compared with. Not part of the installed package."""
