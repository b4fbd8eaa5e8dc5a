"""`python -m outplay`."""

from outplay.cli.main import main

if __name__ == "__main__":
    main()
