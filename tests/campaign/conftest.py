"""The systems and specifications that plays are tested with, for runs of plays."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

_found = spec_from_file_location("helpers_of_play", Path(__file__).parents[1] / "play" / "conftest.py")
assert _found
assert _found.loader
_helpers = module_from_spec(_found)
_found.loader.exec_module(_helpers)
automaton, program, scripted = _helpers.automaton, _helpers.program, _helpers.scripted
