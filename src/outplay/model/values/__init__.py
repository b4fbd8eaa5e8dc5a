"""Values a state may hold: compared by what they are, told apart, and written as text."""
