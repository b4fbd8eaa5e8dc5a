"""Testing strategies declared as predicates on walks, and the tests of least cost that meet them."""
