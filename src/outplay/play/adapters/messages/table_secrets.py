"""The secrets of a table: what looks like one, and all that it takes from the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from outplay.play.adapters.messages.templates import holes, read_tree
from outplay.redaction import Redact, redaction

_SECRET = re.compile(r"authorization|cookie|passw|secret|token|credential|key", re.IGNORECASE)


def table_redaction(document: Mapping[str, Any], url: str = "") -> Redact:
    """Leave out what looks like a secret in a table and the address, and all that it takes from the environment."""
    secrets = {f"{name} of the table": value for name, value in _secrets(document)}
    secrets |= {name: value for name in _variables(document) if (value := os.environ.get(name))}
    if password := urlsplit(url).password:
        secrets["password of the address"] = password
    return redaction(secrets, {**os.environ, **secrets})


def _variables(document: Mapping[str, Any]) -> Iterator[str]:
    """The variables of the environment that holes stand for."""
    known = read_tree({key: value for key, value in document.items() if key != "saved"}, "")
    yield from (hole.path[1] for hole in holes(known) if hole.path[0] == "env" and len(hole.path) > 1)


def _secrets(tree: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """The texts of a table that stand under a name that looks like that of a secret."""
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from _secrets(value, key if _SECRET.search(key) or not _SECRET.search(name) else name)
    elif isinstance(tree, list):
        for value in tree:
            yield from _secrets(value, name)
    elif isinstance(tree, str) and _SECRET.search(name):
        whole = re.sub(r"\{[^{}]*\}", " ", tree)
        yield from ((name, word) for word in whole.split() if word.lower() not in ("bearer", "basic") and len(word) > 3)
