"""One file per format, each with read and write."""
