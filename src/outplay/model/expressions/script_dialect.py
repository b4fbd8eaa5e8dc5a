"""Guards and actions in the dialect of GraphWalker, which is a small part of JavaScript: read, never run.

Conditions have `&&`, `||`, `!`, `==`, `===`, `!=`, comparisons and arithmetic; actions are `x = e`, `x += e`,
`x -= e`, `x *= e`, `x++`, `x--` and `var x = e`, one after the other. `global.x` is a name like others. A variable has
the sort of what it is first given.
"""

from __future__ import annotations

from collections.abc import Mapping

from outplay.model.expressions.evaluation import simultaneous_assignments
from outplay.model.expressions.reading import SYMBOLS, Binary, ExpressionError, TermReader, Words
from outplay.model.expressions.sorts import BOOLEAN, OPERATIONS, Sort
from outplay.model.expressions.term import Term, apply, if_then_else, literal, variable


def _rest(number: Term, by: Term) -> Term:
    """The rest has the sign of the number that is divided, not, as ours, none."""
    return if_then_else(number >= 0, number % by, -(-number % by))


_EQUAL, _DIFFERENT, _PRODUCT = OPERATIONS["="].binds, OPERATIONS["!="].binds, OPERATIONS["*"].binds
_OWN: dict[str, tuple[int, Binary]] = {
    "===": (_EQUAL, lambda left, right: apply("=", left, right)),
    "!==": (_DIFFERENT, lambda left, right: apply("!=", left, right)),
    "%": (_PRODUCT, _rest),
}
_ABSENT = frozenset({"=", "=>", "->", "implies", "and", "or", "div", "mod"})
SCRIPT = {**{symbol: entry for symbol, entry in SYMBOLS.items() if symbol not in _ABSENT}, **_OWN}
_CHANGES = {"+=": "+", "-=": "-", "*=": "*"}
_STEPS = {"++": "+", "--": "-"}


def read_script_guard(text: str, sorts: Mapping[str, Sort]) -> Term:
    """Read a guard in the dialect of GraphWalker, over variables whose sorts are known.

    >>> from outplay.model.expressions.sorts import INTEGER
    >>> read_script_guard("global.x > 0 && !ready", {"global.x": INTEGER, "ready": BOOLEAN})
    global.x > 0 and not ready
    """
    words = Words(text.strip().removesuffix(";"))
    term = TermReader(words, _scope(sorts), SCRIPT).expression()
    if not words.is_done:
        raise words.error(f"{words.shown} after the end of the condition")
    if term.sort.base != BOOLEAN:
        raise ExpressionError(f"{term} is of sort {term.sort.base}, and a guard is a condition", 0)
    return term


def read_script_actions(text: str, sorts: Mapping[str, Sort]) -> tuple[dict[str, Term], dict[str, Sort]]:
    """Read actions in the dialect of GraphWalker: simultaneous assignments, and the sorts of variables known then.

    >>> read_script_actions("x=0; ready = false; x++; y = x * 2", {})[0]
    {'x': 0 + 1, 'ready': false, 'y': (0 + 1) * 2}
    """
    known, words = dict(sorts), Words(text)
    steps: list[tuple[str, Term]] = []
    while not words.is_done:
        if words.take_if(";"):
            continue
        name, term = _action(words, known)
        known.setdefault(name, term.sort.base)
        if known[name].base != term.sort.base:
            raise words.error(f"{name} is of sort {known[name]}, but {term} is of sort {term.sort.base}")
        steps.append((name, term))
        if not words.is_done and not words.take_if(";"):
            raise words.error(f"{words.shown} after an action; put a semicolon between them")
    return simultaneous_assignments(steps), known


def _action(words: Words, known: Mapping[str, Sort]) -> tuple[str, Term]:
    if words.next.text in _STEPS:
        step = words.take().text
        name = words.name("a variable")
        return name, apply(_STEPS[step], _old(words, name, known), literal(1))
    words.take_if("var", "let", "const")
    name = words.name("a variable")
    mark = words.take()
    if mark.text in _STEPS:
        return name, apply(_STEPS[mark.text], _old(words, name, known), literal(1))
    if mark.text not in ("=", *_CHANGES):
        raise ExpressionError(f"{mark.text!r} after {name}; write {name} = …, {name} += … or {name}++", mark.offset)
    term = TermReader(words, _scope(known), SCRIPT).expression()
    return name, term if mark.text == "=" else apply(_CHANGES[mark.text], _old(words, name, known), term)


def _old(words: Words, name: str, known: Mapping[str, Sort]) -> Term:
    if name not in known:
        raise words.error(f"{name} has no value yet; give it one first, as in {name} = 0")
    return variable(name, known[name])


def _scope(sorts: Mapping[str, Sort]) -> dict[str, Term]:
    return {name: variable(name, sort) for name, sort in sorts.items()}
