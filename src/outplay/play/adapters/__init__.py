"""The adapters: one file for each kind of system that can be played against, found in one registry."""
