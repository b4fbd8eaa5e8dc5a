"""Failing plays: made short, and played again."""
