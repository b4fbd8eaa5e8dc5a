"""Stage 6: many plays towards a goal, and playing a recorded one again."""
