"""No process that a system started outlives its play, wherever it went; and no play keeps a descriptor."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from helpers.systems import program
from outplay import Label, Process
from outplay.play.adapters import descendants, program_run

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")

SYSTEM = """
import os, signal, sys, time

ways = sys.argv[1].split("+")

def away():
    if "deaf" in ways: signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "bare" in ways: os.execve("/bin/sh", ["sh", "-c", "sleep 600; :", sys.argv[2]], {"PATH": os.environ["PATH"]})
    time.sleep(600)

if os.fork() == 0:
    os.setsid()
    if "double" in ways and os.fork():
        os._exit(0)
    away()
print("ready", flush=True)
for line in sys.stdin:
    print("x", flush=True)
"""


def living(marker: str) -> list[int]:
    """The processes whose command line has the marker."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if marker.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def wait_for(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def gone(pid: int) -> bool:
    found = descendants._look_up(pid)
    return found is None or found.zombie


@pytest.fixture
def marker():
    made = f"marker-{uuid.uuid4()}"
    yield made
    for pid in living(made):
        os.kill(pid, 9)


@pytest.mark.parametrize("ways", ["session", "double", "double+deaf", "bare"])
def test_a_process_that_left_the_session_is_found_and_ended(marker, ways):
    system = Process(program(SYSTEM, ways, marker), ready="ready")
    for _ in range(3):
        system.reset()
        wait_for(lambda: len(living(marker)) == 2)
    system.close()
    assert living(marker) == []


def test_one_without_parents_and_environment_is_found_by_a_command_that_adopts_orphans(marker):
    code = (
        "from outplay.play.adapters.descendants import adopt_orphans\n"
        "from outplay import Process\n"
        "import time\n"
        "adopt_orphans()\n"
        f"system = Process({program(SYSTEM, 'double+bare+deaf', marker)!r}, ready='ready')\n"
        "for _ in range(3): system.reset(); time.sleep(0.2)\n"
        "system.close()\n"
        "import os\n"
        "try: print(os.waitpid(-1, os.WNOHANG))\n"
        "except ChildProcessError: print('no child is left')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "no child is left\n"
    assert [pid for pid in living(marker) if pid != os.getpid()] == []


def test_what_is_left_of_programs_when_a_command_ends_is_ended_then(marker):
    code = (
        "from outplay.play.adapters import descendants, program_run\n"
        "from outplay import Process\n"
        "import time\n"
        "descendants.adopt_orphans()\n"
        "program_run.Descendants.end = lambda self, patience: None\n"
        f"system = Process({program(SYSTEM, 'double+bare+deaf', marker)!r}, ready='ready')\n"
        "system.reset(); time.sleep(0.2); system.close()\n"
        "print(len(descendants.Adopted().look()))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "2\n"  # it has a child of its own
    assert living(marker) == []


def test_the_mark_is_read_of_one_that_is_for_ever_becoming_another_program(tmp_path):
    """While it does, its environment reads as empty."""
    (tmp_path / "again.sh").write_text('exec sh "$0"')
    environment = {**os.environ, descendants.MARK: "here"}
    with subprocess.Popen(["sh", "again.sh"], cwd=tmp_path, env=environment) as again:
        try:
            assert all(descendants._has_mark(again.pid, "here") for _ in range(500))
            assert not descendants._has_mark(again.pid, "her")
        finally:
            again.kill()


def test_one_that_is_started_while_the_table_is_read_is_ended_too(tmp_path, monkeypatch, marker):
    """The table has its parent only, and when it comes to looking that up, the parent has ended."""
    os.mkfifo(tmp_path / "go")
    (tmp_path / "daemon.sh").write_text(f"echo $$ > pid; read x < go; sh -c 'sleep 600; :' {marker} & exit")
    environment = {**os.environ, descendants.MARK: "here"}
    leader = subprocess.Popen(
        ["sh", "-c", "setsid sh daemon.sh & read x"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    )
    wait_for(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
    parent, listing, started = int((tmp_path / "pid").read_text()), os.listdir, list[bool]()

    def slow(path):
        names = listing(path)
        if path == descendants._PROCESSES and not started:
            started.append(True)
            (tmp_path / "go").write_text("go\n")
            wait_for(lambda: living(marker) and gone(parent))
        return names

    family = descendants.Descendants(leader.pid, "here", ())
    leader.kill()
    with monkeypatch.context() as patched:
        patched.setattr(os, "listdir", slow)
        family.end(1.0)
    leader.communicate()
    assert living(marker) == []


def test_a_process_that_is_split_off_ends_no_programs_of_ours():
    system = Process(["sh", "-c", "while read line; do echo $line; done"])
    system.reset()
    child = os.fork()
    if child == 0:
        try:
            program_run.end_all()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    system.give(Label("?", "x"))
    assert system.observe(10).kind == "output"
    system.close()


def test_other_children_of_this_process_are_left_alone(marker):
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True) as other:
        system = Process(program(SYSTEM, "double", marker), ready="ready")
        system.reset()
        system.close()
        assert other.poll() is None


def test_many_plays_keep_no_descriptor_though_others_hold_the_output_open(monkeypatch, marker):
    monkeypatch.setattr(program_run, "_EXIT_GRACE", 0.02)
    system = Process(["sh", "-c", f"setsid sh -c 'sleep 600; :' {marker} & echo x; read line"])
    system.reset()
    descriptors = len(os.listdir("/proc/self/fd"))
    for _ in range(100):
        assert system.observe(10).kind == "output"
        system.reset()
    assert len(os.listdir("/proc/self/fd")) == descriptors
    system.close()
    assert living(marker) == []


def test_descriptors_above_1024_are_as_good_as_others():
    """`select` knows 1,024 of them."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 1200:
        pytest.skip("this machine allows too few descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1200), hard))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1050)]
    try:
        source = "import sys, time\nfor line in sys.stdin:\n    time.sleep(0.1); print(len(line), flush=True)"
        system = Process(program(source))
        system.reset()
        system.give(Label("?", "long", ("x" * 1_000_000,)))
        assert system.observe(0.01).kind == "silence"
        assert system.observe(10).label.gate == str(1_000_006)
        system.close()
    finally:
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_what_is_in_the_pipe_when_the_time_has_run_out_is_not_late():
    """The thread that reads is kept from it; whoever looks reads for itself, and half of what was read counts too."""
    system = Process(program("import sys\nfor line in sys.stdin:\n    print('x', flush=True)"))
    system.reset()
    reader = system._link._reader
    late = 0
    for _ in range(20):
        with reader._reader._reading:  # the thread waits for the lock as it would for its turn
            system.give(Label.parse("?go"))
            time.sleep(0.05)
            reader._reader._readable.wait()
        late += system.observe(0.0001).kind != "output"
    system.close()
    assert late == 0
