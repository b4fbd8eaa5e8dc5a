"""How each objective of `outplay solve` is solved, checked and told: one module an objective."""
