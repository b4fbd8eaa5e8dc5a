"""outplay: test nondeterministic systems by playing them as a game."""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# Names are fetched when first used, so that `import outplay` and `outplay --help` load no numpy.
# They are the ones a test is written with, at most sixty; the rest is imported from the module that is its home.
_HOMES = {
    # models
    "outplay.model.programs.program": "Model",
    "outplay.model.programs.actions": "controllable observable given goal group",
    "outplay.model.values.values": "Map ordered",
    "outplay.model.label": "Label",
    "outplay.model.automaton": "Automaton automaton",
    "outplay.model.machine": "Machine",
    "outplay.model.kinds": "specification",
    "outplay.formats.registry": "read_model write_model",
    # games
    "outplay.game.exploring.explore": "explore",
    "outplay.game.assumption": "Assumption",
    "outplay.game.exploring.breadth_first": "Limits",
    "outplay.game.graph": "Game",
    "outplay.game.builder": "GameBuilder",
    "outplay.game.reset": "with_reset",
    "outplay.game.goals.product": "with_purpose",
    # strategies
    "outplay.strategy.objectives": "solve",
    "outplay.strategy.win": "win",
    "outplay.strategy.bounded": "bounded",
    "outplay.strategy.expected": "expected",
    "outplay.strategy.probability": "probability",
    "outplay.strategy.jokers.joker": "joker",
    "outplay.strategy.answer": "Answer",
    "outplay.strategy.forecast.forecast": "forecast",
    "outplay.strategy.forecast.entries": "Forecast",
    # test cases
    "outplay.suite.testcase": "TestCase",
    "outplay.suite.suite": "Suite",
    "outplay.suite.from_answer": "case_from_answer",
    "outplay.formats.suites.suite_json": "read_suite",
    "outplay.campaign.suite_runs.suite_run": "run_suite",
    # systems
    "outplay.play.process": "Process",
    "outplay.play.tcp": "Tcp",
    "outplay.play.python_object": "PythonObject",
    "outplay.play.isolated": "Isolated",
    "outplay.play.simulated": "Simulated",
    "outplay.play.system": "System",
    "outplay.play.event": "Event",
    "outplay.play.timing": "Timing",
    # runs
    "outplay.campaign.run": "run",
    "outplay.campaign.job": "Job",
    "outplay.campaign.recorded_run": "run_job",
    "outplay.campaign.failing.replay": "replay",
    "outplay.campaign.outcome": "Outcome NotPassed",
    "outplay.play.trace": "Trace",
    "outplay.formats.trace_jsonl": "read_trace",
    "outplay.verdict.judge": "judge",
    "outplay.verdict.verdicts": "Pass Fail Inconclusive Error",
    "outplay.errors": "OutplayError SystemUnready",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
__all__ = sorted(_HOME_OF)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'outplay' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
