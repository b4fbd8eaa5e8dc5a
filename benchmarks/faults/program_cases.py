"""Cases that a programmer may have forgotten: a parameter with some value, a collection of some size, or both."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import product

SIZES = range(3)


def conditions_of(function: ast.FunctionDef, model: ast.ClassDef) -> Iterator[ast.expr]:
    """Conditions on the parameters of an action and on the state, each alone and one of both together."""
    values = list(_values(function, model))
    sizes = [_equal(_call("len", _attribute(name)), ast.Constant(size)) for name in _sized(model) for size in SIZES]
    yield from values
    yield from sizes
    for value, size in product(values, sizes):
        yield ast.BoolOp(ast.And(), [value, size])


def _values(function: ast.FunctionDef, model: ast.ClassDef) -> Iterator[ast.expr]:
    """That a parameter has one of its values: those of its constant, or any name, where it is drawn from the state."""
    constants = dict(_constants(model))
    names = {one.value: one for values in constants.values() for one in values if isinstance(one.value, str)}
    for mark in function.decorator_list:
        for keyword in mark.keywords if isinstance(mark, ast.Call) else ():
            domain = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
            for value in constants.get(domain, list(names.values())):
                yield _equal(ast.Name(str(keyword.arg), ast.Load()), value)


def _constants(model: ast.ClassDef) -> Iterator[tuple[str, list[ast.Constant]]]:
    for node in model.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
            for target in node.targets:
                assert isinstance(target, ast.Name)
                yield target.id, [one for one in node.value.elts if isinstance(one, ast.Constant)]


def _sized(model: ast.ClassDef) -> Iterator[str]:
    """The state variables that are empty collections at first."""
    for node in model.body:
        empty = isinstance(node, ast.AnnAssign) and (
            (isinstance(node.value, ast.Tuple) and not node.value.elts)
            or (isinstance(node.value, ast.Call) and not node.value.args)
        )
        if isinstance(node, ast.AnnAssign) and empty and isinstance(node.target, ast.Name):
            yield node.target.id


def _equal(left: ast.expr, right: ast.expr) -> ast.expr:
    return ast.Compare(left, [ast.Eq()], [right])


def _call(name: str, argument: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), [argument], [])


def _attribute(name: str) -> ast.expr:
    return ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load())
