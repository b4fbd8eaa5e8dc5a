"""The format of a file, and reading and writing models by it: the ending decides unless a format is named."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from outplay.errors import FormatError, UsageError, did_you_mean
from outplay.formats.common.source import LARGEST, LARGEST_GAME, LIMITS, ReadLimits, Source, read_source
from outplay.formats.common.writing import write_whole
from outplay.garbage_collection import uncollected

if TYPE_CHECKING:  # a command loads the kinds of models and the formats that it meets, not all there are
    from outplay.game.graph import Game
    from outplay.model.automaton import Automaton
    from outplay.model.machine import ExtendedMachine, Machine
    from outplay.model.symbolic.symbolic_system import SymbolicSystem
    from outplay.model.walk_models import WalkModels

    Model: TypeAlias = Automaton | Machine | ExtendedMachine | Game | SymbolicSystem | WalkModels


@dataclass(frozen=True)
class Format:
    """A format: the room and file that read and write it, loaded when used, and the kinds of models it holds."""

    file: str
    holds: tuple[str, ...]

    @property
    def module(self) -> Any:
        """The file, with `read` and `write`."""
        return importlib.import_module(f"outplay.formats.{self.file}")

    def can_hold(self, kind: type) -> bool:
        """Say whether models of this kind can be written in it."""
        return any(base.__name__ in self.holds for base in kind.__mro__)


FORMATS: dict[str, Format] = {
    "aut": Format("automata.aut", ("Automaton",)),
    "csv": Format("automata.vlts_csv", ("Automaton",)),
    "dot": Format("diagrams.dot", ("Automaton", "Machine", "Game")),
    "drn": Format("games.drn", ("Game",)),
    "efsm": Format("symbolic.efsm", ("ExtendedMachine",)),
    "fsm": Format("automata.fsm", ("Machine",)),
    "gv": Format("diagrams.dot", ("Automaton", "Machine", "Game")),
    "json": Format("games.game_json", ("Game",)),
    "mmd": Format("diagrams.mermaid", ("Automaton", "Machine", "Game")),
    "npz": Format("games.npz", ("Game",)),
    "sts": Format("symbolic.sts", ("SymbolicSystem",)),
    "tra": Format("games.prism", ("Game",)),
    "xml": Format("symbolic.register_xml", ()),
}
WRITTEN_ONLY = ("mmd", "npz")
ENDINGS = tuple(f".{name}" for name in FORMATS)


@uncollected()
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
    if chosen in WRITTEN_ONLY:
        raise FormatError(f"{path}: .{chosen} files are written only; read the model's .dot or .json")
    usual = LARGEST_GAME if chosen == "json" else LARGEST
    source = read_source(place, largest=usual if largest is None else largest)
    if chosen == "json":
        return _json(source, name, limits)
    read: Callable[..., Model] = FORMATS[chosen].module.read
    if chosen == "tra":
        return read(
            source, labels=_beside(place, ".lab", largest), states=_beside(place, ".sta", largest), limits=limits
        )
    if chosen == "drn":
        return read(source, reward=reward, limits=limits)
    return read(source, name=name, limits=limits)


def _json(source: Source, name: str | None, limits: ReadLimits) -> Model:
    """Three kinds of models are written as JSON, and known by their own words."""
    from outplay.formats.games import game_json
    from outplay.formats.symbolic import graphwalker, sts_json

    if sts_json.is_symbolic_json(source.text):
        return sts_json.read(source, name=name, limits=limits)
    if graphwalker.is_graphwalker(source.text):
        return graphwalker.read(source, name=name)
    return game_json.parse_game(source.text, source.name)


def write_model(path: str | Path, model: Model, *, format: str | None = None) -> None:
    """Write a model file, whole or not at all; for `.tra` also the `.lab` and, where states have values, `.sta`."""
    place = Path(path)
    chosen = _format(place, format)
    if not FORMATS[chosen].can_hold(type(model)):
        fitting = [f".{name}" for name, known in FORMATS.items() if known.can_hold(type(model))]
        kind = type(model).__name__.lower()
        raise FormatError(f"{path}: .{chosen} does not hold a model of kind {kind}; write {', '.join(fitting)}")
    pieces = FORMATS[chosen].module.write(model)
    if chosen == "tra":
        beside = importlib.import_module("outplay.formats.games.prism")
        _write_beside(place, beside.write_states(model), beside.write_labels(model))
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


def _write_beside(path: Path, states: Iterable[str] | None, labels: Iterable[str]) -> None:
    place = path.with_suffix(".sta")
    if states is None and place.exists():
        raise FormatError(f"{place}: names states of another model than the one to write; move it away")
    write_whole(path.with_suffix(".lab"), labels)
    if states is not None:
        write_whole(place, states)
