"""The command line. Each command is a file, loaded when it is called, so that `outplay --help` answers at once."""
