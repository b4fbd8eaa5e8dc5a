"""One end of a TCP connection, opening and closing (RFC 9293, section 3.3.2), as a model program.

The tester is both the program above, which opens and closes, and the peer, which sends segments. The end under test
sends segments of its own. What it has decided to send is out a little later, so calls and segments may come in between.
Its timers are its own: a SYN may be sent again, once, and be given up then, and TIME-WAIT ends some time.
"""

from outplay import Model, controllable, given, goal, observable

# Where a segment from the peer leads, and what is sent for it.
ARRIVALS = {
    ("LISTEN", "SYN"): ("SYN-RECEIVED", "SYN+ACK"),
    ("SYN-SENT", "SYN"): ("SYN-RECEIVED", "SYN+ACK"),  # both ends opened at once
    ("SYN-SENT", "SYN+ACK"): ("ESTABLISHED", "ACK"),
    ("SYN-RECEIVED", "ACK"): ("ESTABLISHED", None),
    ("ESTABLISHED", "FIN"): ("CLOSE-WAIT", "ACK"),
    ("FIN-WAIT-1", "ACK"): ("FIN-WAIT-2", None),
    ("FIN-WAIT-1", "FIN"): ("CLOSING", "ACK"),  # both ends closed at once
    ("FIN-WAIT-1", "FIN+ACK"): ("TIME-WAIT", "ACK"),
    ("FIN-WAIT-2", "FIN"): ("TIME-WAIT", "ACK"),
    ("CLOSING", "ACK"): ("TIME-WAIT", None),
    ("LAST-ACK", "ACK"): ("CLOSED", None),
    ("TIME-WAIT", "FIN"): ("TIME-WAIT", "ACK"),  # our last ACK was lost: it is sent again
}
CLOSINGS = {"SYN-RECEIVED": "FIN-WAIT-1", "ESTABLISHED": "FIN-WAIT-1", "CLOSE-WAIT": "LAST-ACK"}


class Tcp(Model):
    state: str = "CLOSED"
    unsent: tuple[str, ...] = ()  # decided, but not out yet
    tried_again: bool = False
    closed_first: bool = False
    acknowledged_again: bool = False

    @controllable
    @given(how=("active", "passive"))
    def open(self, how):
        if self.state != "CLOSED" or self.unsent:
            return False
        self.forget()
        if how == "passive":
            self.state = "LISTEN"
        else:
            self.state, self.unsent = "SYN-SENT", ("SYN",)

    @controllable
    def close(self):
        if self.state in ("LISTEN", "SYN-SENT") and not self.unsent:
            self.forget()
        elif self.state in CLOSINGS:
            self.closed_first = self.state != "CLOSE-WAIT"
            self.state = CLOSINGS[self.state]
            self.unsent += ("FIN",)
        else:
            return False

    @controllable
    @given(segment=("SYN", "SYN+ACK", "ACK", "FIN", "FIN+ACK"))
    def receive(self, segment):
        if (self.state, segment) not in ARRIVALS:
            return False
        if "ACK" in segment and any(out != "ACK" for out in self.unsent):
            return False  # nobody acknowledges what has not been sent
        if self.state == "TIME-WAIT" and self.unsent:
            return False
        self.acknowledged_again = self.state == "TIME-WAIT"
        self.state, answer = ARRIVALS[self.state, segment]
        self.unsent += (answer,) if answer else ()

    @observable
    @given(segment=lambda self: self.unsent[:1])
    def send(self, segment):
        self.unsent = self.unsent[1:]

    @observable(optional=True)
    @given(segment=("SYN",))
    def resend(self, segment):
        if self.state != "SYN-SENT" or self.unsent or self.tried_again:
            return False
        self.tried_again = True

    @observable(optional=True)
    def give_up(self):
        if self.state != "SYN-SENT" or not self.tried_again:
            return False
        self.forget()

    @observable(optional=True)
    def expire(self):
        if self.state != "TIME-WAIT" or self.unsent:
            return False
        self.forget()

    def forget(self):
        self.state, self.unsent = "CLOSED", ()
        self.tried_again = self.closed_first = self.acknowledged_again = False

    @goal
    def listen(self):
        return self.state == "LISTEN"

    @goal
    def syn_sent(self):
        return self.state == "SYN-SENT"

    @goal
    def syn_received(self):
        return self.state == "SYN-RECEIVED"

    @goal
    def established(self):
        return self.state == "ESTABLISHED"

    @goal
    def established_after_a_second_syn(self):
        return self.state == "ESTABLISHED" and self.tried_again

    @goal
    def fin_wait_1(self):
        return self.state == "FIN-WAIT-1"

    @goal
    def fin_wait_2(self):
        return self.state == "FIN-WAIT-2"

    @goal
    def closing(self):
        return self.state == "CLOSING"

    @goal
    def time_wait(self):
        return self.state == "TIME-WAIT"

    @goal
    def last_ack_repeated(self):
        return self.acknowledged_again and not self.unsent

    @goal
    def close_wait(self):
        return self.state == "CLOSE-WAIT"

    @goal
    def last_ack(self):
        return self.state == "LAST-ACK"

    @goal
    def last_ack_though_closed_first(self):
        return self.state == "LAST-ACK" and self.closed_first
