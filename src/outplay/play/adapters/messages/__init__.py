"""Messages: what labels become on a wire and how they are read off it, declared in a table."""
