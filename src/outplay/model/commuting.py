"""Arrivals without the orders that make no difference: where what other channels do commutes with what was seen.

With many inputs in flight there are many orders, and in most of them the steps of other channels change nothing for an
output. So before all orders are followed, each single step of another channel is tried at each place where the output
may have been sent. Where all of them commute with it, only the inputs of its own channel are let arrive; the others
may still arrive later. What several steps of other channels do together is not looked at, so a play that does not
conform is followed once more in all orders before it fails (`play/following.py`).
"""

from __future__ import annotations

from outplay.model.arrivals import Arrivals, Bounds, GoalTest, left_by
from outplay.model.channels import Channels
from outplay.model.label import Label
from outplay.model.possibility import UNSPECIFIED, Member, Possibility
from outplay.model.specification import Span, Specification


class CommutingArrivals(Arrivals):
    """Leaves out orders that seem to make no difference, unless all are to be followed."""

    def __init__(self, spec: Specification, goal: GoalTest, channels: Channels, bound: float) -> None:
        super().__init__(spec, goal, channels, bound)
        self.exhaustive = not self.crossing
        """Whether all orders are followed."""

    def heard(self, before: Possibility, label: Label, channel: str, now: float, bounds: Bounds) -> list[Possibility]:
        if not self.exhaustive and not any(one.channel == channel for one in before.unseen):
            commuting = self._commuting(before, label, channel, now)
            if commuting is not None:
                bounds.reduced = True
                return commuting
        return super().heard(before, label, channel, now, bounds)

    def _commuting(self, before: Possibility, label: Label, channel: str, now: float) -> list[Possibility] | None:
        """Return the possibilities after an output for which nothing of other channels matters; None where something
        does.

        The inputs of its own channel are let arrive. At each place every step of another channel that is possible has
        to commute with the output and with the next of these inputs; what several such steps do is not looked at.
        """
        found: dict[Possibility, None] = {}
        covered = set()
        node: Possibility | None = before
        while node is not None:
            after, further = self.observed(node, label, now), self._own_arrival(node, channel)
            if node.left or not self._commutes(node, after, further, label, channel, now):
                return None
            if after.members:
                found[after] = None
                covered.add(self._own_arrival(after, channel))
            node = further
        return [one for one in found if one not in covered] or None

    def _commutes(
        self, node: Possibility, after: Possibility, further: Possibility | None, label: Label, channel: str, now: float
    ) -> bool:
        ways = [node.on_the_way[place] for place in node.heads() if node.on_the_way[place].channel != channel]
        outputs = [one.unseen[-1].label for one in self.sent(node, channel, now, Bounds())]
        for step in (*(way.label for way in ways), *outputs):
            moved = self._stepped(node.members, step, now)
            seen = self.observed(node._replace(members=moved), label, now).members
            if bool(seen) != bool(after.members) or (seen and not _same(seen, self._stepped(after.members, step, now))):
                return False
            if further is not None:
                own = self._own_arrival(node._replace(members=moved), channel)
                assert own is not None
                if not _same(own.members, self._stepped(further.members, step, now)):
                    return False
        return True

    def _stepped(self, members: tuple[Member, ...], label: Label, now: float) -> tuple[Member, ...]:
        """After an input or output of another channel; an input that nobody specifies leaves the specification."""
        if not members or members[0][0] is UNSPECIFIED:
            return members
        found = self.moved(members, label, Span(now - self.bound, now, now - self.bound))
        return found or (left_by(members) if label.is_input else ())

    def _own_arrival(self, node: Possibility, channel: str) -> Possibility | None:
        """After the next input of a channel has arrived, if one can arrive next."""
        for place in node.heads():
            if node.on_the_way[place].channel == channel:
                return self.arrived(node, place)
        return None


def _same(one: tuple[Member, ...], other: tuple[Member, ...]) -> bool:
    return one == other or (len(one) == len(other) and set(one) == set(other))
