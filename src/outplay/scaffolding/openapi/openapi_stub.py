"""A table for HTTP, a first model to fill in, and a test, from an OpenAPI document.

All that comes from the document is written as quoted text, as a name of plain letters, or as one line of a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from outplay.errors import FormatError
from outplay.scaffolding.adapter_stub import adapter_tests, write_files
from outplay.scaffolding.openapi.openapi_calls import Call, Cookies, Hole, calls_of, python_name
from outplay.scaffolding.openapi.openapi_document import OpenApi

MOST = 200
"""Operations that are written."""
_WIDE = 120
_CREDENTIALS = 'headers = {Authorization = "Bearer {env.API_TOKEN}"}'
_SHOWN = 90


def write_from_openapi(path: Path, folder: Path) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Write table, model and test from an OpenAPI document; return them, and what is left for the user to do."""
    document = OpenApi.read(path)
    operations = list(islice(document.operations(), MOST + 1))
    if not operations:
        raise FormatError(f"{path}: no operation in its paths; there is nothing to call")
    calls = calls_of(document, operations[:MOST])
    title = python_name(document.title, {"model", "given", "controllable"}, "service")
    files = openapi_files(calls, title, f"http://127.0.0.1:8000{document.base}")
    return write_files(files, folder), tuple(_left(calls, cut=len(operations) > MOST))


def openapi_files(calls: list[Call], title: str, address: str) -> dict[str, str]:
    """Make the files from an OpenAPI document by their names, the model first, for a service with a title."""
    model, table = f"{title}_model.py", f"{title}.toml"
    name = "".join(word.capitalize() for word in title.split("_"))
    tests = adapter_tests(f"{model}:{name}", title, table, "http", goals=False, address=address)
    return {model: _model(calls, name), table: _table(calls), f"test_{title}.py": tests}


def _left(calls: list[Call], *, cut: bool) -> Iterator[str]:
    if cut:
        yield f"there are more operations than {MOST}; only the first {MOST} were written"
    if any(call.operation.secured for call in calls):
        yield f"the document asks for credentials; send them in the table, such as {_CREDENTIALS}"
    for call in calls:
        if call.operation.unknown_body:
            yield f"{call.name}: its body, {_line(call.operation.unknown_body)}, is not one a table can send"


def _model(calls: list[Call], name: str) -> str:
    names = ["Model", "controllable", *(["given"] if any(call.domains for call in calls) else [])]
    lines = ['"""A first model, made from an OpenAPI document: say in each action when an answer is right."""', ""]
    lines += [f"from outplay import {', '.join(names)}", "", "", f"class {name}(Model):"]
    lines += ["    # What the service remembers goes here, such as  known: frozenset[int] = frozenset()"]
    for call in calls:
        operation = call.operation
        lines += ["", *_wrapped("    @controllable(returns=(", [_text(value) for value in call.returns], "))")]
        if call.domains:
            domains = [f"{key}={_tuple(values)}" for key, values in call.domains.items()]
            lines += _wrapped("    @given(", domains, ")")
        lines += _wrapped(f"    def {call.name}(", ["self", *call.domains, "result"], "):")
        lines += [f"        # {_line(f'{operation.method} {operation.path}: {operation.summary}')}"]
        lines += [f"        # {_line(f'{status}: {what}')}" for status, what in operation.answers.items()]
        lines += ["        return True  # False where this answer is wrong"]
    return "\n".join([*lines, ""])


def _wrapped(head: str, parts: list[str], end: str) -> list[str]:
    """One line where it is short enough, else one for each part, as formatters write it."""
    comma = "," if head.endswith("=(") and len(parts) == 1 else ""
    line = f"{head}{', '.join(parts)}{comma}{end}"
    if len(line) <= _WIDE:
        return [line]
    return [head, *(f"        {part}," for part in parts), f"    {end}"]


def _table(calls: list[Call]) -> str:
    lines = ["# Calls over HTTP, made from an OpenAPI document. Hold it against the model with `outplay verify`.", ""]
    lines += ["# Before each play the service should forget the one before:", "# [[reset]]"]
    lines += ['# method = "POST"', '# path = "/reset"']
    if any(call.operation.secured for call in calls):
        lines += ["", f"# Calls that need credentials: {_CREDENTIALS}"]
    for call in calls:
        lines += ["", f'[inputs."{" ".join([call.name, *call.domains])}"]', f'method = "{call.operation.method}"']
        lines += [f"path = {_text(call.path)}"]
        lines += [f"{key} = {_toml(value)}" for key, value in call.sent.items()]
        if call.operation.unknown_body:
            lines += [f"# The document asks for a body of the kind {_line(call.operation.unknown_body)}."]
        lines += ["outputs = [", *(f"  {row}," for row in _rows(call)), "]"]
    return "\n".join([*lines, ""])


def _rows(call: Call) -> Iterator[str]:
    """The meaning of answers: a status that is not in the document is an output too, which the model never allows."""
    exact = [status for status in call.returns if isinstance(status, int)]
    ranges = [status for status in call.returns if isinstance(status, str) and status != "default"]
    if exact and len(exact) < len(call.returns):
        yield f'{{when = {{status = {exact}}}, label = "{call.name} {{status}}"}}'
    for status in ranges:
        yield f'{{when = {{status = "{status[0]}*"}}, label = "{call.name} {status}"}}'
    if "default" in call.returns:  # 500 and above are failures of the service where the document has no word on them
        yield f'{{when = {{status = ["1*", "2*", "3*", "4*"]}}, label = "{call.name} default"}}'
    if exact:
        yield f'{{label = "{call.name} {{status}}"}}'


def _toml(value: Any) -> str:
    """A value of a template, on one line."""
    if isinstance(value, Hole):
        return f'"{{{value}}}"'
    if isinstance(value, Cookies):
        filled = ((name, f"{{{each}}}" if isinstance(each, Hole) else _braced(str(each))) for name, each in value)
        return _text("; ".join(f"{_braced(name)}={each}" for name, each in filled))
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_text(key)} = {_toml(each)}' for key, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, str):
        return _text(_braced(value))
    return _text(value).lower()


def _braced(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _tuple(values: Iterable[Any]) -> str:
    written = [_text(value) for value in values]
    return f"({', '.join(written)}{',' if len(written) == 1 else ''})"


def _text(value: Any) -> str:
    r"""A plain value as Python and TOML both write it; truth values as Python does.

    >>> print(_text('a"\n\u202e\\'), _text(5))
    "a\"\u000a\u202e\\" 5
    """
    if not isinstance(value, str):
        return repr(value)
    return f'"{"".join(map(_letter, value))}"'


def _letter(letter: str) -> str:
    if letter in '"\\':
        return f"\\{letter}"
    if letter.isprintable():
        return letter
    return f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else f"\\U{ord(letter):08x}"


def _line(text: str) -> str:
    """A text as part of one line of a comment: short, and nothing in it that is not plainly seen."""
    shown = re.sub(r"\s+", " ", "".join(letter if letter.isprintable() else " " for letter in text[:1_000])).strip()
    return f"{shown[:_SHOWN]}…" if len(shown) > _SHOWN else shown.rstrip(": ")
