"""Faults of model programs: the source with one thing changed, as a programmer may get it wrong."""

from __future__ import annotations

import ast
import copy
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from benchmarks.faults.mutants import Candidates, Mutant
from benchmarks.faults.program_cases import conditions_of
from benchmarks.faults.rows import of_model
from outplay.model.label import Label

_NEAR = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
Change = tuple[str, int, ast.AST | None]
"""What is changed, the number of the node in the order of `ast.walk`, and what takes its place; None: left out."""


def candidates(path: Path, name: str, labels: Iterable[Label], rng: Random) -> Candidates:
    """All changes of a program by kind, each kind in an order drawn from a seed."""
    tree, known = ast.parse(path.read_text(encoding="utf-8")), tuple(labels)
    found: dict[str, list[Change]] = {}
    for kind, change in changes(tree, name):
        found.setdefault(kind, []).append(change)
    for group in found.values():
        rng.shuffle(group)
    return {kind: _mutants(tree, name, group, known) for kind, group in found.items()}


def _mutants(tree: ast.Module, name: str, group: list[Change], labels: tuple[Label, ...]) -> Iterator[Mutant]:
    for what, place, node in group:
        model = compiled(changed(tree, place, node), name)
        if model is not None:
            yield Mutant(what, of_model(model, labels))


def changed(tree: ast.Module, place: int, node: ast.AST | None) -> ast.Module:
    """The tree with one node replaced, or a statement left out."""
    made = copy.deepcopy(tree)
    gone = list(ast.walk(made))[place]
    _Replacing(gone, node).visit(made)
    return ast.fix_missing_locations(made)


class _Replacing(ast.NodeTransformer):
    def __init__(self, gone: ast.AST, node: ast.AST | None) -> None:
        self._gone, self._node = gone, node

    def visit(self, node: ast.AST) -> Any:
        if node is not self._gone:
            return self.generic_visit(node)
        if self._node is None:
            return ast.Pass()
        return self._node.body if isinstance(self._node, ast.Module) else self._node


def compiled(tree: ast.Module, name: str) -> Any:
    """The class of a changed program; None where it cannot even be made."""
    module = ModuleType(f"mutant_{id(tree)}")
    sys.modules[module.__name__] = module  # annotations and constants are looked up there
    try:
        exec(compile(tree, "mutant", "exec"), vars(module))
    except Exception:
        return None
    return vars(module)[name]


def changes(tree: ast.Module, name: str) -> Iterator[tuple[str, Change]]:
    """All changes of the actions of a class, and of what they call, with their kinds."""
    numbers = {id(node): place for place, node in enumerate(ast.walk(tree))}
    (model,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    for function in model.body:
        if isinstance(function, ast.FunctionDef) and not _is_goal(function):
            conditions = list(conditions_of(function, model))
            for statement in function.body:
                for node in ast.walk(statement):
                    for kind, new in [*_of_node(node), *_in_some_cases(node, conditions)]:
                        what = f"{function.name}, line {getattr(node, 'lineno', 0)}: {_text(node)} becomes {_text(new)}"
                        yield kind, (what, numbers[id(node)], new)


def _in_some_cases(node: ast.AST, conditions: list[ast.expr]) -> Iterator[tuple[str, ast.AST]]:
    """A statement that is missing, or happens twice, only where a condition holds."""
    if isinstance(node, ast.stmt):
        for kind, new in _of_statement(node):
            if kind in ("statement missing", "statement twice", "guard missing"):
                body = new.body if isinstance(new, ast.Module) else [ast.Pass()]
                for condition in conditions:
                    yield f"{kind} in some cases", ast.If(condition, body, [node])


def _text(node: ast.AST | None) -> str:
    return "nothing" if node is None else " ".join(ast.unparse(ast.fix_missing_locations(node)).split())


def _is_goal(function: ast.FunctionDef) -> bool:
    return any(isinstance(mark, ast.Name) and mark.id == "goal" for mark in function.decorator_list)


def _of_node(node: ast.AST) -> Iterator[tuple[str, ast.AST | None]]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _NEAR:
        yield "another comparison", ast.Compare(node.left, [_NEAR[type(node.ops[0])]()], node.comparators)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield "off by one", ast.Constant(node.value + 1)
        yield "off by one", ast.Constant(node.value - 1)
    elif isinstance(node, ast.BoolOp):
        other = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        yield "another comparison", ast.BoolOp(other, node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "another comparison", node.operand
    elif isinstance(node, ast.BinOp):
        yield "order swapped", ast.BinOp(node.right, node.op, node.left)
        yield "part missing", node.left
    elif isinstance(node, ast.Tuple) and len(node.elts) == 2 and isinstance(node.ctx, ast.Load):
        yield "order swapped", ast.Tuple(node.elts[::-1], ast.Load())
    elif isinstance(node, ast.IfExp):
        yield "part missing", node.body
        yield "part missing", node.orelse
    elif isinstance(node, ast.stmt):
        yield from _of_statement(node)


def _of_statement(node: ast.stmt) -> Iterator[tuple[str, ast.AST | None]]:
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr):
        yield "statement missing", None
    if isinstance(node, ast.AugAssign):
        yield "statement twice", ast.Module([node, node], [])
        yield "part missing", ast.Assign([node.target], node.value)
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Constant):
        yield "guard missing", None
    if isinstance(node, ast.If):
        always = ast.If(ast.Constant(True), node.body, node.orelse)
        yield "condition always met", always
        yield "condition never met", ast.If(ast.Constant(False), node.body, node.orelse)
