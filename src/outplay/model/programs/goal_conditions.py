"""The conditions of a goal as it is written: what `return a and b` joins, each to be asked by itself."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any, TypeAlias

Asked: TypeAlias = Callable[[Any], Any]


@dataclass(frozen=True)
class WrittenCondition:
    """The text of a condition without `self`, how to ask it of a model, and of a comparison its two sides."""

    text: str
    asks: Asked
    sides: tuple[Asked, ...] = ()
    subject: str = ""
    """The text of the left side."""

    @property
    def names(self) -> frozenset[str]:
        """The names that it looks up, those of variables among them."""
        code = getattr(self.asks, "__code__", None)
        return frozenset() if code is None else frozenset(_names(code))


def written_conditions(goal: Any, name: str) -> list[WrittenCondition]:
    """The conditions that a goal joins by `and`; one that is written in another way is one condition by its name.

    >>> def late(self):
    ...     return self.tries == 3 and not self.done
    >>> [one.text for one in written_conditions(late, "late")]
    ['tries == 3', 'not done']
    """
    whole = [WrittenCondition(name, goal)]
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(goal)))
    except (OSError, TypeError, SyntaxError):
        return whole  # its source is not at hand
    function = tree.body[0] if tree.body else None
    if not isinstance(function, ast.FunctionDef) or goal.__closure__ or len(function.args.args) != 1:
        return whole
    body = [one for one in function.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        return whole
    me = function.args.args[0].arg
    return [_condition(one, me, goal.__globals__) for one in _conjuncts(body[0].value)]


def _conjuncts(tree: ast.expr) -> list[ast.expr]:
    if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And):
        return [one for part in tree.values for one in _conjuncts(part)]
    return [tree]


def _condition(tree: ast.expr, me: str, names: dict[str, Any]) -> WrittenCondition:
    def text(part: ast.expr) -> str:
        return ast.unparse(part).replace(f"{me}.", "")

    def asking(part: ast.expr) -> Asked:
        arguments = ast.arguments([], [ast.arg(me)], None, [], [], None, [])
        made = ast.fix_missing_locations(ast.Expression(ast.Lambda(arguments, part)))
        asked: Asked = eval(compile(made, "<goal>", "eval"), names)  # a part of the model's own code
        return asked

    if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
        sides = asking(tree.left), asking(tree.comparators[0])
        return WrittenCondition(text(tree), asking(tree), sides, text(tree.left))
    return WrittenCondition(text(tree), asking(tree))


def _names(code: CodeType) -> set[str]:
    inner = (one for one in code.co_consts if isinstance(one, CodeType))
    return {*code.co_names, *(name for one in inner for name in _names(one))}
