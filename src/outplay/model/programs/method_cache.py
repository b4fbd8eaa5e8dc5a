"""Remembering what the user's methods did, by the variables they read.

Most methods look at a few variables and leave the others alone, so they do the same in very many states. A method runs
on a watched instance, which notes the variables it reads, in their order, and those it writes. Since a method hangs on
nothing but what it reads, each next variable read follows from the values of those before: what was seen makes a tree
that forks by the value of a variable and ends in what the method did. Looking up takes one step for each variable read.

Where a method does what cannot be watched, or reads so much that little is ever found again, it is given up: the loop
of action_loop.py then calls it in every state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from outplay.model.programs.budget import OverBudget
from outplay.model.programs.domains import Calls
from outplay.model.programs.interning import ValueTable
from outplay.model.programs.program import Program

Codes = tuple[int, ...]
Entry = tuple[tuple[Any, ...], int, "Fork"]  # arguments, label, what is remembered of the call

_PATIENCE = 10_000  # calls in vain that nobody notices, in time or memory
_SHARE = 2  # from then on at most one call in this many may be new; breadth first meets most of what is new early


class GivenUp(Exception):
    """A method is not worth remembering, or cannot be; `recall` says whose."""

    def __init__(self, recall: Recall) -> None:
        super().__init__()
        self.recall = recall


class Fork:
    """The variable a method reads next, and what follows for each code it may have."""

    __slots__ = ("branches", "place")

    def __init__(self) -> None:
        self.place = 0
        self.branches: dict[int, Any] = {}

    def find(self, codes: Codes) -> Any:
        """Return what the method did in such a state, or None where that is not known."""
        found = self.branches.get(codes[self.place])
        while type(found) is Fork:
            found = found.branches.get(codes[found.place])
        return found

    def keep(self, codes: Codes, reads: Sequence[int], answer: Any) -> bool:
        """Remember an answer; False where the method read other variables before although it saw the same."""
        fork: Any = self
        for place in reads[:-1]:
            fork = fork.branches.setdefault(codes[place], Fork()) if fork.reads(place) else None
            if type(fork) is not Fork:
                return False
        if not fork.reads(reads[-1]):
            return False
        return fork.branches.setdefault(codes[reads[-1]], answer) is answer

    def reads(self, place: int) -> bool:
        """Say whether this variable is the one to fork by, which the first one asked for is."""
        if not self.branches:
            self.place = place
        return self.place == place


class Watched:
    """An instance of the model that notes which variables are read before they are written."""

    def __init__(self, program: Program, tables: Sequence[ValueTable]) -> None:
        self.codes: Codes = ()
        self.reads: list[int] = []
        self.odd = False
        self.tables, self.places = tables, {name: place for place, name in enumerate(program.variables)}
        model = program.model
        members: dict[str, Any] = {name: _Noted(self, name, getattr(model, name)) for name in program.variables}
        members |= {"__dict__": property(self._note_odd), "__delattr__": self._note_odd, "__module__": model.__module__}
        kind: Any = type(model.__name__, (model,), members)
        self.instance = kind.__new__(kind)
        self.memory: dict[str, Any] = _attributes(model).__get__(self.instance)

    def run(self, function: Callable[..., Any], codes: Codes, arguments: tuple[Any, ...] = ()) -> Any:
        """Call a method in a state and return what it returns; whatever it raises makes it odd."""
        self.memory.clear()
        self.codes, self.reads, self.odd = codes, [], False
        try:
            return function(self.instance, *arguments)
        except Exception:
            self.odd = True  # called once more where nothing is watched, it raises there and is told about
            return None

    def written(self) -> dict[int, Any] | None:
        """Return the variables that were written, by place, with their values; None where something is odd."""
        found = {}
        for name, value in self.memory.items():
            place = self.places.get(name)
            if place is None:
                return None
            # A variable not read is written even when it is set to what it was: in another state it would change.
            if place not in self.reads or value is not self.tables[place].values_of[self.codes[place]]:
                found[place] = value
        return None if self.odd else found

    def _note_odd(self, *_: Any) -> dict[str, Any]:
        self.odd = True
        return {}


class _Noted:
    """Hands out the value of a variable when it is first read; from then on the instance has it as its own."""

    def __init__(self, watched: Watched, name: str, default: Any) -> None:
        self._watched, self._name, self._default = watched, name, default

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self._default
        watched = self._watched
        place = watched.places[self._name]
        value = watched.tables[place].values_of[watched.codes[place]]
        if instance is watched.instance:
            watched.reads.append(place)
            watched.memory[self._name] = value
        else:
            watched.odd = True  # the user copied the instance
        return value


class Recall:
    """The memory of some methods that are given up together: an action and its domains, or all goals."""

    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        self.asked = 0
        """The number of calls wanted."""
        self._missed = 0

    def keep(self, fork: Fork, codes: Codes, answer: Any) -> None:
        """Remember what the watched method did just now."""
        self._missed += 1
        # A method that reads nothing may as well be remembered by the first variable.
        if not fork.keep(codes, self._watched.reads or [0], answer):
            raise GivenUp(self)
        if self._missed > _PATIENCE and self._missed * _SHARE > self.asked:
            raise GivenUp(self)


class GoalRecall(Recall):
    """The remembered goals that hold."""

    def __init__(self, watched: Watched, program: Program) -> None:
        super().__init__(watched)
        self._goals, self._fork = program.goals, Fork()

    def holding(self, codes: Codes) -> tuple[str, ...]:
        """Name the goals that hold in a state."""
        self.asked += 1
        found: tuple[str, ...] | None = self._fork.find(codes)
        if found is None:
            found = self._watched.run(self._ask, codes)
            if found is None or self._watched.written() != {}:
                raise GivenUp(self)
            self.keep(self._fork, codes, found)
        return found

    def _ask(self, model: Any) -> tuple[str, ...]:
        try:
            return tuple(name for name, test in self._goals.items() if test(model))
        except OverBudget as stop:
            raise stop.during("asking the goals") from None


class ActionRecall(Recall):
    """The remembered effects of an action for each of its argument lists, and which these are."""

    def __init__(self, watched: Watched, calls: Calls) -> None:
        super().__init__(watched)
        self._calls = calls
        self.domains = [watched.places[name] for name in calls.variables]
        """The places of the variables that are domains; then come, in a key, the codes of the functions that are."""
        self.forks = [Fork() for _ in calls.questions]
        self.known: dict[Codes, list[Entry]] = {}
        self._roots: dict[int, Fork] = {}
        self._effects: dict[Any, Any] = {}

    def ask(self, place: int, codes: Codes) -> int:
        """Return the code of what a domain's function answers."""
        code: int | None = self._watched.run(self._calls.questions[place].code, codes)
        if code is None or self._watched.written() != {}:
            raise GivenUp(self)
        self.keep(self.forks[place], codes, code)
        return code

    def entries(self, key: Codes) -> list[Entry]:
        """List the calls to make where the domains have these codes."""
        tables, count = self._watched.tables, len(self.domains)
        values = [tables[place].values_of[code] for place, code in zip(self.domains, key, strict=False)]
        listed = self._calls.listing(values, key[count:])
        made = self.known[key] = [(each, label, self._roots.setdefault(label, Fork())) for each, label in listed]
        return made

    def effect(self, arguments: tuple[Any, ...], fork: Fork, codes: Codes) -> Any:
        """Return False where the call is not enabled, else the new code of each variable, None for those it leaves."""
        returned = self._watched.run(self._calls.function, codes, arguments)
        written = self._watched.written()
        if written is None or not (returned is None or returned is True or returned is False):
            raise GivenUp(self)
        effect = False if returned is False else self._coded(written, len(codes))
        self.keep(fork, codes, self._effects.setdefault(effect, effect))
        return effect

    def _coded(self, written: dict[int, Any], count: int) -> tuple[int | None, ...]:
        tables = self._watched.tables
        try:
            codes = {place: tables[place].code(value) for place, value in written.items()}
        except Exception:
            raise GivenUp(self) from None
        return tuple(map(codes.get, range(count)))


def can_cache_methods(program: Program) -> bool:
    """Say whether methods of a model can be watched and may ever repeat themselves: each state is expanded once."""
    return len(program.variables) > 1 and not any(
        name in vars(base)
        for base in program.model.__mro__[:-1]
        for name in ("__getattribute__", "__getattr__", "__setattr__", "__delattr__", "__slots__")
    )


def _attributes(model: type) -> Any:
    """Return the reader of the true `__dict__` of an instance."""
    return next(vars(base)["__dict__"] for base in reversed(model.__mro__) if "__dict__" in vars(base))
