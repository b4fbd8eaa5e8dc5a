"""Messages in streams of bytes."""
