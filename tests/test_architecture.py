"""The map stays true: who may import whom, how long a file may be, and that everything public says what it is."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from helpers.places import ROOT

pytestmark = pytest.mark.xdist_group("architecture")  # every file is parsed once
SOURCE = ROOT / "src" / "outplay"
FILES = sorted(SOURCE.rglob("*.py"))

PIPELINE = ["model", "game", "conformance", "strategy", "tester", "predicate_tours", "suite", "play", "verdict"]
PIPELINE += ["runs", "store"]
LEAVES = {
    "errors",
    "escaping",
    "redaction",
    "caching",
    "cancellation",
    "compiling",
    "registries",
    "grouping",
    "garbage_collection",
    "signals",
    "pages",
    "plurals",
    "scale",
    "breadth_first_search",
    "renderable",
}
FORWARD = {
    "renderable": {"pictures"},  # things show themselves; how is known only after all kinds of things are
    "pages": {"escaping"},
    "signals": {"cancellation"},
    "registries": {"errors"},
    "scale": {"scale", "cancellation", "registries", "errors"},
}
READS_FILES = {"runs", "store"}  # a job names files; the stages before it work on what was read
BESIDE = {
    "formats": {"model", "game", "tester", "suite", "play", "verdict"},
    "pictures": {"model", "game", "strategy", "tester", "predicate_tours", "suite", "play", "verdict", "formats"},
    "studio": {*PIPELINE, "formats", "pictures"},
    "scaffolding": {*PIPELINE, "formats"},
    "cli": {*PIPELINE, "formats", "pictures", "studio", "scaffolding"},
    "pytest_plugin": {*PIPELINE, "formats"},
    "__main__": {"cli"},
}
LONGEST = 300
MOST_IN_A_ROOM = 24
ROOMS = sorted({path.parent for path in FILES} - {SOURCE})


def allowed(stage: str) -> set[str]:
    """The parts of the package that a part may import."""
    if stage in LEAVES:
        return FORWARD.get(stage, set())
    if stage in BESIDE:
        return {stage, *BESIDE[stage], *LEAVES}
    assert stage in PIPELINE, f"{stage} is new: say in the map of this test what it may import"
    files = {"formats"} if stage in READS_FILES else set()
    return {*PIPELINE[: PIPELINE.index(stage) + 1], *LEAVES, *files}


def name_of(path: Path) -> str:
    return str(path.relative_to(SOURCE.parent))


def part_of(path: Path) -> str:
    """The part of the package a file belongs to; "" for the package itself."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return "" if parts == ("__init__",) else parts[0]


@dataclass
class Content:
    """What these tests look at in a file."""

    imports: list[tuple[int, str]] = field(default_factory=list)  # lines, and modules of this package
    outside: set[str] = field(default_factory=set)  # packages that are imported, this one among them
    classes: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)  # the public ones that are no methods
    undocumented: list[str] = field(default_factory=list)
    testers: set[str] = field(default_factory=set)  # classes that decide
    asked: list[tuple[int, set[str]]] = field(default_factory=list)  # lines, and what `isinstance` asks for there


@functools.cache
def content(path: Path) -> Content:
    tree, found = ast.parse(path.read_text()), Content()
    if not ast.get_docstring(tree):
        found.undocumented.append(f"{path}: say what the file is for")
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            is_overload = any(isinstance(mark, ast.Name) and mark.id == "overload" for mark in node.decorator_list)
            if not is_overload and not ast.get_docstring(node):
                found.undocumented.append(f"{path}:{node.lineno}: {node.name} has no docstring")
            if isinstance(node, ast.FunctionDef):
                found.functions.append(node.name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = imported(node, path)
            found.outside |= {module.split(".")[0] for module in modules}
            found.imports += [(node.lineno, module) for module in modules if module.split(".")[0] == "outplay"]
        elif isinstance(node, ast.ClassDef):
            found.classes.append(node.name)
            if {"decide", "choose"} & {inner.name for inner in node.body if isinstance(inner, ast.FunctionDef)}:
                found.testers.add(node.name)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            names = {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)}
            found.asked.append((node.lineno, names))
    return found


def imported(node: ast.Import | ast.ImportFrom, file: Path) -> list[str]:
    """The modules that are imported there; those that `outplay` itself offers are `outplay`."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    assert node.level == 0, f"{file}:{node.lineno}: write imports from the top: from outplay.…"
    if node.module != "outplay":
        return [node.module or ""]
    return [f"outplay.{alias.name}" if (SOURCE / alias.name).exists() else "outplay" for alias in node.names]


def test_a_part_imports_only_itself_earlier_stages_and_leaves():
    wrong = list[str]()
    for path in FILES:
        part = part_of(path)
        for line, module in content(path).imports:
            target = module.split(".")[1] if "." in module else ""
            is_version = target == "" and part in ("cli", "store")
            if not is_version and target not in allowed(part):
                wrong.append(f"{path}:{line}: {part or 'the package'} must not import {module}")
    assert wrong == []


def test_the_leaf_that_reaches_forward_does_so_only_when_it_is_asked():
    kinds = "outplay.game.graph, outplay.strategy.answer, outplay.play.trace"
    code = f"import sys, {kinds}; print('outplay.pictures' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_solvers_never_see_models():
    solvers = [path for path in FILES if part_of(path) == "strategy"]
    assert solvers
    for path in solvers:
        for line, module in content(path).imports:
            known = not module.startswith("outplay.model") or module == "outplay.model.label"
            assert known, f"{path}:{line}: a solver sees the game and labels, and no more of a model: {module}"


def test_what_a_tracker_follows_is_read_in_its_own_stage_only():
    """Others ask the tracker, so what it follows may change in one place."""
    parts = re.compile(
        r"(?<!self)\.(possible|on_the_way|configurations)\b|\bPossibility\b|\bUNSPECIFIED\b|\bOnTheWay\b"
    )
    for path in FILES:
        if part_of(path) != "model" and "Tracker" in path.read_text():
            found = parts.search(path.read_text())
            assert not found, f"{path}: ask the tracker a question in place of reading {found and found.group()}"


def test_the_package_itself_loads_nothing_until_it_is_asked():
    assert content(SOURCE / "__init__.py").imports == []


def test_nothing_but_the_installed_command_refers_to_the_command_line():
    for path in FILES:
        if part_of(path) not in ("cli", "__main__"):
            assert "outplay.cli" not in path.read_text(), path


def test_every_part_has_its_place_on_the_map():
    parts = {part_of(path) for path in FILES} - {""}
    assert parts <= {*PIPELINE, *BESIDE, *LEAVES}


def test_the_map_itself_is_as_it_was_drawn():
    assert allowed("model") == {"model", *LEAVES}
    earlier = {"model", "game", "conformance", "strategy", "tester", "predicate_tours", "suite"}
    assert allowed("play") == {*earlier, "play", *LEAVES}
    assert all(allowed(leaf) == set() for leaf in LEAVES - set(FORWARD))
    assert "runs" not in allowed("verdict")
    assert {"strategy", "runs"}.isdisjoint(allowed("formats"))
    assert [stage for stage in PIPELINE if "formats" in allowed(stage)] == ["runs", "store"]
    assert "cli" not in set().union(*(allowed(part) for part in (*PIPELINE, "formats", "pictures", "studio")))


def test_a_file_is_at_most_so_long():
    lengths = {name_of(path): len(path.read_text().splitlines()) for path in FILES}
    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}


def test_a_room_has_at_most_so_many_files():
    sizes = {name_of(room): len([path for path in room.glob("*.py") if path.stem != "__init__"]) for room in ROOMS}
    assert {name: size for name, size in sizes.items() if size > MOST_IN_A_ROOM} == {}


def test_every_room_is_on_the_map():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawn = set(re.findall(r"(\w+)/", page[page.index("```text") : page.index("```\n")]))
    assert {room.name for room in ROOMS} <= drawn


def test_every_public_function_and_class_says_what_it_is():
    assert [missing for path in FILES for missing in content(path).undocumented] == []


def test_no_two_classes_of_a_part_share_a_name():
    homes: dict[tuple[str, str], list[str]] = {}
    for path in FILES:
        for name in content(path).classes:
            homes.setdefault((part_of(path), name), []).append(name_of(path))
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


def test_no_two_public_functions_of_a_part_share_a_name():
    """Formats read and write, and commands are commands; a kernel may be called as the function that runs it."""
    homes: dict[tuple[str, str], set[str]] = {}
    for path in FILES:
        if path.stem == "__init__" or not path.stem.startswith("_"):
            for name in content(path).functions:
                homes.setdefault((part_of(path), name), set()).add(name_of(path))
    uniform = {"read", "write", "command"}
    assert {name: places for name, places in homes.items() if len(places) > 1 and name[1] not in uniform} == {}


def test_no_two_modules_of_a_part_share_a_name():
    """`__init__` is no name, and `_kernels` are always those of the folder."""
    homes: dict[tuple[str, str], list[str]] = {}
    for path in FILES:
        if path.stem not in ("__init__", "_kernels"):
            homes.setdefault((part_of(path), path.stem), []).append(name_of(path))
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


def test_no_two_rooms_of_a_part_share_a_name_and_a_module_shares_one_only_with_its_own_room():
    """A room may have one module of its own name, which is what the room is about."""
    names = [(part_of(room / "__init__.py"), room.name) for room in ROOMS]
    assert {name for name in names if names.count(name) > 1} == set()
    shared = [path for path in FILES if (part_of(path), path.stem) in names]
    assert [name_of(path) for path in shared if path.parent.name != path.stem] == []


def test_what_the_package_offers_by_name_exists_where_it_says():
    import outplay

    for name in outplay.__all__:
        assert getattr(getattr(outplay, name), "__name__", name) == name


def test_only_what_is_declared_is_imported_from_outside():
    declared = {"click", "rich", "numpy", "scipy", "numba"}
    # An extra is imported by a single file.
    extras = {"cluster": {"distributed"}, "z3_solver": {"z3"}, "http_client": {"httpx2"}, "pytest_plugin": {"pytest"}}
    extras |= {
        "application": {"starlette", "uvicorn"},
        "websocket": {"websockets"},
        "websocket_server": {"websockets"},
        "mqtt": {"paho"},
    }
    for path in FILES:
        known = declared | extras.get(path.stem, set()) | {"outplay"}
        for top in content(path).outside:
            assert top in known or top in sys.stdlib_module_names, f"{path}: {top}"


def test_nothing_is_read_that_could_be_code():
    """What is kept or sent is JSON, text or a database; a pickle, or compiled code, runs where it is read."""
    for path in FILES:
        assert not content(path).outside & {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}, path


def test_no_file_tells_where_it_was_written():
    for path in FILES:
        assert not re.search(r"/home/|/Users/|/root/|/tmp/", path.read_text()), path


def test_a_paper_is_named_and_not_spoken_of_as_if_there_were_one():
    spoken_of = re.compile(r"\bthe papers?\b", re.IGNORECASE)
    assert [name_of(path) for path in FILES if spoken_of.search(path.read_text())] == []


def test_nobody_asks_which_tester_it_has():
    """A tester says what it can by its protocol; `isinstance` of a particular one elsewhere is a question it lacks."""
    particular = {name for path in FILES if part_of(path) == "tester" for name in content(path).testers}
    assert {"Walker", "Portfolio", "SuspicionTester"} <= particular
    for path in FILES:
        for line, names in content(path).asked if part_of(path) != "tester" else ():
            assert not names & (particular - {"Tester", "TraceBased"}), f"{path}:{line}"
