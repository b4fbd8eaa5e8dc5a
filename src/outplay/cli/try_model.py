"""`outplay try`: step through a model by hand, playing tester and system yourself."""

from __future__ import annotations

import sys

import click

from outplay.campaign.job import Job
from outplay.campaign.load import load
from outplay.cli import options
from outplay.model.label import SILENCE, Label
from outplay.model.specification import Specification, State

HELP = "a number or a label moves; back, restart, help, quit"


@click.command("try", epilog="\b\nExample:\n  outplay try examples/chat/model.py:Chat")
@options.job(*options.READING)
def command(job: Job) -> None:
    """Step through MODEL by hand: choose an input, an output or silence, and see where it leads."""
    spec = load(job).specification()
    click.echo(f"{spec.name}: {HELP}")
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
                click.echo(HELP)
            else:
                self._take(word, choices)

    def _show(self) -> list[Label]:
        state = self._path[-1]
        held = [goal for goal in self._spec.goals if self._spec.holds(goal, state)]
        trail = " ".join(map(str, self._labels[-6:]))
        click.secho(f"\n{self._spec.describe(state)}", bold=True)
        if trail:
            click.echo(f"  after {'… ' if len(self._labels) > 6 else ''}{trail}")
        if held:
            click.secho(f"  goal: {', '.join(held)}", fg="green")
        choices = [*self._spec.inputs(state), *self._spec.outputs(state)]
        choices += [SILENCE] if self._spec.quiet(state) else []
        for number, label in enumerate(choices, 1):
            colour = "blue" if label.is_input else "magenta" if label.is_output else None
            click.echo(f"  {number:>3}  {click.style(str(label), fg=colour)}{' (silence)' * (label == SILENCE)}")
        return choices

    def _ask(self) -> str:
        click.echo("> ", nl=False)
        line = sys.stdin.readline()
        return line.strip() if line else "quit"

    def _take(self, word: str, choices: list[Label]) -> None:
        if word.isdigit() and 1 <= int(word) <= len(choices):
            label = choices[int(word) - 1]
        else:
            found = [one for one in choices if word in (one.text, one.message)]
            if len(found) != 1:
                click.echo(f"{word!r} is no choice here; {HELP}")
                return
            label = found[0]
        targets = list(self._spec.after(self._path[-1], label))
        self._path.append(targets[0])
        self._labels.append(label)
        if len(targets) > 1:
            click.echo(f"  (one of {len(targets)} states this may lead to)")

    def _back(self) -> None:
        if self._labels:
            self._path.pop()
            self._labels.pop()
