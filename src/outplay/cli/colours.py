"""Which colour a verdict has; click drops colours where nobody sees them, and NO_COLOR turns them off."""

import click

COLOURS = {"pass": "green", "fail": "red", "inconclusive": "yellow", "error": "red"}


def warn(message: str) -> None:
    """Say something on stderr that is no error."""
    click.secho(f"outplay: {message}", err=True, fg="yellow")
