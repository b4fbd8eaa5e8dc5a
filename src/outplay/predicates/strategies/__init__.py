"""The strategies there are by name, the predicates they are made of, and what may be restricted safely."""
