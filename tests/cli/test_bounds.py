"""Bounds on time inside a state, on the command line."""

from __future__ import annotations

from pathlib import Path


def test_playing_and_judging_on_the_command_line_end(outplay):
    Path("looping.py").write_text(
        "from outplay import Model, controllable\n\nclass Looping(Model):\n    n: int = 0\n\n"
        "    @controllable\n    def step(self):\n        self.n += 1\n        while self.n == 3: pass\n"
    )
    model = "looping.py:Looping"
    played = outplay("run", model, "--sut", f"model:{model}", "--max-seconds", "0.3", "--silence", "0.1")
    assert played.code == 4
    assert "running step" in played.out
    lines = ['{"format": "outplay-trace/1"}', *['{"kind": "input", "label": "?step"}'] * 3]
    Path("trace.jsonl").write_text("".join(f"{line}\n" for line in lines))
    judged = outplay("judge", model, "trace.jsonl", "--max-seconds", "0.3")
    assert judged.code == 4
    assert "looping.py:9: more than 0.3 s in `while self.n == 3: pass` (while running step)" in judged.out
    explored = outplay("explore", model, "--max-seconds", "0.3")
    assert explored.code == 0
    assert "running step" in explored.err


def test_a_model_file_that_never_loads_is_told(outplay):
    Path("slow.py").write_text("while True:\n    pass\n")
    loaded = outplay("explore", "slow.py:Model", "--max-seconds", "0.3")
    assert loaded.code == 4
    assert loaded.err.count("\n") == 1
    assert "slow.py:" in loaded.err
