"""Which format a file has, and reading and writing models by it: the ending decides unless a format is named."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outplay.errors import FormatError, UsageError, did_you_mean
from outplay.formats import (
    aut,
    dot,
    drn,
    efsm,
    fsm,
    game_json,
    graphwalker,
    mermaid,
    prism_tra,
    register_xml,
    sts,
    sts_json,
    vlts_csv,
)
from outplay.formats.limits import LIMITS, ReadLimits
from outplay.formats.source import LARGEST, Source, read_source
from outplay.formats.writing import write_whole
from outplay.game.graph import Game
from outplay.model.automaton import Automaton
from outplay.model.extended_machine import ExtendedMachine
from outplay.model.machine import Machine
from outplay.model.symbolic.symbolic_system import SymbolicSystem
from outplay.model.walk_models import WalkModels

Model = Automaton | Machine | ExtendedMachine | Game | SymbolicSystem | WalkModels


@dataclass(frozen=True)
class Format:
    """A format by name: how to read it from a path, and what it holds."""

    read: Callable[..., Model] | None
    write: Callable[[Any], Iterable[str]]
    holds: tuple[type, ...]


FORMATS: dict[str, Format] = {
    "aut": Format(aut.read, aut.write, (Automaton,)),
    "csv": Format(vlts_csv.read, vlts_csv.write, (Automaton,)),
    "dot": Format(dot.read, dot.write, (Automaton, Machine, Game)),
    "drn": Format(drn.read, drn.write, (Game,)),
    "efsm": Format(efsm.read, efsm.write, (ExtendedMachine,)),
    "fsm": Format(fsm.read, fsm.write, (Machine,)),
    "gv": Format(dot.read, dot.write, (Automaton, Machine, Game)),
    "json": Format(None, game_json.dump_game, (Game,)),
    "mmd": Format(None, mermaid.write, (Automaton, Machine, Game)),
    "sts": Format(sts.read, sts.write, (SymbolicSystem,)),
    "tra": Format(None, prism_tra.write, (Game,)),
    "xml": Format(register_xml.read, sts.write, ()),
}
ENDINGS = tuple(f".{name}" for name in FORMATS)


def read_model(
    path: str | Path,
    *,
    format: str | None = None,
    name: str | None = None,
    reward: str | None = None,
    limits: ReadLimits = LIMITS,
    largest: int | None = None,
) -> Model:
    """Read a model file. `name` is what an automaton or machine is called (else its path), `reward` which costs count
    in a `.drn` file with several, `largest` the most bytes to read.
    """
    place = Path(path)
    chosen = _format(place, format)
    if reward is not None and chosen != "drn":
        raise UsageError(f"{path}: only .drn files name their costs; leave out {reward!r}")
    if chosen == "mmd":
        raise FormatError(f"{path}: .mmd files are written only; read the model's .dot or .json")
    if chosen == "json":
        source = read_source(place, largest=game_json.LARGEST if largest is None else largest)
        if sts_json.is_symbolic(source.text):
            return sts_json.read(source, name=name, limits=limits)
        if graphwalker.is_graphwalker(source.text):
            return graphwalker.read(source, name=name)
        return game_json.parse_game(source.text, source.name)
    source = read_source(place, largest=LARGEST if largest is None else largest)
    if chosen == "tra":
        labels, states = _beside(place, ".lab", largest), _beside(place, ".sta", largest)
        return prism_tra.read(source, labels=labels, states=states, limits=limits)
    if chosen == "drn":
        return drn.read(source, reward=reward, limits=limits)
    read = FORMATS[chosen].read
    assert read is not None
    return read(source, name=name, limits=limits)


def write_model(path: str | Path, model: Model, *, format: str | None = None) -> None:
    """Write a model file, whole or not at all; for `.tra` also the `.lab` and, where states have values, `.sta`."""
    place = Path(path)
    chosen = _format(place, format)
    if not isinstance(model, FORMATS[chosen].holds):
        fitting = [f".{name}" for name, known in FORMATS.items() if isinstance(model, known.holds)]
        kind = type(model).__name__.lower()
        raise FormatError(f"{path}: .{chosen} does not hold a model of kind {kind}; write {', '.join(fitting)}")
    pieces = FORMATS[chosen].write(model)
    if chosen == "tra" and isinstance(model, Game):
        _write_beside(place, model)
    write_whole(place, pieces)


def _format(path: Path, format: str | None) -> str:
    if format is not None:
        if format.removeprefix(".") not in FORMATS:
            raise UsageError(f"no format {format!r}; {_known(format, FORMATS)}")
        return format.removeprefix(".")
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        what = f"the ending {ending!r} is unknown" if ending else "no ending says which format it has"
        raise FormatError(f"{path}: {what}; {_known(ending, ENDINGS)}")
    return ending.removeprefix(".")


def _known(word: str, known: Iterable[str]) -> str:
    choices = sorted(known)
    hint = did_you_mean(word, choices)
    return f"{hint} known: {', '.join(choices)}" if hint.startswith("did") else f"known: {', '.join(choices)}"


def _beside(path: Path, ending: str, largest: int | None) -> Source | None:
    other = path.with_suffix(ending)
    if other == path or not other.exists():
        return None
    return read_source(other, largest=LARGEST if largest is None else largest)


def _write_beside(path: Path, game: Game) -> None:
    states, place = prism_tra.write_states(game), path.with_suffix(".sta")
    if states is None and place.exists():
        raise FormatError(f"{place}: names states of another model than the one to write; move it away")
    write_whole(path.with_suffix(".lab"), prism_tra.write_labels(game))
    if states is not None:
        write_whole(place, states)
