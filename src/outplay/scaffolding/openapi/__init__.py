"""A table, a first model and a test from an OpenAPI document."""
