"""A safety injection system, as a benchmark of node coverage (Wang et al. 2013, Table 1: 99 nodes).

When the water pressure of a reactor is low, coolant is injected, unless an operator has overridden that. In turn the
operator blocks, resets or leaves things as they are, the plant lets the pressure rise, fall or stay, and the controller
acts or is late: where the pressure is low and nothing overrides it, it starts to inject, where the pressure is high it
stops and lifts the override. Each state belongs to one side, so that under `--assumption timeout` the game has as many
vertices as the model has states: 11 pressures, 3 modes, 3 turns.
"""

from outplay import Model, controllable, given, observable

OFF, INJECTING, OVERRIDDEN = "off", "injecting", "overridden"


class SafetyInjection(Model):
    low, high, most = 4, 7, 10

    pressure: int = 5
    mode: str = OFF
    turn: str = "operator"

    @controllable
    @given(button=("block", "reset", "none"))
    def press(self, button):
        if self.turn != "operator":
            return False
        if button == "block":
            self.mode = OVERRIDDEN
        if button == "reset" and self.mode == OVERRIDDEN:
            self.mode = OFF
        self.turn = "plant"

    @observable
    @given(change=(-1, 0, 1))
    def pressure_changes(self, change):
        if self.turn != "plant" or not 0 <= self.pressure + change <= self.most:
            return False
        self.pressure += change
        self.turn = "controller"

    @observable
    @given(late=(False, True))
    def controls(self, late):
        if self.turn != "controller":
            return False
        if not late and self.pressure < self.low and self.mode == OFF:
            self.mode = INJECTING
        if not late and self.pressure >= self.high:
            self.mode = OFF
        self.turn = "operator"
