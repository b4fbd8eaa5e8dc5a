"""A folder that a stranger sends: whatever its files name, nothing in it runs, and nobody is contacted."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import inspect
import json
import marshal
import socket
import sqlite3
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.commands import shell
from helpers.echo import MODEL
from outplay.runs.configuration import find_configuration
from outplay.runs.preparing.configured_code import trust_configured_code
from outplay.runs.preparing.remembered_code import remember_code
from outplay.store.stored_run import STORE
from outplay.store.transfer import import_runs

EVIL = "from pathlib import Path\nPath({pwned!r}).write_text('')\n"
TRACE = [
    {"format": "outplay-trace/1", "model": "echo.py:Echo", "job": {"model": "echo.py:Echo"}, "options": {}},
    {"n": 1, "kind": "input", "label": "?say a", "given": 0.0, "seen": 0.0, "play": 1},
]
KNOWN = "model:echo.py:Echo"


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Folder:
    """The stranger's folder, in which the command is called; the user ran echo.py by name in a folder of their own."""

    def __init__(self, place: Path) -> None:
        self.here, self.pwned, self.own = place, str(place.parent / f"{place.name}-pwned"), place / "own"
        self.own.mkdir()
        (self.own / "echo.py").write_text("import words\n" + MODEL)
        (self.own / "words.py").write_text("hello = 1\n")
        remember_code({str(path): digest(path) for path in self.own.iterdir()})

    @property
    def evil(self) -> str:
        return EVIL.format(pwned=self.pwned) + MODEL

    def write(self, path: str, text: str = "") -> None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text or self.evil)

    def trace(self, **job: object) -> str:
        header = {**TRACE[0], "model": job.get("model", ""), "job": job}
        self.write("trace.jsonl", "".join(json.dumps(line) + "\n" for line in (header, TRACE[1])))
        return "trace.jsonl"

    def job(self, **job: object) -> str:
        self.write("job.json", json.dumps({"format": "outplay-job/1", "job": job}))
        return "job.json"

    def suite(self, model: str, **job: object) -> str:
        self.write("suite.json", json.dumps({"format": "outplay-suite/1", "model": model, "job": job, "tests": []}))
        return "suite.json"

    def cached(self, source: str, name: str) -> None:
        """Compiled code in place of a source that looks unchanged."""
        found, path = Path(source).stat(), Path(importlib.util.cache_from_source(source))
        path.parent.mkdir(exist_ok=True)
        head = importlib.util.MAGIC_NUMBER + struct.pack("<III", 0, int(found.st_mtime), found.st_size)
        path.write_bytes(head + marshal.dumps(compile(self.evil, name, "exec")))


def replay(folder: Folder, model: str, *more: str) -> tuple[str, ...]:
    return ("replay", folder.trace(model=model), "--sut", KNOWN, *more)


def _program(folder: Folder) -> tuple[str, ...]:
    folder.write("evil.py")
    return replay(folder, "evil.py:Echo")


def _hash_in_the_trace(folder: Folder) -> tuple[str, ...]:
    folder.write("evil.py")
    code = digest(Path("evil.py"))[:32]
    return ("replay", folder.trace(model="evil.py:Echo", model_code=code), "--sut", "model:lamp.aut")


def _module(folder: Folder) -> tuple[str, ...]:
    folder.write("evil.py")
    return replay(folder, "evil:Echo")


def _package(folder: Folder) -> tuple[str, ...]:
    folder.write("pack/__init__.py")
    folder.write("pack/echo.py", MODEL)
    return replay(folder, "pack.echo:Echo")


def _standard_library(folder: Folder) -> tuple[str, ...]:
    return replay(folder, "this:Echo")


def _link_to_code(folder: Folder) -> tuple[str, ...]:
    folder.write("hidden/evil.txt")
    Path("link.py").symlink_to("hidden/evil.txt")
    return replay(folder, "link.py:Echo")


def _same_name_as_remembered(folder: Folder) -> tuple[str, ...]:
    folder.write("echo.py")
    return replay(folder, "echo.py:Echo")


def _same_content_as_remembered(folder: Folder) -> tuple[str, ...]:
    """The program is known, what it imports here is not."""
    folder.write("echo.py", "import words\n" + MODEL)
    folder.write("words.py")
    return replay(folder, "echo.py:Echo")


def _neighbour_changed(folder: Folder) -> tuple[str, ...]:
    (folder.own / "words.py").write_text(folder.evil)
    return replay(folder, f"{folder.own}/echo.py:Echo")


def _neighbour_shadowed(folder: Folder) -> tuple[str, ...]:
    """A package goes before a module of the same name."""
    folder.write("own/words/__init__.py")
    return replay(folder, f"{folder.own}/echo.py:Echo")


def _standard_library_shadowed(folder: Folder) -> tuple[str, ...]:
    for name in ("numpy", "json", "dataclasses", "z3", "click"):
        folder.write(f"own/{name}.py")
        folder.write(f"{name}.py")
    return ("replay", folder.trace(model=f"{folder.own}/echo.py:Echo"), "--sut", f"model:{folder.own}/lamp.aut")


def _compiled_program(folder: Folder) -> tuple[str, ...]:
    folder.cached("own/echo.py", "echo")
    return replay(folder, f"{folder.own}/echo.py:Echo")


def _compiled_neighbour(folder: Folder) -> tuple[str, ...]:
    folder.cached("own/words.py", "words")
    return replay(folder, f"{folder.own}/echo.py:Echo")


def _job_program(folder: Folder) -> tuple[str, ...]:
    folder.write("evil.py")
    return ("run", "--job", folder.job(model="evil.py:Echo", sut="model:evil.py:Echo"))


def _job_simulates_its_own_model(folder: Folder) -> tuple[str, ...]:
    """The user names a model of their own, and the job has the other one simulated."""
    folder.write("evil.py")
    return ("run", f"{folder.own}/echo.py:Echo", "--job", folder.job(model="evil.py:Echo", sut="model:evil.py:Echo"))


def _job_command(folder: Folder) -> tuple[str, ...]:
    job = folder.job(model="lamp.aut", sut=f"exec:touch {folder.pwned}")
    return ("run", "--job", job)


def _job_object(folder: Folder) -> tuple[str, ...]:
    folder.write("evil.py")
    return ("run", "--job", folder.job(model="lamp.aut", sut="python:evil.py:Echo", isolated=True))


def _job_server(folder: Folder) -> tuple[str, ...]:
    return ("run", "--job", folder.job(model="lamp.aut", sut="tcp:127.0.0.1:PORT"))


def _job_called_server(folder: Folder) -> tuple[str, ...]:
    folder.write("routes.toml", '[inputs.press]\npath = "/x"\n')
    sut, told = "http://127.0.0.1:PORT", ["table=routes.toml"]
    return ("run", "--job", folder.job(model="lamp.aut", sut=sut, options=told))


def _job_server_to_start(folder: Folder) -> tuple[str, ...]:
    told = [f"server=touch {folder.pwned}"]
    return ("run", "--job", folder.job(model="lamp.aut", options=told), "--sut", "tcp:127.0.0.1:{port}")


def _trace_server_to_start(folder: Folder) -> tuple[str, ...]:
    trace = folder.trace(model="lamp.aut", options=[f"server=touch {folder.pwned}"])
    return ("replay", trace, "--sut", "tcp:127.0.0.1:{port}")


def _job_says_it_is_trusted(folder: Folder) -> tuple[str, ...]:
    folder.write("evil.py")
    return (
        "run",
        "--job",
        folder.job(model="evil.py:Echo", trust=True, remembered_only=False),
        "--sut",
        "model:lamp.aut",
    )


def _job_suite(folder: Folder) -> tuple[str, ...]:
    folder.write("evil.py")
    job = folder.job(suite=folder.suite("evil.py:Echo"), model="evil.py:Echo", sut="model:lamp.aut")
    return ("run", "--job", job)


def _suite_program(folder: Folder) -> tuple[str, ...]:
    folder.write("evil.py")
    return ("run", "--suite", folder.suite("evil.py:Echo"), "--sut", "model:lamp.aut")


def _suite_system(folder: Folder) -> tuple[str, ...]:
    return ("run", "--suite", folder.suite("lamp.aut", sut=f"exec:touch {folder.pwned}"))


def _trace_command(folder: Folder) -> tuple[str, ...]:
    return ("replay", folder.trace(model="lamp.aut", sut=f"exec:touch {folder.pwned}"))


def _trace_object(folder: Folder) -> tuple[str, ...]:
    folder.write("evil.py")
    return ("replay", folder.trace(model="lamp.aut", sut="python:evil.py:Echo", isolated=True))


def _trace_server(folder: Folder) -> tuple[str, ...]:
    return ("replay", folder.trace(model="lamp.aut", sut="tcp:127.0.0.1:PORT"))


def _judged_trace(folder: Folder) -> tuple[str, ...]:
    """Whoever judges names the model; what the trace names is of no interest."""
    folder.write("evil.py")
    trace = folder.trace(model="evil.py:Echo", sut=f"exec:touch {folder.pwned}")
    return ("judge", "lamp.aut", trace)


def _last_run(folder: Folder) -> tuple[str, ...]:
    """A run that looks as if it had been made here."""
    folder.write(".outplay/runs/now/evil.py")
    named = ".outplay/runs/now/evil.py:Echo"
    folder.write(".outplay/runs/now/job.json", Path(folder.job(model=named, sut=f"model:{named}")).read_text())
    Path(".outplay/last").symlink_to("runs/now")
    return ("run", "--job", ".outplay/last/job.json")


def _link_to_a_remembered_program(folder: Folder) -> tuple[str, ...]:
    """The link has a name that the user ran, and what lies beside it would be imported."""
    Path("echo.py").symlink_to("own/echo.py")
    folder.write("words.py")
    return replay(folder, "echo.py:Echo")


def _link_on_the_way(folder: Folder) -> tuple[str, ...]:
    """The folder that the user ran a program from leads elsewhere now."""
    folder.own.rename(folder.here / "moved")
    folder.write("hidden/echo.py")
    folder.write("hidden/words.py")
    folder.own.symlink_to("hidden")
    return replay(folder, f"{folder.own}/echo.py:Echo")


def _store(folder: Folder) -> tuple[str, ...]:
    """A database whose own code runs when it is looked at, and a run in it that names code."""
    _stored_run(folder)
    with contextlib.closing(sqlite3.connect(".outplay/store.db")) as store:
        store.execute("ALTER TABLE run RENAME TO was")
        store.execute("CREATE VIEW run AS SELECT *, load_extension('./evil.so') FROM was")
        store.commit()
    return ("runs", "list")


def _stored_run(folder: Folder) -> tuple[str, ...]:
    folder.write("evil.py")
    exported = _exported(model="evil.py:Echo", sut=f"exec:touch {folder.pwned}")
    folder.write("runs.jsonl", exported)
    import_runs(Path("runs.jsonl"), STORE)
    return ("runs", "show")


def _imported_runs(folder: Folder) -> tuple[str, ...]:
    folder.write("evil.py")
    folder.write("runs.jsonl", _exported(model="evil.py:Echo", sut=f"exec:touch {folder.pwned}"))
    return ("runs", "import", "runs.jsonl")


def _exported(model: str, sut: str) -> str:
    run = {"id": "now", "started": "", "model": model, "model_hash": "", "sut": sut, "ended": "", "verdict": "fail"}
    run |= {"why": "x", "plays": 1, "steps": 1, "environment": {}, "result": {"verdict": "fail"}}
    run |= {"header": {**TRACE[0], "job": {"model": model, "sut": sut}}, "seen": []}
    played = [[1, 0, "", "fail", "x", 1, None, 0.0]]
    failures = [[1, 0, {"verdict": "fail", "why": "x", "allowed": []}, [TRACE[1]]]]
    lines = ({"format": "outplay-runs/1"}, {**run, "played": played, "failures": failures})
    return "".join(json.dumps(line) + "\n" for line in lines)


def _actions_of_a_graph(folder: Folder) -> tuple[str, ...]:
    """Guards and actions that are written in a language of their own."""
    said = f"__import__('pathlib').Path({folder.pwned!r}).touch()"
    edge = {"id": "e", "name": "e", "sourceVertexId": "v", "targetVertexId": "v", "guard": said, "actions": [said]}
    vertices = [{"id": "v", "name": "v"}]
    told = {"id": "m", "name": "m", "generator": "random(edge_coverage(100))", "startElementId": "v"}
    graph = {"models": [{**told, "actions": [said], "vertices": vertices, "edges": [edge]}]}
    folder.write("graph.json", json.dumps(graph))
    return ("run", "graph.json", "--sut", "model:graph.json", "--plays", "1")


def _guards_of_a_system(folder: Folder) -> tuple[str, ...]:
    said = f"__import__('pathlib').Path({folder.pwned!r}).touch()"
    folder.write("data.sts", f"system s\ninput a\ninitial v\nswitch r: v -> v on a when {said}\n")
    return ("run", "data.sts", "--sut", "model:data.sts", "--plays", "1")


def _purpose(folder: Folder) -> tuple[str, ...]:
    folder.write("evil.py")
    return ("run", "--job", folder.job(model="lamp.aut", purpose="evil.py:Echo"), "--sut", "model:lamp.aut")


def _constants(folder: Folder) -> tuple[str, ...]:
    told = f"__import__('pathlib').Path({folder.pwned!r}).touch()"
    trace = folder.trace(model=f"{folder.own}/echo.py:Echo", set=[f"values={told}"])
    return ("replay", trace, "--sut", "model:lamp.aut")


def _configuration(folder: Folder) -> tuple[str, ...]:
    """Names that other tools read on their own."""
    for name in ("conftest.py", "sitecustomize.py", "usercustomize.py", "outplay.py", "setup.py", "evil.pth"):
        folder.write(name)
    folder.write("pyproject.toml", '[tool.outplay]\nmodel = "conftest.py:Echo"\n')
    return ("run", "lamp.aut", "--sut", "model:lamp.aut", "--plays", "1")


def _configured_model(folder: Folder) -> tuple[str, ...]:
    folder.write("evil.py")
    folder.write("pyproject.toml", '[tool.outplay]\nmodel = "evil.py:Echo"\n')
    return ("inspect",)


def _configured_profile(folder: Folder) -> tuple[str, ...]:
    folder.write("evil.py")
    folder.write(
        "pyproject.toml",
        '[tool.outplay]\nmodel = "lamp.aut"\nprofile = "now"\n[tool.outplay.profiles.now]\nmodel = "evil.py:Echo"\n',
    )
    return ("forecast",)


def _configured_purpose(folder: Folder) -> tuple[str, ...]:
    folder.write("evil.py")
    folder.write("pyproject.toml", '[tool.outplay]\nmodel = "lamp.aut"\npurpose = "evil.py:Echo"\n')
    return ("run", "--sut", "model:lamp.aut")


def _configured_command(folder: Folder) -> tuple[str, ...]:
    folder.write("pyproject.toml", f'[tool.outplay]\nmodel = "lamp.aut"\nsystem = "exec:touch {folder.pwned}"\n')
    return ("run",)


def _configured_object(folder: Folder) -> tuple[str, ...]:
    folder.write("evil.py")
    folder.write("pyproject.toml", '[tool.outplay]\nmodel = "lamp.aut"\nsystem = "python:evil.py:Echo"\n')
    return ("run", "lamp.aut")


def _configured_address(folder: Folder) -> tuple[str, ...]:
    folder.write("pyproject.toml", '[tool.outplay]\nmodel = "lamp.aut"\nsystem = "tcp:127.0.0.1:PORT"\n')
    return ("run",)


def _configured_server(folder: Folder) -> tuple[str, ...]:
    folder.write("pyproject.toml", f'[tool.outplay]\nserver = "touch {folder.pwned}"\n')
    return ("run", "lamp.aut", "--sut", "tcp:127.0.0.1:{port}")


def _configured_program_to_start(folder: Folder) -> tuple[str, ...]:
    folder.write("pyproject.toml", f'[tool.outplay]\nstart = "touch {folder.pwned}"\n')
    return ("run", "lamp.aut", "--sut", "listen:127.0.0.1:0", "--plays", "1")


def _program_to_start_changed(folder: Folder) -> tuple[str, ...]:
    """The program for each play was another when the user trusted the system."""
    told = '[tool.outplay]\nmodel = "lamp.aut"\nsystem = "listen:127.0.0.1:0"\nstart = "{}"\n'
    folder.write("pyproject.toml", told.format("true"))
    trust_configured_code(find_configuration(Path.cwd()))
    folder.write("pyproject.toml", told.format(f"touch {folder.pwned}"))
    return ("run", "--plays", "1")


def _configured_log(folder: Folder) -> tuple[str, ...]:
    """A log of the user's own server, written where a shell would read it."""
    folder.write("pyproject.toml", f'[tool.outplay]\nserver_log = "{folder.pwned}"\n')
    return ("run", "lamp.aut", "--sut", "tcp:127.0.0.1:{port}", "--server", "false {port}")


def _job_log(folder: Folder) -> tuple[str, ...]:
    job = folder.job(model="lamp.aut", options=[f"server_log={folder.pwned}"])
    return ("run", "--job", job, "--sut", "tcp:127.0.0.1:{port}", "--server", "false {port}")


def _trace_program_to_start(folder: Folder) -> tuple[str, ...]:
    trace = folder.trace(model="lamp.aut", options=[f"start=touch {folder.pwned}"])
    return ("replay", trace, "--sut", "listen:127.0.0.1:0")


def _configured_by_a_link(folder: Folder) -> tuple[str, ...]:
    """The configuration that the user trusted, in a folder where the same names lie."""
    folder.write("own/pyproject.toml", '[tool.outplay]\nmodel = "echo.py:Echo"\nsystem = "model:echo.py:Echo"\n')
    with contextlib.chdir(folder.own):
        trust_configured_code(find_configuration(Path.cwd()))
    folder.write("echo.py")
    folder.write("words.py")
    Path("pyproject.toml").symlink_to("own/pyproject.toml")
    return ("run",)


def _changed_below_a_trusted_system(folder: Folder) -> tuple[str, ...]:
    """What a system imports was another when the user trusted it."""
    folder.write("echo.py", "import words\n" + MODEL)
    folder.write("words.py", "hello = 1\n")
    folder.write("pyproject.toml", '[tool.outplay]\nmodel = "lamp.aut"\nsystem = "model:echo.py:Echo"\n')
    trust_configured_code(find_configuration(Path.cwd()))
    folder.write("words.py")
    return ("run", "--plays", "1")


def _memory_in_the_folder(folder: Folder) -> tuple[str, ...]:
    """A memory of the stranger's own, where the project keeps its runs."""
    folder.write("evil.py")
    files = {str(folder.here / "evil.py"): digest(Path("evil.py"))}
    for place in (".outplay", "outplay", ".local/share/outplay"):
        folder.write(f"{place}/code.json", json.dumps({"format": "outplay-code/1", "files": files}))
    return replay(folder, "evil.py:Echo")


def _isolated_beside_other_code(folder: Folder) -> tuple[str, ...]:
    """The user's own object in a process of its own, called from the stranger's folder."""
    for name in ("json", "base64", "outplay"):
        folder.write(f"{name}.py")
    (folder.own / "lamp.py").write_text("class Lamp:\n    def press(self): return 1\n")
    return ("run", "lamp.aut", "--sut", f"python:{folder.own}/lamp.py:Lamp", "--isolated", "--plays", "1")


WITH_THE_USERS_OWN_CODE = {
    _configuration,
    _isolated_beside_other_code,
    _compiled_program,
    _compiled_neighbour,
    _standard_library_shadowed,
    _judged_trace,
    _link_to_a_remembered_program,
    _stored_run,
    _imported_runs,
}
IN_ANOTHER_PROCESS = {
    _changed_below_a_trusted_system,
    _configuration,
    _isolated_beside_other_code,
    _standard_library_shadowed,
}
WAYS: list[Callable[[Folder], tuple[str, ...]]] = [
    way
    for name, way in list(globals().items())
    if inspect.isfunction(way) and name[0] == "_" != name[1] and name != "_exported"
]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path)
    for place in ("lamp.aut", "own/lamp.aut"):
        made.write(place, 'des (0, 2, 2)\n(0, "?press", 1)\n(1, "!light", 0)\n')
    return made


@pytest.mark.promise("C1")
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__.strip("_"))
def test_nothing_runs_that_only_a_file_names(outplay, folder, way):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        port = str(server.getsockname()[1])
        words = way(folder)
        for path in [*Path().glob("*.json*"), *Path().glob("*.toml")]:
            path.write_text(path.read_text().replace("PORT", port))
        said = shell(*words) if way in IN_ANOTHER_PROCESS else outplay(*words)
        assert not Path(folder.pwned).exists(), said
        with pytest.raises(BlockingIOError):
            server.accept()
    if way not in WITH_THE_USERS_OWN_CODE:
        assert said.code in (2, 4), said
        assert "Traceback" not in said.err


def test_there_are_twenty_ways():
    assert len(WAYS) >= 20


def test_the_trap_springs_where_it_is_named(outplay, folder):
    folder.write("evil.py")
    outplay("inspect", "evil.py:Echo")
    assert Path(folder.pwned).exists()


def test_what_was_run_by_name_is_replayed_from_elsewhere(outplay, folder):
    said = outplay(
        "replay", folder.trace(model=f"{folder.own}/echo.py:Echo"), "--sut", f"model:{folder.own}/echo.py:Echo"
    )
    assert (said.code, "names the model" in said.err) == (6, False), said
