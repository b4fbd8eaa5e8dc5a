"""A Python object held against a model: a method for each input, with as many parameters, and outputs that it reports.

What it reports shows in its source: calls of the function that its constructor gets, with a text as the name of the
output. Where that name is made on the way, nothing is said about outputs that are missing.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from outplay.errors import did_you_mean
from outplay.model.label import INPUT, OUTPUT
from outplay.play.adapters.gate_use import Gates, GateUse, Misfit, gates_that, value_misfit
from outplay.play.adapters.python_object import find_class


def object_misfits(text: str, gates: Gates, **_: Any) -> Iterator[Misfit]:
    """Hold the class that a text names against the gates of a model."""
    made = find_class(text)
    inputs, outputs = gates_that(gates, INPUT), gates_that(gates, OUTPUT)
    yield from _methods(made, inputs)
    if isinstance(made, type):
        yield from _reports(made, inputs, outputs)


def _methods(made: Callable[..., Any], inputs: Mapping[str, GateUse]) -> Iterator[Misfit]:
    name = getattr(made, "__name__", repr(made))
    for use in inputs.values():
        method = getattr(made, use.gate, None)
        if not callable(method):
            if isinstance(made, type):
                known = [each for each in dir(made) if not each.startswith("_")]
                yield Misfit(use.shown, f"{name} has no method {use.gate}; {did_you_mean(use.gate, known)}")
            continue
        with contextlib.suppress(ValueError, TypeError):
            signature = inspect.signature(method)
            self = [] if isinstance(inspect.getattr_static(made, use.gate), staticmethod | classmethod) else [None]
            for size in () if use.ids else sorted(use.arities):
                try:
                    signature.bind(*self, *[None] * size)
                except TypeError:
                    yield Misfit(use.shown, f"{name}.{use.gate}{signature} does not take {size} arguments")


def _reports(made: type, inputs: Mapping[str, GateUse], outputs: Mapping[str, GateUse]) -> Iterator[Misfit]:
    calls, everything = _emitted(made)
    for gate, arguments in calls:
        use, label = outputs.get(gate), f"!{gate}"
        if use is None:
            yield Misfit(label, f"the model has no such output; {did_you_mean(gate, outputs)}")
        elif arguments is not None and len(arguments) not in use.arities:
            what = f"it is reported with {len(arguments)} arguments, the model's {use.shown} has {min(use.arities)}"
            yield Misfit(label, what)
        elif arguments is not None:
            for place, value in enumerate(arguments):
                if isinstance(value, ast.Constant) and (why := value_misfit(use, place, value.value)):
                    yield Misfit(label, why)
    if not everything:
        return
    told = {gate for gate, _ in calls}
    for use in outputs.values():
        if use.gate not in told and use.gate not in inputs:
            yield Misfit(use.shown, "nothing reports this output: no input is called so, and no emit(…) names it")


def _emitted(made: type) -> tuple[list[tuple[str, list[ast.expr] | None]], bool]:
    """The outputs that a class reports by name, with their arguments where they stand there, and whether it is all."""
    found, everything = list[tuple[str, list[ast.expr] | None]](), True
    for part in made.__mro__[:-1]:
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(part)))
        except (OSError, TypeError, SyntaxError):
            return found, False
        names = _emitters(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in names:
                first = node.args[0] if node.args else None
                if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
                    everything = False
                    continue
                plain = not node.keywords and not any(isinstance(each, ast.Starred) for each in node.args)
                found.append((first.value, node.args[1:] if plain else None))
            elif (
                isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) in names and _is_handed_on(tree, node)
            ):
                everything = False
    return found, everything


def _emitters(tree: ast.AST) -> set[str]:
    """Return the names of the function that reports outputs in a class."""
    names = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "__init__" and len(node.args.args) > 1:
            names.add(node.args.args[1].arg)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            sources = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            targets = node.targets[0].elts if isinstance(node.targets[0], ast.Tuple) else node.targets
            pairs = zip(targets, sources, strict=False)
            names |= {ast.unparse(target) for target, source in pairs if ast.unparse(source) in names}
    return names


def _is_handed_on(tree: ast.AST, node: ast.expr) -> bool:
    """Whether the function goes elsewhere as an argument, where nobody sees what it reports."""
    calls = (call for call in ast.walk(tree) if isinstance(call, ast.Call))
    return any(node in [*call.args, *(keyword.value for keyword in call.keywords)] for call in calls)
