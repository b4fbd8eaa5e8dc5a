"""Text of others made harmless: what could move the cursor, colour the screen or turn its text around is escaped."""

from __future__ import annotations


def escaped(text: str) -> str:
    r"""Write every character that is not plainly seen as JSON would, so that a line stays the one line it is.

    >>> escaped("a \x1b[32mb"), escaped("jörg 🙂"), escaped("a\nb")
    ('a \\u001b[32mb', 'jörg 🙂', 'a\\nb')
    """
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(letter: str) -> str:
    if letter.isprintable():
        return letter
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(letter) or code(letter)


def code(letter: str) -> str:
    """A character by its number, as JSON writes it: in two halves where it has more than four digits.

    >>> code("\u202e"), code("🙂")
    ('\\u202e', '\\ud83d\\ude42')
    """
    number = ord(letter)
    if number < 0x10000:
        return f"\\u{number:04x}"
    number -= 0x10000
    return f"\\u{0xD800 + (number >> 10):04x}\\u{0xDC00 + (number & 0x3FF):04x}"
