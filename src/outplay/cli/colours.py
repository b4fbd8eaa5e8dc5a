"""Which colour a verdict has; click drops colours where nobody sees them, and NO_COLOR turns them off."""

COLOURS = {"pass": "green", "fail": "red", "inconclusive": "yellow", "error": "red"}
