"""An action counts as one that cannot change the state only where its code leaves no doubt."""

from __future__ import annotations

import pytest

from outplay import Map, Model
from outplay.model.programs.call_stepper import is_pure_method
from outplay.model.programs.program import Program


class Shelf(Model):
    """Ways to look, and ways to change what looks like looking."""

    most = 3
    items: Map[str, int] = Map()
    count: int = 0

    def reads(self, name, result):
        return result == self.items.get(name, 0) and self.count < self.most

    def reads_in_a_loop(self, result):
        return any(found == result for found in self.items.values())

    def does_nothing(self, result): ...

    def assigns(self, result):
        self.count = result

    def adds(self, result):
        self.count += result

    def deletes(self, result):
        del self.count

    def calls_another(self, result):
        self.assigns(result)

    def hands_itself_on(self, result):
        setattr(self, "count", result)  # noqa: B010

    def keeps_itself(self, result):
        other = self
        other.count = result

    def changes_inside(self, result):
        def change():
            self.count = result

        change()

    def looks_inside(self, result):
        return [one for one in range(self.count) if one < self.most and result]

    def asks_a_property(self, result):
        return self.next == result

    def uses_its_namespace(self, result):
        self.__dict__["count"] = result

    def looks_at_its_class(self, result):
        return type(self).most

    @property
    def next(self):
        self.count += 1
        return self.count


PROGRAM = Program(Shelf)


@pytest.mark.parametrize("name", ["reads", "reads_in_a_loop", "does_nothing"])
def test_a_look_is_pure(name):
    assert is_pure_method(vars(Shelf)[name], PROGRAM)


@pytest.mark.parametrize(
    "name",
    [
        "assigns",
        "adds",
        "deletes",
        "calls_another",
        "hands_itself_on",
        "keeps_itself",
        "changes_inside",
        "asks_a_property",
        "uses_its_namespace",
        "looks_at_its_class",
    ],
)
def test_what_might_change_the_state_is_not(name):
    assert not is_pure_method(vars(Shelf)[name], PROGRAM)


def test_what_is_no_plain_function_is_not():
    assert not is_pure_method(len, PROGRAM)


def test_a_model_that_answers_for_its_attributes_is_not():
    class Odd(Shelf):
        def __getattribute__(self, name):
            return super().__getattribute__(name)

    assert not is_pure_method(Shelf.reads, Program(Odd))
