"""The forecast: before anything is played, what can be forced, what needs help or luck, and what cannot be."""
