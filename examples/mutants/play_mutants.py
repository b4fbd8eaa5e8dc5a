"""How many mutants of a machine does a walk find? Each mutant has one transition changed; the model is the judge.

    python play_mutants.py MACHINE.dot [MUTANTS] [PLAYS]

The machine is read from a file (Mealy or nondeterministic, any format outplay reads), each mutant is simulated on a
virtual clock and played by the same seeded walk.
"""

import sys
from dataclasses import replace
from random import Random

from outplay import Machine, Simulated, read_model, run
from outplay.model.suspension import SuspensionAutomaton


def mutant(machine: Machine, rng: Random) -> tuple[Machine, str]:
    """Change the output or the target of one transition."""
    place = rng.randrange(len(machine.steps))
    source, given, shown, target = machine.steps[place]
    others = [output for output in machine.outputs if output != shown]
    if others and rng.random() < 0.5:
        changed = (source, given, rng.choice(others), target)
    else:
        changed = (source, given, shown, (target + 1 + rng.randrange(len(machine.names) - 1)) % len(machine.names))
    steps = (*machine.steps[:place], changed, *machine.steps[place + 1 :])
    what = f"{machine.names[source]} -{given}/{changed[2]}-> {machine.names[changed[3]]}"
    return replace(machine, steps=steps), what


def main(path: str, mutants: int = 20, plays: int = 50) -> None:
    machine = read_model(path)
    if not isinstance(machine, Machine):
        raise SystemExit(f"{path} is no machine; give a Mealy machine, for instance a .dot with in/out labels")
    rng, found = Random(0), 0
    for number in range(1, mutants + 1):
        wrong, what = mutant(machine, rng)
        system = Simulated(SuspensionAutomaton(wrong.automaton), Random(number))
        outcome = run(machine.automaton, system, plays=plays)
        found += outcome.verdict.name == "fail"
        print(f"{number:>3}  {outcome.verdict.name:<5} after {outcome.tally.steps:>6} steps  {what}")
    print(f"{found} of {mutants} mutants found")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:4]))
