"""Telling states apart: tests for two states, for each from all others, and one test for all."""
