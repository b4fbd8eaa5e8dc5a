"""What a program imports from its folder is found without running it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from outplay.runs.preparing.configured_code import imported_from_folder

FILES = {
    "program.py": "import one\nfrom pack import inside, name\nimport json, pack.deep.er\n",
    "one.py": "def later():\n    import two\n",
    "two.py": "import one\nimport nowhere\n",
    "pack/__init__.py": "name = 1\n",
    "pack/inside.py": "from . import beside\nfrom .deep import down\nfrom .. import outside\n",
    "pack/beside.py": "",
    "pack/deep/__init__.py": "",
    "pack/deep/er.py": "from ..aunt import niece\n",
    "pack/deep/down.py": "this is no Python\n",
    "pack/aunt.py": "niece = 1\n",
    "unused.py": "import program\n",
    "json/__init__.py": "",
}


def test_what_is_imported_anywhere_is_found_and_nothing_else():
    for name, text in FILES.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    found = {str(path.relative_to(Path.cwd())) for path in imported_from_folder(Path("program.py"))}
    assert found == FILES.keys() - {"program.py", "unused.py"}


@pytest.mark.parametrize("seed", range(4))
def test_all_that_python_imports_is_found(seed):
    """Random modules in one folder, of which each imports some."""
    rng = Random(seed)
    names = [f"m{number}" for number in range(8)]
    for name in names:
        Path(f"{name}.py").write_text("".join(f"import {other}\n" for other in rng.sample(names, rng.randint(0, 2))))
    told = "import sys, m0\nprint(*(name for name in sys.modules if name[0] == 'm' and name[1:].isdigit()))"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert {path.stem for path in imported_from_folder(Path("m0.py"))} | {"m0"} == set(done.stdout.split())
