"""outplay: test nondeterministic systems by playing them as a game."""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# Names are fetched when first used, so that `import outplay` and `outplay --help` load no numpy.
_HOMES = {
    "outplay.errors": "OutplayError UsageError ModelError FormatError GameError SystemUnready CertificateError",
    "outplay.model.actions": "controllable observable given goal group",
    "outplay.model.program": "Model Program",
    "outplay.model.values": "Map ordered",
    "outplay.model.label": "Label",
    "outplay.model.load": "load_program",
    "outplay.model.kinds": "specification",
    "outplay.model.specification": "Specification",
    "outplay.model.automaton": "Automaton automaton",
    "outplay.model.machine": "Machine",
    "outplay.model.suspension": "SuspensionAutomaton",
    "outplay.game.graph": "Game",
    "outplay.game.builder": "GameBuilder",
    "outplay.game.assumption": "Assumption",
    "outplay.game.explore": "explore",
    "outplay.game.unfold": "Limits",
    "outplay.game.reset": "with_reset",
    "outplay.game.product": "with_purpose",
    "outplay.model.purpose": "AutomatonPurpose",
    "outplay.model.conformance": "alternating_simulation",
    "outplay.strategy.strategy": "Strategy",
    "outplay.strategy.answer": "Answer",
    "outplay.strategy.objectives": "solve Objective",
    "outplay.strategy.win": "win SureWin NoSureWin",
    "outplay.strategy.bounded": "bounded Bounded",
    "outplay.strategy.orders": "Odds Order",
    "outplay.strategy.expected": "expected",
    "outplay.strategy.probability": "probability",
    "outplay.strategy.chance.answers": "Expectation Likelihood",
    "outplay.strategy.chance.graph.parallel_edges": "merge_parallel",
    "outplay.strategy.chance.graph.compression": "compress",
    "outplay.strategy.chance.robustness.sensitivity": "robustness",
    "outplay.strategy.chance.robustness.regret": "regret",
    "outplay.strategy.jokers.joker": "joker",
    "outplay.strategy.jokers.answer": "JokerStrategy NoJoker",
    "outplay.strategy.jokers.priced": "priced_joker Prices",
    "outplay.strategy.jokers.resilience": "resilient",
    "outplay.strategy.forecast.forecast": "forecast",
    "outplay.strategy.forecast.entries": "Forecast Entry",
    "outplay.strategy.certificate.win": "check_win",
    "outplay.suite.testcase": "TestCase Suite case_of",
    "outplay.suite.from_answer": "case_from_answer",
    "outplay.formats.suite_json": "read_suite",
    "outplay.play.audit": "audit",
    "outplay.campaign.suite": "run_suite",
    "outplay.play.event": "Event",
    "outplay.play.trace": "Trace",
    "outplay.play.clock": "Clock RealClock VirtualClock",
    "outplay.play.system": "System",
    "outplay.play.simulated": "Simulated",
    "outplay.play.process": "Process",
    "outplay.play.tcp": "Tcp",
    "outplay.play.python_object": "PythonObject",
    "outplay.play.isolated": "Isolated",
    "outplay.formats.registry": "read_model write_model",
    "outplay.play.runner": "playing Timing",
    "outplay.play.plan": "Plan plan case_plan",
    "outplay.campaign.job": "Job",
    "outplay.campaign.outcome": "Outcome",
    "outplay.campaign.run": "run",
    "outplay.campaign.recorded_run": "run_job",
    "outplay.verdict.judge": "judge",
    "outplay.verdict.verdicts": "Verdict Pass Fail Inconclusive Error",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
__all__ = sorted(_HOME_OF)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'outplay' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
