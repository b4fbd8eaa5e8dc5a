"""Goals: what they are, how they are written, which vertices of a game they mean, and when a play has reached one."""
