"""Stage 5: what it means: judged, and shown to people."""
