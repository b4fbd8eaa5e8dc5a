"""Stage 6: many plays towards an aim, and playing a recorded one again."""
