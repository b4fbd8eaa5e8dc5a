"""Values of a decision process: iteration, equations, the linear program, exact fractions, and proven bounds."""
