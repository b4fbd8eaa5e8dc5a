"""Secrets are not written down: what looks like one is left out of traces, reports, failures, jobs and printed lines.

A secret is the value of an environment variable or an option whose name looks like one (password, token, secret, key …)
or is named by `--redact`, and the password in an address `scheme://user:password@host`. Its value is left out wherever
it appears: as it is, quoted for a URL, a shell, JSON or HTML, in Base64 (alone or behind a name, as HTTP sends it)
or hexadecimal, broken over lines, and, where a line ends or begins with it, also a part of it.
"""

from __future__ import annotations

import html
import os
import re
import shlex
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from typing import Any
from urllib.parse import unquote

MARK = "<redacted"
LEFT_OUT = f"{MARK}>"
SHORTEST = 6
_SHORTEST_WORD = 3  # of an option; a shorter one is left out behind its option only
_FOLLOWED = 200  # characters of a secret whose parts are looked for
_LOOKS = re.compile(
    r"passw|passphrase|secret|token|credential|apikey|(?:^|[_.-])(?:key|auth|pin)$|[_.-]pwd$", re.IGNORECASE
)
_QUOTED = r"""(?:"[^"]*"|'[^']*')"""
_OPTION = re.compile(rf"""(?<![\w-])(-{{0,2}}[A-Za-z_][\w.-]*)(=|\s+)({_QUOTED}(?:{_QUOTED}|\\.)*+|[^\s"']+)""")
_ADDRESS = re.compile(r"(\w+://[^\s/@:]*:)([^\s/]+)(?=@)")
_FIELD = re.compile(
    rf"""(?:["']([\w.-]+)["']\s*:|[{{,]\s*([\w.-]+):|(?<![\w.-])([A-Za-z][\w-]*):(?=\s)|(?<!\S)--([\w.-]+):)"""
    rf"""\s*(?:(?:Basic|Bearer|Token)\s+)?({_QUOTED}|[^\s"',}}\]]+)""",
    re.IGNORECASE,
)
"""A field of JSON or YAML, a header of HTTP, an option with a colon: the name is one of the groups before the last."""
_SEPARATORS = re.compile(r"[&;,#]")
_IN_BASE64 = {"+": "(?:[+-]|(?i:%2b))", "/": r"(?:\\?/|_|(?i:%2f))"}
_BREAK = r"(?:\\?\r?\n[ \t]*)?"


class Redact:
    """Leaves the secrets it knows, and what looks like one, out of texts."""

    def __init__(self, is_secret: Callable[[str], bool], known: Mapping[str, str], words: Mapping[str, str]) -> None:
        self._is_secret = is_secret
        self._names = {**words, **known}
        found = [(_spelled(value), name) for value, name in _longest_first(known)]
        self._named = found + [(_spelled(value, word=True), name) for value, name in _longest_first(words)]
        self._certain = [_spelled(value) for value, _ in _longest_first(self._names) if len(value) >= SHORTEST]
        self._parts = [(part, len(value)) for value in self._names if len(value) > SHORTEST for part in _parts(value)]

    def __call__(self, text: str) -> str:
        for pattern, name in self._named:
            text = pattern.sub(lambda _, name=name: f"{MARK} {name}>" if name else f"{MARK}>", text)  # type: ignore[misc]
        for pattern, _ in self._parts:
            text = pattern.sub(rf"\g<before>{MARK}>", text)
        return _ADDRESS.sub(rf"\1{MARK}>", _options(self._option, text))

    def words(self, words: Sequence[Any]) -> tuple[Any, ...]:
        """The words of a label, without the secrets that one or several of them make, too long to do so by chance."""
        text, place, kept = " ".join(map(str, words)), 0, list[Any]()
        found = [one.span() for secret in self._certain for one in secret.finditer(text)]
        for word in words:
            end = place + len(str(word))
            within = any(begin < end and place < stop for begin, stop in found)
            kept.append(LEFT_OUT if within or self._is_most_of_one(str(word)) else word)
            place = end + 1
        return tuple(kept)

    def _is_most_of_one(self, text: str) -> bool:
        return any(3 * len(text) > 2 * size and part.search(text) for part, size in self._parts)

    def _option(self, found: re.Match[str]) -> str:
        name, between, value = found.groups()
        return f"{name}{between}{MARK}>" if _is_given(self._is_secret, name, between, value) else found[0]


def redaction(
    names: Iterable[str] = (), environment: Mapping[str, str] = os.environ, *, texts: Iterable[str] = ()
) -> Redact:
    """Return the redaction of secrets: those of the variables, of what is named in `names` too, and those given in
    `texts`.

    >>> redact = redaction(["--door"], {"DB_PASSWORD": "hunter2!", "USER": "ann"})
    >>> redact("exec:./server --password 'a b' --door=7 --port 80 API_KEY=xyz")
    'exec:./server --password <redacted> --door=<redacted> --port 80 API_KEY=<redacted>'
    >>> redact("cannot log in with hunter2! to http://ann:pw@host")
    'cannot log in with <redacted DB_PASSWORD> to http://ann:<redacted>@host'
    >>> redaction((), {}, texts=["exec:./server --token 'open sesame'"])("you said open%20sesame")
    'you said <redacted>'
    """
    named = {name.lstrip("-").lower() for name in names}

    def is_secret(name: str) -> bool:
        return name.lstrip("-").lower() in named or bool(_LOOKS.search(name.lstrip("-")))

    known = {
        value: name
        for name, value in environment.items()
        if is_secret(name) and (name.lower() in named or _may_be(value)) and value.strip()
    }
    given = {value for text in texts for value in _given(is_secret, text) if not os.path.exists(value)}
    words = {value for value in given - known.keys() if _SHORTEST_WORD <= len(value) < SHORTEST}
    known |= dict.fromkeys((value for value in given - known.keys() if len(value) >= SHORTEST), "")
    return Redact(is_secret, known, dict.fromkeys(words, ""))


def _may_be(value: str) -> bool:
    """A short value stands in too many words that are none, and where a file lies is no secret."""
    return len(value) >= SHORTEST and not os.path.exists(value)


def _is_given(is_secret: Callable[[str], bool], name: str, between: str, value: str) -> bool:
    # `token abc` in a sentence is no option; after a blank the name must look like one.
    return is_secret(name) and (between == "=" or name.startswith("-")) and not value.startswith(("-", MARK))


def _given(is_secret: Callable[[str], bool], text: str) -> Iterator[str]:
    """The secrets that a command line or an address gives, as whoever is given them sees them."""

    def note(found: re.Match[str]) -> str:
        if _is_given(is_secret, *found.groups()):
            values.append(_unquoted(found[3]))
            return MARK  # so that the search goes on behind it
        return found[0]

    values = [part for found in _ADDRESS.finditer(text) for part in (found[2], found[2].partition("@")[0])]
    _options(note, text)
    for found in _FIELD.finditer(text):
        name = next(filter(None, found.groups()))
        if is_secret(name) or name.lower().endswith("authorization"):
            values.append(_unquoted(found[5]))
    first = (_SEPARATORS.split(value)[0] for value in values)  # of several in the query of an address
    values += [value for value in first if len(value) >= SHORTEST]
    yield from filter(str.strip, dict.fromkeys([*values, *map(unquote, values)]))


def _unquoted(word: str) -> str:
    try:
        return "".join(shlex.split(word))
    except ValueError:
        return word.strip("\"'")


def _longest_first(values: Mapping[str, str]) -> list[tuple[str, str]]:
    return sorted(values.items(), key=lambda item: -len(item[0]))


@lru_cache
def _spelled(value: str, *, word: bool = False) -> re.Pattern[str]:
    """A pattern of a secret, each character as it is or quoted, with breaks of a line between any two; or encoded."""
    pattern = _BREAK.join(map(_character, value))
    return re.compile(rf"(?<!\w){pattern}(?!\w)" if word else "|".join([pattern, *_encoded(value)]))


def _encoded(value: str) -> Iterator[str]:
    """Patterns of a secret in hexadecimal and in Base64, where it may begin at the first to third byte of a group."""
    secret = value.encode("utf-8", "surrogatepass")
    yield rf"(?i:{secret.hex()})"
    for before in range(3):
        spelled, bits = b64encode(bytes(before) + secret).decode(), 8 * (before + len(secret))
        # What stands at its edges has bits of a neighbour, too.
        own = [_IN_BASE64.get(char, char) for char in spelled[-(-8 * before // 6) : bits // 6]]
        edge = r"[\w+/-]?" if before else ""
        yield rf"{edge}{_BREAK.join(own)}[\w+/-]?(?:=|(?i:%3d)){{0,2}}"


def _character(char: str) -> str:
    encoded = char.encode("utf-8", "surrogatepass")
    ways = {char, f"\\u{ord(char):04x}", html.escape(char), f"&#{ord(char)};", f"&#x{ord(char):x};"}
    if not (char.isascii() and char.isalnum()):
        units = char.encode("utf-16-be", "surrogatepass").hex()
        escapes = ["".join(f"\\{byte:03o}" for byte in encoded), f"\\U{ord(char):08x}"]
        escapes += ["".join(f"{sign}{byte:02x}" for byte in encoded) for sign in ("\\x", "=")]
        escapes += ["".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))]
        escapes += [f"\\x{ord(char):02x}"] if ord(char) < 256 else []
        ways |= {f"\\{char}", *escapes, *(re.sub(r"(?<!\\)[a-f]", _upper, one) for one in escapes)}
    ways |= {"'\\''", "'\"'\"'"} if char == "'" else {"+"} if char == " " else set()
    quoted = "".join(f"%{byte:02x}" for byte in encoded)
    exact = "|".join(map(re.escape, sorted(ways, key=len, reverse=True)))
    return rf"(?:(?i:{re.escape(quoted)})|{exact})"


def _upper(found: re.Match[str]) -> str:
    return found[0].upper()


@lru_cache
def _parts(value: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns of the beginning of a secret where a line ends, and of its end where one begins."""
    chars = [*map(_character, value[:_FOLLOWED])]
    further = reduce(lambda rest, char: f"(?:{char}{rest})?", reversed(chars[SHORTEST:]), "")
    begins = rf"""(?P<before>){"".join(chars[:SHORTEST])}{further}(?=[ \t"']*+(?:\r?\n|\Z|…|\.\.\.))"""
    chars = [*map(_character, value[-_FOLLOWED:])]
    earlier = reduce(lambda rest, char: f"(?:{rest}{char})?", chars[:-SHORTEST], "")
    # Behind a colon the last line that somebody wrote is cited; dots stand where a text was shortened.
    ends = rf"""(?P<before>\A["']?|\n[ \t]*["']?|…|\.\.\.|:[ ]["']?){earlier}{"".join(chars[-SHORTEST:])}"""
    return re.compile(begins), re.compile(ends)


def _options(option: Callable[[re.Match[str]], str], text: str) -> str:
    """Replace from left to right; what follows a name that is none of ours may be a name again."""
    made, place = "", 0
    while found := _OPTION.search(text, place):
        said = option(found)
        end = found.end() if said != found[0] else found.end(1)
        made += text[place : found.start()] + (said if said != found[0] else found[1])
        place = end
    return made + text[place:]


def redacted(value: Any, redact: Redact) -> Any:
    """The same value of lists, objects and texts, without the secrets."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list | tuple):
        return type(value)(redacted(part, redact) for part in value)
    return {name: redacted(part, redact) for name, part in value.items()} if isinstance(value, dict) else value
