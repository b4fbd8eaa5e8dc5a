"""`outplay try`: step through a model by hand, playing tester and system yourself."""

from __future__ import annotations

import sys
from random import Random

import click

from outplay.cli import options
from outplay.cli.printing import say
from outplay.errors import FormatError
from outplay.escaping import escaped
from outplay.model.label import INPUT, OUTPUT, SILENCE, Label
from outplay.model.offer import Offer, offer_of
from outplay.model.specification import Specification, State
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import load_model

HELP = "a number or a label moves; back, restart, help, quit"


@click.command("try", epilog="\b\nExample:\n  outplay try examples/chat/model.py:Chat")
@options.whole_job_options(*options.READING)
def command(job: Job) -> None:
    """Step through MODEL by hand: choose an input, an output or silence, and see where it leads."""
    spec = load_model(job).specification()
    say(f"{spec.name}: {HELP}")
    Session(spec).run()


class Session:
    """A walk by hand: the states passed, and the labels between them."""

    def __init__(self, spec: Specification) -> None:
        self._spec = spec
        self._path: list[State] = [next(iter(spec.initial))]
        self._labels: list[Label] = []

    def run(self) -> None:
        """Ask and move until the user has enough."""
        while True:
            choices = self._show()
            word = self._ask()
            if word in ("quit", "q", "exit"):
                return
            if word in ("back", "b"):
                self._back()
            elif word in ("restart", "r"):
                del self._path[1:], self._labels[:]
            elif word in ("help", "h", "?", ""):
                say(HELP)
            else:
                self._take(word, choices)

    def _show(self) -> list[Offer]:
        state = self._path[-1]
        held = [goal for goal in self._spec.goals if self._spec.holds(goal, state)]
        trail = " ".join(map(str, self._labels[-6:]))
        click.echo()
        say(self._spec.describe(state), bold=True)
        if trail:
            say(f"  after {'… ' if len(self._labels) > 6 else ''}{trail}")
        if held:
            say(f"  goal: {', '.join(held)}", fg="green")
        choices: list[Offer] = [*self._spec.inputs(state), *self._spec.outputs(state)]
        choices += [SILENCE] if self._spec.quiet(state) else []
        for number, label in enumerate(choices, 1):
            colour = "blue" if label.is_input else "magenta" if label.is_output else None
            click.echo(
                f"  {number:>3}  {click.style(escaped(str(label)), fg=colour)}{' (silence)' * (label == SILENCE)}"
            )
        return choices

    def _ask(self) -> str:
        click.echo("> ", nl=False)
        line = sys.stdin.readline()
        return line.strip() if line else "quit"

    def _take(self, word: str, choices: list[Offer]) -> None:
        label = _chosen(word, choices)
        if label is None:
            say(f"{word!r} is no choice here; {HELP}")
            return
        targets = list(self._spec.after(self._path[-1], label))
        self._path.append(targets[0])
        self._labels.append(label)
        if len(targets) > 1:
            say(f"  (one of {len(targets)} states this may lead to)")

    def _back(self) -> None:
        if self._labels:
            self._path.pop()
            self._labels.pop()


def _chosen(word: str, choices: list[Offer]) -> Label | None:
    """The label meant by a number, or by a label with its direction or without; None where that is not clear."""
    if word.isdigit() and 1 <= int(word) <= len(choices):
        return choices[int(word) - 1].sample(Random(0))
    try:
        directed = word[0] in (INPUT, OUTPUT) or word == SILENCE.text
        meant = [Label.parse(word)] if directed else [Label.from_message(kind, word) for kind in (INPUT, OUTPUT)]
    except FormatError:
        return None
    found = [label for label in meant if offer_of(label, choices)]
    return found[0] if len(found) == 1 else None
