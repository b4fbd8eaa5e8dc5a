"""Structured values as text: lists, sets, maps and records, in which only the spaces between the parts mean nothing.

    value  = "text" | word | [items] | (items) | {items} | Name(items)
    items  = nothing, or item, item, …
    item   = value, or key: value within { }

`[1, 2]` and `[1,2]` are one value. `[1 23]` is none of this grammar, so nothing in it may be left out: it is another
text than `[12 3]`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

SPACES = " \t\r\n\f\v"
"""The characters between words. Other spaces, such as one that forbids a line break, are letters of the text they stand
in.
"""

_PART = re.compile(r'[ \t\r\n\f\v]*(?:("(?:[^"\\]|\\.)*")|([^ \t\r\n\f\v,:"()\[\]{}]+\(?)|([,:()\[\]{}]))')
_CLOSES = {"(": ")", "[": "]", "{": "}"}


def tidy(text: str) -> str | None:
    """Write a structured value without the spaces between its parts; None where the text is no such value.

    >>> tidy('[ 1, "two words" ]'), tidy("Point( 1 , 2 )"), tidy("[1 23]")
    ('[1,"two words"]', 'Point(1,2)', None)
    """
    parts = list(_parts(text))
    return "".join(parts) if parts and _well_formed(parts) else None


def written_text(text: str) -> str:
    """Write text in quotes, readable where it can be."""
    written = json.dumps(text, ensure_ascii=False)
    # Half a surrogate pair is a Python str but no text that a file or a pipe could carry.
    return written if written.isprintable() else json.dumps(text)


def _parts(text: str) -> Iterator[str]:
    """Cut a text into quoted texts, words and marks; nothing where it cannot be cut so."""
    position, end = 0, len(text.rstrip(SPACES))
    while position < end:
        found = _PART.match(text, position)
        if not found:
            yield ","  # a comma at the end is not well formed
            return
        quoted, word, mark = found.groups()
        try:
            yield written_text(json.loads(quoted)) if quoted else word or mark
        except ValueError:
            yield ","
            return
        position = found.end()


def _well_formed(parts: list[str]) -> bool:
    """Walk over the parts with a stack of what has to close; `before` is what a part may follow."""
    open_: list[str] = []
    before = ","  # as after a comma, a value has to come
    for part in parts:
        if part[-1] in _CLOSES and part[0] != '"':
            fits, kind = before != "value", "open"
            open_.append(_CLOSES[part[-1]])
        elif part in _CLOSES.values():
            fits, kind = before in ("value", "open") and open_[-1:] == [part], "value"
            open_ = open_[:-1]
        elif part in (",", ":"):
            fits = before == "value" and bool(open_) and (part == "," or open_[-1] == "}")
            kind = part
        else:
            fits, kind = before != "value", "value"
        if not fits:
            return False
        before = kind
    return before == "value" and not open_
