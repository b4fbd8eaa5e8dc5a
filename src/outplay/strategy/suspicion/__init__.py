"""Playing against what may be wrong: the tester that plays a game against its own suspicions.

A transition that was taken once is covered, though it may have led to the wrong state. So everything that could be
wrong in one place is suspected (`suspects.py`): that an answer is another than the model says, and that a transition
leads to another state. While playing, the suspected states are followed beside the true one (`hypotheses.py`) until an
answer rules them out. What two states would show of themselves is a game on pairs (`pair_game.py`), solved once;
where to go next is the plan with the most suspicion met for each label (`suspicion_plan.py`). `player.py` plays it.
"""

from outplay.strategy.suspicion.player import RESET, WAIT, Suspicion

__all__ = ["RESET", "WAIT", "Suspicion"]
