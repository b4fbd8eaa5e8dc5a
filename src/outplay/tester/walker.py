"""Walking through a model at random."""

from __future__ import annotations

from collections import Counter
from random import Random

from outplay.model.label import SILENCE, Label
from outplay.model.offer import Offer, offer_of
from outplay.model.tracking import Tracker
from outplay.tester.tester import Decision, End, Give, Stop, Tester, Wait


class Walker(Tester):
    """Walks at random, preferring transitions it has not seen yet; remembers them across plays."""

    name, learns = "walk", False

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.seen: Counter[tuple[str, str]] = Counter()
        """The number of times that an offer was taken in a state, by their written forms."""

    def decide(self, tracker: Tracker) -> Decision:
        inputs, outputs, here = tracker.inputs(), tracker.outputs(), _here(tracker)
        if not inputs and not outputs and self.seen[here, SILENCE.text]:
            return Stop(End.INCONCLUSIVE)
        label = self._chosen(here, inputs, outputs)
        return Wait() if label is None else Give(label)

    def _chosen(self, here: str, inputs: list[Offer], outputs: list[Offer]) -> Label | None:
        fresh = [offer for offer in inputs if not self.seen[here, offer.text]]
        waits_for_news = any(not self.seen[here, offer.text] for offer in outputs or [SILENCE])
        if fresh and not (outputs and waits_for_news and self._rng.random() < 0.5):
            return self._rng.choice(fresh).sample(self._rng)
        if waits_for_news or not inputs:
            return None
        # Waiting where nothing can come costs a whole time-out and was seen before.
        chosen = self._rng.choice([*inputs, None] if outputs else inputs)
        return None if chosen is None else chosen.sample(self._rng)

    def observe(self, tracker: Tracker, label: Label) -> None:
        for state in tracker.states:
            offers = tracker.spec.inputs(state) if label.is_input else tracker.spec.outputs(state)
            self.seen[tracker.spec.key(state), (offer_of(label, offers) or label).text] += 1


def _here(tracker: Tracker) -> str:
    """Return the places of the system, as a walk remembers them."""
    return tracker.spec.key(tracker.states[0]) if tracker.states else ""
