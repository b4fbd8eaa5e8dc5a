"""The layered layout: nodes in layers, few crossings, places, and the lines between them."""
