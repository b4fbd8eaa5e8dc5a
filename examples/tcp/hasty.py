"""An end of a TCP connection with a mistake to be found: it leaves a repeated FIN without an answer."""

from model import Tcp  # the file beside this one
from outplay import controllable, given


class Hasty(Tcp):
    @controllable
    @given(segment=("SYN", "SYN+ACK", "ACK", "FIN", "FIN+ACK"))
    def receive(self, segment):
        if self.state == "TIME-WAIT":
            return None if segment == "FIN" else False  # THE BUG: and the ACK?
        return super().receive(segment)
