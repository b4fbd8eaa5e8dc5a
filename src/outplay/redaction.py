"""Secrets are not written down: what looks like one is left out of traces, reports, failures, jobs and printed lines.

A secret is the value of an environment variable or an option whose name looks like one (password, token, secret, key …)
or is named by `--redact`, and the password in an address `scheme://user:password@host`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

MARK = "<redacted"
SHORTEST = 6
_LOOKS = re.compile(
    r"passw|passphrase|secret|token|credential|apikey|(?:^|[_.-])(?:key|auth|pin)$|[_.-]pwd$", re.IGNORECASE
)
_OPTION = re.compile(r"""(?<![\w-])(-{0,2}[A-Za-z_][\w.-]*)(=|\s+)("[^"]*"|'[^']*'|[^\s"']+)""")
_ADDRESS = re.compile(r"(\w+://[^\s/@:]+:)[^\s/@]+(?=@)")

Redact = Callable[[str], str]


def redaction(names: Iterable[str] = (), environment: Mapping[str, str] = os.environ) -> Redact:
    """A function that leaves the secrets out of a text; `names` are more names of variables and options.

    >>> redact = redaction(["--door"], {"DB_PASSWORD": "hunter2!", "USER": "ann"})
    >>> redact("exec:./server --password 'a b' --door=7 --port 80 API_KEY=xyz")
    'exec:./server --password <redacted> --door=<redacted> --port 80 API_KEY=<redacted>'
    >>> redact("cannot log in with hunter2! to http://ann:pw@host")
    'cannot log in with <redacted DB_PASSWORD> to http://ann:<redacted>@host'
    """
    named = {name.lstrip("-").lower() for name in names}

    def is_secret(name: str) -> bool:
        return name.lstrip("-").lower() in named or bool(_LOOKS.search(name.lstrip("-")))

    def option(found: re.Match[str]) -> str:
        name, between, value = found.groups()
        # `token abc` in a sentence is no option; after a blank the name must look like one.
        meant = is_secret(name) and (between == "=" or name.startswith("-")) and not value.startswith(("-", MARK))
        return f"{name}{between}{MARK}>" if meant else found[0]

    known = {
        value: name
        for name, value in environment.items()
        if is_secret(name) and (name.lower() in named or _may_be(value)) and value.strip()
    }

    def redact(text: str) -> str:
        for value in sorted(known, key=len, reverse=True):
            text = text.replace(value, f"{MARK} {known[value]}>")
        return _ADDRESS.sub(rf"\1{MARK}>", _options(option, text))

    return redact


def _may_be(value: str) -> bool:
    """A short value stands in too many words that are none, and where a file lies is no secret."""
    return len(value) >= SHORTEST and not os.path.exists(value)


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
