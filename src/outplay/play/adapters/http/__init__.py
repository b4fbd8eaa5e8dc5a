"""Servers that are called over HTTP."""
