"""Suites that cover: every state, edge, switch, or what a strategy of predicates asks for."""
