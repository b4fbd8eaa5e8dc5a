"""What is asked of models and traces without playing: what they are, what to expect, whether they conform."""
