"""Test suites: as JSON, as files for pytest, as drawings."""
