"""An adapter to start from, for the actions of a model, as a class or a table with a row for each; and its tests.

An adapter and tests for a model, written into a folder; no file that is there already is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from outplay.errors import FormatError
from outplay.formats.common.writing import unwritten_file, write_whole
from outplay.formats.registry import ENDINGS
from outplay.model.label import INPUT, OUTPUT, write_argument
from outplay.model.programs.domains import Answers
from outplay.model.programs.program import Program
from outplay.model.specification import ONE_FOR_ALL, Channels
from outplay.model.walk_models import WalkSpecification
from outplay.model.wrapping import own_specification
from outplay.play.adapters.gate_use import Gates, GateUse, gates_of
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import load_model
from outplay.runs.queries.verify import declared_gates

KINDS = {
    "python": "a class with a method for each input",
    "http": "a table of calls over HTTP",
    "ws": "a table of messages over WebSocket",
    "mqtt": "a table of messages over MQTT",
    "json": "a table of JSON in lines, for exec: and tcp:",
}
"""The kinds of adapters."""
_MADE = {
    "http": ("outplay", 'Http("http://127.0.0.1:8000", {})'),
    "ws": ("outplay", 'WebSocket("ws://127.0.0.1:8000", {})'),
    "mqtt": ("outplay", 'Mqtt("127.0.0.1", 1883, {})'),
    "json": ("outplay.play.adapters.messages.framed", 'FramedTcp("127.0.0.1", 7000, {})'),
}
"""The imports that make a system with a table."""
ADDRESSES = {"http": "http://127.0.0.1:8000", "ws": "ws://127.0.0.1:8000", "mqtt": "mqtt:127.0.0.1:1883"}
"""The systems as the command line names them; the user changes them."""
_STATUSES = (200, 409, 404, 403)
_EACH_PLAY = ["", "# Before each play:", "# [[reset]]", '# method = "POST"', '# path = "/reset"']


def stub_files(
    model: str,
    name: str,
    goals: Iterable[str],
    gates: Gates,
    kind: str,
    vertices: Iterable[str] = (),
    channels: Channels = ONE_FOR_ALL,
    folder: Path = Path(),
) -> dict[str, str]:
    """Make the files of an adapter stub for a model, by their names; a class has methods for vertices too.

    The tests name the adapter with the folder, because they name the model as seen from here too.
    """
    stem = re.sub(r"\W+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)).strip("_").lower() or "model"
    adapter = f"{stem}_adapter.py" if kind == "python" else f"{stem}.toml"
    content = _class(gates, vertices) if kind == "python" else _table(gates, kind, channels)
    tests = adapter_tests(model, stem, str(folder / adapter), kind, goals=bool(list(goals)))
    return {adapter: content, f"test_{stem}.py": tests}


def _class(gates: Gates, vertices: Iterable[str]) -> str:
    inputs = [use for use in gates.values() if use.kind == INPUT]
    lines = ['"""Connects outplay to the system under test: inputs are calls, outputs are reported."""', "", ""]
    lines += [
        "class Adapter:",
        "    def __init__(self, emit):",
        '        self.emit = emit  # emit("gate", …), from any thread',
    ]
    lines += ["        # Connect to the system here; each play makes a new adapter."]
    for use in inputs:
        names = [] if use.ids else _names(use)
        lines += ["", f"    def {use.gate}({', '.join(['self', *names])}):"]
        lines += [f"        # {_seen(use)}", f'        raise NotImplementedError("{use.gate}")']
        if (answer := gates.get(("!", use.gate))) is not None:
            lines[-1] += f"  # return the answer: {_seen(answer)}"
    for vertex in vertices:
        lines += ["", f"    def {vertex}(self):", "        pass  # assert that the system is there"]
    outputs = [use for use in gates.values() if use.kind != INPUT and (INPUT, use.gate) not in gates]
    if outputs:
        lines += ["", "    # Outputs, reported when the system shows them:"]
        lines += [f"    #   self.emit({', '.join([repr(use.gate), *_names(use)])})   {_seen(use)}" for use in outputs]
    return "\n".join([*lines, "", "    def close(self):", "        pass  # let go of the system", ""])


def _table(gates: Gates, kind: str, channels: Channels) -> str:
    what = KINDS[kind][0].upper() + KINDS[kind][1:]
    lines = [f"# {what}. Change it to what your system speaks, and check it with `outplay verify`."]
    if kind == "mqtt":
        lines += ["", "[connect]", 'subscribe = ["out/#"]']
    for use in gates.values():
        if use.kind == INPUT:
            lines += ["", f"[inputs.{_key(' '.join([use.gate, *_names(use)]))}]  # {_seen(use)}"]
            lines += _called(use, gates, channels) if kind == "http" else _sent(use, kind)
    if kind == "http":
        lines += _listened([use for use in gates.values() if use.kind != INPUT and (INPUT, use.gate) not in gates])
        return "\n".join([*lines, *_EACH_PLAY, ""])
    for use in (use for use in gates.values() if use.kind != INPUT):
        where = f"topic = {_text(f'out/{use.gate}')}" if kind == "mqtt" else f'"json.0" = {_text(use.gate)}'
        lines += ["", "[[outputs]]", f"when = {{{where}}}", f"label = {_label(use)}"]
    return "\n".join([*lines, ""])


def _sent(use: GateUse, kind: str) -> list[str]:
    content = ", ".join(map(_text, [use.gate, *(f"{{{name}}}" for name in _names(use))]))
    return [*([f"topic = {_text('in/' + use.gate)}"] if kind == "mqtt" else []), f"json = [{content}]"]


def _called(use: GateUse, gates: Gates, channels: Channels) -> list[str]:
    """A call over HTTP: whose it is, what is sent, and what its answers mean."""
    names, answer, place = _names(use), gates.get(("!", use.gate)), channels.gates.get((INPUT, use.gate))
    whose = names[place] if isinstance(place, int) else None
    lines = [f"client = {_text(f'{{{whose}}}')}  # calls of different clients overlap"] if whose else []
    lines += ['method = "POST"', f"path = {_text('/' + use.gate)}"]
    if answer is None:
        holes = ", ".join(_text(f"{{{name}}}") for name in names)
        return [
            *lines,
            f"json = [{holes}]",
            "outputs = [{when = {status = 202}}]  # taken; its effects come by themselves",
        ]
    repeated, results = [f"{{{whose}}}"] if whose else [], answer.values(1 if whose else 0)
    known = [write_argument(value) for value in results] if 0 < len(results) <= len(_STATUSES) else ["{json.result}"]
    rows = [
        f"  {{when = {{status = {status}}}, label = {_text(' '.join([use.gate, *repeated, result]))}}},"
        for status, result in zip(_STATUSES, known, strict=False)
    ]
    content = ", ".join(f"{_key(name)} = {_text(f'{{{name}}}')}" for name in names)
    return [
        *lines,
        f"json = {{{content}}}",
        "outputs = [  # what each answer means, by its status or content",
        *rows,
        "]",
    ]


def _listened(outputs: list[GateUse]) -> list[str]:
    """The outputs that come by themselves, as a stream of events."""
    if not outputs:
        return []
    rows = [f'  {{when = {{"json.0" = {_text(use.gate)}}}, label = {_label(use)}}},' for use in outputs]
    return ["", "[[listen]]", "stream = true", 'path = "/events"', "outputs = [", *rows, "]"]


def _label(use: GateUse) -> str:
    return _text(" ".join([use.gate, *(f"{{json.{n}}}" for n in range(1, len(_names(use)) + 1))]))


def adapter_tests(model: str, stem: str, adapter: str, kind: str, *, goals: bool, address: str | None = None) -> str:
    """Write a test for pytest that plays a model against a system with an adapter stub, at this address if any."""
    marked = f'@outplay.each_goal("{model}", plays=20)' if goals else f'@pytest.mark.outplay("{model}", labels=500)'
    imports = ["import outplay" if goals else "import pytest"]
    made = f'"python:{adapter}:Adapter"'
    if kind != "python":
        module, system = _MADE[kind]
        imports += [
            f"from {module} import {system.partition('(')[0]}",
            "from outplay.formats.table_toml import read_table",
        ]
        made = system.replace("{}", f'read_table("{adapter}")')
        made = made.replace("http://127.0.0.1:8000", address) if address else made
    first = [line for line in imports if line == "import pytest"]
    rest = sorted(line for line in imports if line != "import pytest")
    spaced = [*first, *([""] if first and rest else []), *rest]
    head = ['"""Plays the model against the system."""', "", *spaced, "", "", marked]
    return "\n".join([*head, f"def test_{stem}(play):", f"    play({made})", ""])


def _names(use: GateUse) -> list[str]:
    size = next(iter(sorted(use.arities)), 0)
    return list(use.names or (f"argument{n}" for n in range(1, size + 1)))


def _seen(use: GateUse) -> str:
    if not use.samples:
        return use.shown
    return "for instance " + " ".join([use.kind + use.gate, *map(write_argument, use.samples[0])])


def _text(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _key(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else _text(text)


def names_a_model(text: str) -> bool:
    """Say whether the text after `outplay new` names a model to make an adapter for, and not a folder.

    >>> [names_a_model(text) for text in ("shop.py:Shop", "shop.models:Shop", "lamp.aut", "lamp")]
    [True, True, True, False]
    """
    return Path(text).suffix.lower() in ENDINGS or Job(text).is_code


def write_stub(model: str, kind: str, folder: Path) -> tuple[Path, ...]:
    """Write the stub of an adapter of a kind for a model, and its tests."""
    loaded = load_model(Job(model))
    spec = loaded.bare()
    name = model.rpartition(":")[2] if Job(model).is_code else Path(model).stem
    gates = gates_of(spec, declared_gates(loaded))
    _answers_as_declared(gates, loaded.model)
    vertices: list[str] = []
    if isinstance(own := own_specification(spec), WalkSpecification):
        vertices = [
            name for name in dict.fromkeys(vertex.name for vertex in own.models.vertices) if name.isidentifier()
        ]
    files = stub_files(model, re.sub(r"\W", "_", name), spec.goals, gates, kind, vertices, spec.channels, folder)
    return write_files(files, folder)


def _place_of_result(places: Mapping[str, int], answer: tuple[Any, ...]) -> int:
    return places.get(write_argument(answer[-1]), len(places))


def _answers_as_declared(gates: Gates, model: object) -> None:
    """Put what was seen of the answers of each call into the order of its `returns=`."""
    if not isinstance(model, Program):
        return
    for action in model.actions:
        use = gates.get((OUTPUT, action.name))
        if use is None or action.mark.returns is None:
            continue
        answers = Answers(action, None, model)
        if answers.is_fixed:
            places = {write_argument(value): place for place, value in enumerate(answers.listed())}
            use.samples.sort(key=partial(_place_of_result, places))


def write_files(files: Mapping[str, str], folder: Path) -> tuple[Path, ...]:
    """Write the files of a stub into a folder, made if need be; nothing is written where one exists."""
    for each in files:
        if (folder / each).exists():
            raise FormatError(f"{folder / each} is there already, and nothing was written; name a folder with -o")
    try:
        return tuple(write_whole(folder / each, [content], folders=True) for each, content in files.items())
    except OSError as error:
        raise FormatError(unwritten_file(folder, error)) from None
