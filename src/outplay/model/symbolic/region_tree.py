"""Regions of data, and the tree that finds the region of some data; conditions stay conjunctions of comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from outplay.model.expressions.evaluation import evaluate, free_variables
from outplay.model.expressions.simplifying import conjuncts, negated, simplify, tightened_bounds
from outplay.model.expressions.sorts import Sort, Value
from outplay.model.expressions.term import FALSE, TRUE, Term, apply, conjunction, literal, variable
from outplay.model.symbolic.data_knowledge import Control, KnowledgeStep
from outplay.model.symbolic.solving import Unsatisfiable, solve_condition
from outplay.model.wrapping import Members


@dataclass(eq=False)
class DataRegion:
    """All knowledge of one control whose data meet a condition; `known` is some of it that can be reached."""

    control: Control
    condition: Term
    known: Members | None = None
    moves: list[RegionMove] | None = None
    """None as long as the region may have to be split."""
    is_point: bool = False
    """No data but those of the known state meet the condition."""


class RegionMove(NamedTuple):
    """A step from a region to another, with all labels whose parameters meet a condition."""

    step: KnowledgeStep
    condition: Term
    target: DataRegion


class RegionSplit(NamedTuple):
    """The targets of data that meet a condition, and of those that do not."""

    condition: Term
    yes: RegionTree
    no: RegionTree


@dataclass(eq=False)
class RegionTree:
    """A node of the tree that finds the region of data: a leaf with its region, or a parting."""

    inside: DataRegion | RegionSplit

    def region(self, values: Mapping[str, Value]) -> DataRegion:
        """The region of some data."""
        node = self
        while isinstance(parting := node.inside, RegionSplit):
            node = parting.yes if evaluate(parting.condition, values) else parting.no
        return parting


def split_leaf(leaf: RegionTree, condition: Term) -> RegionSplit:
    """Split the region of a leaf of a region tree by a condition."""
    old = leaf.inside
    assert isinstance(old, DataRegion)
    yes = DataRegion(old.control, tightened_bounds(old.condition & condition))
    no = DataRegion(old.control, tightened_bounds(old.condition & negated(condition)))
    leaf.inside = RegionSplit(condition, RegionTree(yes), RegionTree(no))
    return leaf.inside


def tree_leaves(root: RegionTree) -> Iterator[RegionTree]:
    """Yield all leaves of a region tree."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node.inside, RegionSplit):
            stack += (node.inside.no, node.inside.yes)
        else:
            yield node


def point_condition(values: Mapping[str, Value], sorts: Mapping[str, Sort]) -> list[Term]:
    """Return the conditions that single out one point of a region: each variable equals its value."""
    return [apply("=", variable(name, sorts[name]), literal(value, sorts[name])) for name, value in values.items()]


def fixes_variable(condition: Term) -> bool:
    """Say whether a condition on regions gives a variable one value."""
    return condition.operation == "=" and condition.arguments[0].is_variable and condition.arguments[1].is_literal


def implying_comparisons(condition: Term, given: Term, values: Mapping[str, Value]) -> list[Term]:
    """Return a few comparisons that hold at some values and imply a condition, so that regions stay simple."""
    kept = _holding(condition, values)
    for one in list(kept):
        others = [other for other in kept if other is not one]
        if _is_empty(simplify(conjunction([given, *others, negated(condition)]))):
            kept = others
    return kept


def _holding(condition: Term, values: Mapping[str, Value]) -> list[Term]:
    """Parts of a condition that hold for some values, and are enough for it."""
    if condition.operation == "and":
        return list(dict.fromkeys(part for one in condition.arguments for part in _holding(one, values)))
    if condition.operation == "or":
        found = [_holding(one, values) for one in condition.arguments if evaluate(one, values)]
        return min(found, key=len)
    return [] if condition is TRUE else [condition]


def _is_empty(condition: Term) -> bool:
    sorts = {name: one.sort for name, one in free_variables(condition).items()}
    return condition is FALSE or isinstance(solve_condition(condition, sorts), Unsatisfiable)


def without_implied(condition: Term, given: Term) -> Term:
    """Drop the parts of a condition that follow from the others and from what is given."""
    kept = list(conjuncts(tightened_bounds(condition)))
    for one in list(kept):
        others = [other for other in kept if other is not one]
        if _is_empty(simplify(conjunction([given, *others, negated(one)]))):
            kept = others
    return conjunction(kept)
