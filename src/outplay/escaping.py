"""Text of others made harmless: what could move the cursor, colour the screen or turn its text around is escaped."""

from __future__ import annotations

import re
import shlex

LONGEST = 500
_DOLLAR_QUOTED = {"'": "\\'", "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_LONG = re.compile(rf"\S{{{LONGEST},}}")


def escaped(text: str) -> str:
    r"""Write every character that is not plainly seen as JSON would, so that a line stays the one line it is.

    >>> escaped("a \x1b[32mb"), escaped("jörg 🙂"), escaped("a\nb")
    ('a \\u001b[32mb', 'jörg 🙂', 'a\\nb')
    """
    return text if text.isprintable() else "".join(map(_shown, text))


def escaped_lines(text: str) -> str:
    r"""The same for text of several lines: tabs and ends of lines stay.

    >>> escaped_lines("a\u202eb\n\x1b[2J")
    'a\\u202eb\n\\u001b[2J'
    """
    if text.isprintable() or text.replace("\n", "").isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter in "\n\t" else code(letter) for letter in text)


def for_shell(text: str) -> str:
    r"""One word of a command line, to be pasted into a shell as it is shown.

    >>> print(for_shell("./server"), for_shell("it's"), for_shell("cat 'a'\nb"))
    ./server 'it'"'"'s' $'cat \'a\'\nb'
    """
    if text.isprintable():
        return shlex.quote(text)
    return f"$'{''.join(map(_in_dollar_quotes, text))}'"


def _in_dollar_quotes(letter: str) -> str:
    if letter in _DOLLAR_QUOTED or letter.isprintable():
        return _DOLLAR_QUOTED.get(letter, letter)
    # A byte of a file's name that is no UTF-8 is that byte again; other halves of pairs are written as they are.
    rule = "surrogateescape" if "\udc80" <= letter <= "\udcff" else "surrogatepass"
    return "".join(f"\\x{byte:02x}" for byte in letter.encode(errors=rule))


def shortened(line: str) -> str:
    """Cut the middle out of each word of more than 500 letters: a line shall be read.

    >>> shortened("no file " + "x" * 80_000 + "; check")
    'no file xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…(79,921 more)…xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; check'
    """
    return _LONG.sub(lambda word: f"{word[0][:40]}…({len(word[0]) - 80:,} more)…{word[0][-40:]}", line)


def _shown(letter: str) -> str:
    if letter.isprintable():
        return letter
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(letter) or code(letter)


def code(letter: str) -> str:
    r"""A character by its number, as JSON writes it: in two halves where it has more than four digits.

    >>> code("\u202e"), code("🙂")
    ('\\u202e', '\\ud83d\\ude42')
    """
    number = ord(letter)
    if number < 0x10000:
        return f"\\u{number:04x}"
    number -= 0x10000
    return f"\\u{0xD800 + (number >> 10):04x}\\u{0xDC00 + (number & 0x3FF):04x}"
