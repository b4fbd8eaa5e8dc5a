"""Commands for the folder a user works in, and what the shell completes there."""
