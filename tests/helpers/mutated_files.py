"""Files of every format outplay reads, and what accidents and attackers make of them."""

from __future__ import annotations

from random import Random

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
    "jsonl": [
        '{"format": "outplay-trace/2", "model": "m.aut", "model_hash": "0f", "sut": "exec:./s", "goal": ["done"], '
        '"seed": 7, "options": {"silence": 1.0, "latency": 0.1, "set": ["n=2"]}, "started": "2026-03-01T10:15:30", '
        '"job": {"model": "m.aut", "plays": 5, "goal": ["done"], "settle": 0.5, "keep_going": true}}\n'
        '{"n": 1, "kind": "reset", "label": null, "given": null, "seen": 0.0, "play": 1}\n'
        '{"n": 2, "kind": "input", "label": "?a 1", "given": 0.25, "seen": null, "play": 1, "taken": 0.5}\n'
        '{"n": 3, "kind": "late", "label": "!x \\"two words\\"", "given": null, "seen": 1.75, "play": 1}\n'
        '{"n": 4, "kind": "tester-late", "label": null, "given": 1.0, "seen": 2.0, "play": 2, "detail": "1 s"}\n'
        '{"n": 5, "kind": "crash", "label": null, "given": null, "seen": 2.5, "play": 2, "traceback": "a\\nb"}\n'
        '{"verdict": "fail", "why": "crashed", "allowed": ["!x", "delta"]}\n'
    ],
    "suite": [
        '{"format": "outplay-suite/1", "model": "m.aut", "method": "win", "job": {"model": "m.aut", "final": ["a"]},\n'
        ' "tests": [{"name": "both", "initial": "t0", "transitions": [["t0", "?p", "t1"], ["t0", "!q 3", "fail"],\n'
        ' ["t1", "delta", "fail"], ["t1", "!q", "pass"]]}]}'
    ],
    "job": [
        '{"format": "outplay-job/1", "job": {"model": "chat.py:Chat", "set": ["n=2"], "goal": ["done"], "plays": 5,\n'
        ' "silence": 0.5, "max_bytes": 100, "reset_cost": "1/2", "sut": "tcp:localhost:7000", "isolated": false}}'
    ],
    "efsm": [
        'machine "m"\nenumeration k = red, green\nconstant most = 3\nvariable n: 0..most = 1\nvariable c: k = red\n'
        'initial l0 # start\nstep a: l0 -> l1 on go / "on it"\n  when n < most and c = red do n := n + 1, c := green\n'
        "step b: l1 -> l0 on 2 / ok when not n = 0 do c := if n > 2 then red else c\n",
    ],
    "sts": [
        'system "s"\nenumeration k = red, green\nconstant most = 10\nvariable x: integer = 0\nvariable n: 0..3 = 1\n'
        'variable w: text = "a b"\nvariable c: k = red\nvariable b: boolean = false\ninput inX(p: integer, q: k)\n'
        "output outX(p: integer)\noutput done\ninitial l0 # start\nswitch r0: l0 -> l1 on inX(p, q)\n  when 1 <= p <= "
        "most and (q = c or b)\n  do x := x + p * 2, n := n - 1, c := if b then q else green\n"
        'switch r1: l1 -> l0 on !outX(v) when v = x div 2 mod 5 and length(w) > 1 implies w != "z" do w := w + "!"\n'
        "switch r2: l0 -> l2 on done when not x <= -15\ngoal full at l2 when x > 3\ngoal any\n",
    ],
    "xml": [
        '<?xml version="1.0"?>\n<register-automaton><alphabet><inputs><symbol name="IPut"><param type="int" name="p0"/>'
        '</symbol><symbol name="IGet"/></inputs><outputs><symbol name="OVal"><param type="int" name="p0"/></symbol>'
        '</outputs></alphabet>\n<constants><constant type="int" name="one">1</constant></constants><globals><variable '
        'type="int" name="x">0</variable><variable type="int" name="y">0</variable></globals>\n<locations><location '
        'name="s0" initial="true"/><location name="s1"/></locations>\n<transitions><transition from="s0" to="s0" '
        'symbol="IPut" params="v"><guard>v != one &amp;&amp; x == 0 || v == 2</guard><assignments><assign to="x">v'
        '</assign><assign to="y">x</assign></assignments></transition>\n<transition from="s0" to="s1" symbol="IGet"/>'
        '<transition from="s1" to="s0" symbol="OVal" params="y"/></transitions></register-automaton>\n',
    ],
    "json": [
        '{"initial_location": 0, "locationVariables": {"w": {"type": "integer"}, "b": {"type": "boolean"}}, "'
        'parameters": {"p": {"type": "integer"}}, "initialValuation": {"w": 0}, "locations": [0, 1], "inputGa'
        'tes": {"In": {"parameters": ["p"]}}, "outputGates": {"Out": {"parameters": []}}, "guards": {"G": {"l'
        'hs": {"lhs": 1, "op": "<=", "rhs": "p"}, "op": "&&", "rhs": {"lhs": "w", "op": "==", "rhs": 3}}},\n "'
        'assignments": {"A": {"target": "w", "expression": {"lhs": "w", "op": "+", "rhs": "p"}}}, "switches":'
        ' {"r1": {"init_loc": 0, "gate": "In", "guard": "G", "assignments": ["A"], "end_loc": 1}, "r2": {"ini'
        't_loc": 1, "gate": "Out", "guard": [], "assignments": [], "end_loc": 0}}}',
        '{"format": "outplay-game/1", "initial": "a", "goals": {"done": ["b"]},\n "vertices": [{"id": "a", "owner": '
        '"tester", "gain": 2}, {"id": "b", "owner": "sut"}],\n "edges": [{"id": "e", "source": "a", "target": "b", '
        '"label": "?x", "cost": "1/2", "moves": 0},\n {"source": "b", "target": "a", "probability": 1.0}]}',
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


def mutated(rng: Random, data: bytes, others: list[bytes]) -> bytes:
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
