"""Automata and machines without data: Aldebaran's `.aut`, the tables of VLTS and of FSMlib."""
