"""One language of typed expressions for all models with data: built in Python or read from text, never run as code."""
