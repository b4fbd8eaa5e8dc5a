"""Files: rooms by what they hold, and the registry that finds the format of a file by its ending."""
