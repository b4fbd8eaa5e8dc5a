"""Test cases: strategies written out as finite automata with verdicts, and back."""
