"""outplay: test nondeterministic systems by playing them as a game."""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.2.0"

# Names are fetched when first used, so that `import outplay` and `outplay --help` load no numpy.
# They are the ones a test is written with, at most seventy; the rest is imported from the module that is its home.
_HOMES = {
    # models
    "outplay.model.programs.program": "Model",
    "outplay.model.programs.actions": "controllable observable internal fault given goal group",
    "outplay.model.values": "Map ordered",
    "outplay.model.label": "Label",
    "outplay.model.specification": "Channel",
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
    "outplay.conformance.refinement": "check",
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
    "outplay.suite.suite": "Suite TestCase",
    "outplay.suite.from_tester": "case_from_answer",
    "outplay.formats.suites.suite_json": "read_suite",
    # systems
    "outplay.play.adapters.process": "Process",
    "outplay.play.adapters.tcp": "Tcp",
    "outplay.play.adapters.http_system": "Http",
    "outplay.play.adapters.messages.mqtt": "Mqtt",
    "outplay.play.adapters.messages.websocket": "WebSocket",
    "outplay.play.adapters.python_object": "PythonObject",
    "outplay.play.adapters.isolated": "Isolated",
    "outplay.play.adapters.simulated": "Simulated",
    "outplay.play.system": "System",
    "outplay.play.timing": "Timing",
    # runs
    "outplay.runs.python_run": "run",
    "outplay.runs.suite_runs.suite_making": "make_suite",
    "outplay.runs.run": "Run",
    "outplay.runs.events": "Observer",
    "outplay.runs.job": "Job",
    "outplay.runs.recorded_run": "run_job",
    "outplay.runs.failing.replay": "replay",
    "outplay.runs.result": "RunResult NotPassed",
    "outplay.play.trace": "Event Trace",
    "outplay.formats.trace_jsonl": "read_trace",
    "outplay.formats.history_jsonl": "read_history",
    "outplay.verdict.judge": "judge",
    "outplay.verdict.verdicts": "Pass Fail Inconclusive Error",
    "outplay.errors": "AdapterError OutplayError SystemUnready",
    "outplay.pytest_plugin": "each_goal",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
__all__ = sorted(_HOME_OF)  # pyright: ignore[reportUnsupportedDunderAll]
_EXTRA_OF = {"Http": "http", "WebSocket": "ws", "Mqtt": "mqtt"}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'outplay' has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(_HOME_OF[name]), name)
    except ModuleNotFoundError as error:
        if name not in _EXTRA_OF:
            raise
        need = f"outplay.{name} needs the library {error.name}: pip install 'outplay[{_EXTRA_OF[name]}]'"
        raise ModuleNotFoundError(need, name=error.name) from None


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
