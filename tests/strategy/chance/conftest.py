"""The oracle for games against chance, as a fixture."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

_found = spec_from_file_location("oracle_of_chance", Path(__file__).with_name("oracle.py"))
assert _found
assert _found.loader
_oracle = sys.modules.setdefault("oracle_of_chance", module_from_spec(_found))
_found.loader.exec_module(_oracle)


@pytest.fixture(scope="session")
def oracle() -> ModuleType:
    return _oracle
