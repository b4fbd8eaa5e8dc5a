"""Tours: walks of least cost that pass what is to be passed, and the strategies that cover all edges by them."""
