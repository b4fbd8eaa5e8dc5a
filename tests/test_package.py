"""The package as its users import it."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import outplay

PACKAGE = Path(outplay.__file__).parent


@pytest.mark.parametrize("name", outplay.__all__)
def test_every_public_name_can_be_fetched(name: str):
    assert getattr(outplay, name) is getattr(importlib.import_module(outplay._HOME_OF[name]), name)


def test_type_checkers_see_the_same_names():
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    seen = {alias.asname: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == outplay._HOME_OF
    assert (PACKAGE / "py.typed").exists()


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Modle'"):
        _ = outplay.Modle


def test_importing_the_package_loads_no_numpy():
    code = "import sys, outplay; outplay.Model; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
