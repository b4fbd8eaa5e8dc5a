"""No bytes bring a reader down: mutated files either load or are refused in one line, soon and without much memory.

What loads must also be written again: equal when read, or refused in one line where the format cannot hold it.
"""

from __future__ import annotations

import resource
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from outplay.errors import FormatError
from outplay.formats.registry import read_model, write_model

SOONEST = 20.0  # seconds for one file of a few hundred bytes: only a hang takes so long
MOST_MEMORY = 1 << 30  # bytes more than before; a million states, which a short header may ask for, take a third of it

SAMPLES = {
    "aut": [
        'des (0,4,3)\n(0,"?a",1)\n(1,"!x 3",2)\n(1,"i",0)\n(2,"delta",2)\n',
        "des (Idle,2,2)\n(Idle, 0_i, Busy),\n(Busy, 1_o, Idle)",
    ],
    "csv": ['0,1,"G !TRUE"\n0,2,"i"\n2,1,"say ""hi"""\n1,0,x\n'],
    "dot": [
        'digraph g {\n__start0 [label="" shape="none"];\ns0 [label="s0"];\ns0 -> s1 [label="a / x"];\n'
        's1 -> s0[label="b/y"]\n__start0 -> s0;\n}\n',
        'digraph { a [label=N]; b [label="A"]; a -> b [label=d]; b -> a [label="l"]; __start0 -> b }',
        'digraph "p" { s1 -> s1 [label=QUIESCENCE]; s1 -> s2 [label="?a \\"b\\\\"]; s2:n -> s1:s:w [label="!x"]// c\n}',
        'digraph { node [owner=tester]; a; b [owner=system goal="done"]; a -> b [label="?go" cost=0.5 moves=0];\n'
        'b -> {a c} [probability="1/2"]; c [gain="2/3", goal="[\\"x\\",\\"\\"]"]; goals="[\\"none\\"]" }',
        'strict digraph { subgraph s { edge [label="?x"]; {a b} -> {c; d} -> e } "q r" + "s";'
        "/* z */ 1.5 -> -2 [label=i] }",
        'digraph { outplay=machine; a -> a [label="x", input="p/q", output=" z"]; }',
    ],
    "fsm": [
        "2 0\n2 2 3\n2\n0 0 1\n1 2 -1\n0 1 0\n1 0 -1\n2 state labels\n0 idle\n1 busy\n3 output labels\n0 x\n1 y\n2 z\n",
        "3 0\n2 1 2\n2\n0 0\n1 1\n0 1\n1 0\n",
        "1 1\n2 1 4\n3\n0 0\n2 1\n0 2\n2 3\n0 2\n2 0\n",
    ],
    "drn": [
        "// c\n@type: MDP\n@value_type: double\n@parameters\n\n@reward_models\nr t\n@nr_states\n2\n@nr_choices\n3\n"
        "@model\n"
        "state 0 [5, 2] init\n//[s=0]\n\taction go [0, 0.5]\n\t\t0 : 1/3\n\t\t1 : 2/3\n\taction __NOLABEL__ [1, 0]\n"
        '\t\t1 : 1\nstate 1 [0, 0] "two words" safe\n\taction 0 [0, 0]\n\t\t1 : 1\n',
        "@placeholders\n$p : 0.5\n@type: DTMC\n@nr_states\n2\n@model\nstate 0 init\n0 : $p\n1 : 0.5\n"
        "state 1 done\n1 : 1\n",
    ],
    "tra": ["2 2 3\n0 0 0 1/3 go\n0 0 1 2/3 go\n1 0 1 1 stay\n", "2 3\n0 0 .5\n0 1 5e-1\n1 1 1.0\n"],
    "lab": ['0="init" 1="done"\n0: 0\n1: 1\n'],
    "sta": ["(x,on)\n0:(0,false)\n1:(-1,true)\n"],
    "json": [
        '{"format": "outplay-game/1", "initial": "a", "goals": {"done": ["b"]},\n "vertices": [{"id": "a", "owner": '
        '"tester", "gain": 2}, {"id": "b", "owner": "sut"}],\n "edges": [{"id": "e", "source": "a", "target": "b", '
        '"label": "?x", "cost": "1/2", "moves": 0},\n {"source": "b", "target": "a", "probability": 1.0}]}'
    ],
}
LETTERS = [bytes([byte]) for byte in b"\0\xff\xc3\r\n\t \"'\\/<{}[](),;:=-#$%@!?+_0"]
PIECES = [
    *LETTERS, b"\xef\xbb\xbf", b"//", b"/*", b"--", b"->", b"-1", b"1e9", b"1e999999999", b"999999", b"9" * 26,
    b"9" * 5000, b"1/0", b"0/1", b"nan", b"inf", b"0x1", b"1_0", b"0.0000000001", b"init", b"delta", b"tau", b"node",
    b"subgraph", b"__start0", b"label=", b"owner=system", b"outplay=moore", b"\xe2\x80\xa8", b"\xc2\x85", b"\x1c",
    b"\xed\xa0\x80", "é".encode(), b"\\ud800", b"{" * 300, b"[" * 3000, b"(" * 300, b'{"a":' * 1000,
    b"a -> " * 500, b'"' * 99,
]  # fmt: skip


def mutated(rng, data, others):
    """Change a file a few times, as accidents and attackers do."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 1, 1, 2, 3, 8])):
        place, end = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
        kind = rng.choices(range(8), [8, 4, 1, 3, 2, 1, 2, 4])[0]
        if kind == 0:
            words = [at for at, byte in enumerate(data) if chr(byte).isalnum()] or [0]
            at = rng.choice(words)
            data[at : at + 1] = rng.choice([b"0", b"1", b"2", b"7", b"a", b"x", b"s"])
        elif kind == 1 and data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        elif kind == 2:
            del data[place:]
        elif kind == 3:
            del data[place : min(end, place + rng.choice([1, 1, 2, 30]))]
        elif kind == 4:
            data[place:place] = data[place : min(end, place + 40)] * rng.choice([1, 2, 20])
        elif kind == 5:
            other = rng.choice(others)
            start = rng.randrange(len(other) + 1)
            data[place : rng.choice([place, end])] = other[start : start + rng.choice([3, 40, 400])]
        elif kind == 6:
            lines = data.split(b"\n")
            rng.shuffle(lines)
            data = bytearray(b"\n".join(lines))
        else:
            data[place:place] = rng.choice(PIECES)
        data = data[:60_000]
    return bytes(data)


def check(path, read):
    """Read one file as it lies there; return what became of it."""
    try:
        model = read(path, name="m")
    except FormatError as refused:
        # Line breaks inside a name would make two lines of one.
        assert "\n" not in str(refused)  # noqa: PT017
        assert str(refused).startswith(f"{path.parent / path.stem}.")  # noqa: PT017
        return "refused"
    if len(model.names) > 10_000:
        return "loaded"
    again = path.with_name(f"again{path.suffix}")
    for old in path.parent.glob("again.*"):
        old.unlink()
    try:
        write_model(again, model)
    except FormatError as refused:
        assert "\n" not in str(refused)  # noqa: PT017
        return "loaded, not written"
    assert read_model(again, name="m") == model
    return "loaded and written"


def fuzz(folder, first, count, read=read_model):
    """Try mutated files; return how many came to what."""
    rng = Random(first)
    others = [text.encode() for texts in SAMPLES.values() for text in texts]
    outcomes = Counter()
    before = memory()
    for number in range(first, first + count):
        ending = rng.choice(list(SAMPLES))
        data = mutated(rng, rng.choice(SAMPLES[ending]).encode(), others)
        path = folder / f"m.{ending}"
        path.write_bytes(data)
        if ending in ("tra", "lab", "sta"):
            path = folder / "m.tra"
            for other in {"tra", "lab", "sta"} - {ending}:
                (folder / f"m.{other}").write_text(SAMPLES[other][0])
        start = time.perf_counter()
        try:
            outcome = check(path, read)
        except Exception as error:
            raise AssertionError(f"case {number}, {path.suffix}: {type(error).__name__} for {data[:2000]!r}") from error
        assert time.perf_counter() - start < SOONEST, f"case {number}, {path.suffix}: hangs at {data[:2000]!r}"
        outcomes[ending, outcome] += 1
    assert memory() - before < MOST_MEMORY
    return outcomes


def memory():
    """The most memory that this process ever had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@pytest.mark.parametrize("ending", SAMPLES)
def test_the_samples_themselves_load(ending, tmp_path):
    if ending in ("lab", "sta"):
        pytest.skip("read with .tra")
    for text in SAMPLES[ending]:
        (tmp_path / f"m.{ending}").write_text(text)
        assert check(tmp_path / f"m.{ending}", read_model) in ("loaded and written", "loaded, not written")


@pytest.mark.parametrize("first", range(0, 2_000, 500))
def test_mutated_files_load_or_are_refused(first, tmp_path):
    outcomes = fuzz(tmp_path, first, 500)
    for ending in SAMPLES:
        assert outcomes[ending, "refused"] > 5, "mutants that never break anything test nothing"
    assert sum(count for (_, what), count in outcomes.items() if what != "refused") > 20


@pytest.mark.long
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("first", range(10_000, 110_000, 10_000))
def test_many_mutated_files_load_or_are_refused(first, tmp_path):
    assert sum(fuzz(tmp_path, first, 10_000).values()) == 10_000


def test_a_reader_that_stumbles_over_one_byte_is_found(tmp_path):
    def read(path, **options):
        if b"%" in Path(path).read_bytes():
            raise ValueError("a planted mistake")
        return read_model(path, **options)

    with pytest.raises(AssertionError, match="ValueError for"):
        fuzz(tmp_path, 0, 2_000, read)


def test_a_writer_that_forgets_something_is_found(tmp_path, monkeypatch):
    write = write_model

    def forgetful(path, model):
        write(path, model)
        path.write_text(path.read_text().replace("!x", "!y"))

    monkeypatch.setitem(check.__globals__, "write_model", forgetful)
    with pytest.raises(AssertionError, match="AssertionError for"):
        fuzz(tmp_path, 0, 2_000)
