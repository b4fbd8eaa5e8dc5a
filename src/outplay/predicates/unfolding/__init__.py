"""Machines unfolded until every vertex knows which predicates hold; exactly, smaller, or for some tests only."""
