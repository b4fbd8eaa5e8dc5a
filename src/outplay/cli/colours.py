"""Which colour a verdict has; click drops colours where nobody sees them, and NO_COLOR turns them off."""

from outplay.cli.printing import say

COLOURS = {"pass": "green", "fail": "red", "inconclusive": "yellow", "error": "red"}


def warn(message: str) -> None:
    """Say something on stderr that is no error."""
    say(f"outplay: {message}", err=True, fg="yellow")
