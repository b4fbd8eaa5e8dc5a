"""A model in place of a system: it plays the system's side for whoever connects."""
