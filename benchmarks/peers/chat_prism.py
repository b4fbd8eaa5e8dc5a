"""The chat session as a PRISM program, for comparing how fast a model becomes a graph.

The model is the example in section 1 of Blass, Gurevich, Nachmanson and Veanes, "Play to Test":
a client posts a message, which reaches all others before the next one moves. A state in which a
delivery is enabled is passive: the system delivers, or the time-out turns the state into its
active copy, where the tester posts. With c clients and at most p pending messages there are

    1 + 2 * (2**(c-1) - 1) * sum(c! / (c-k)! for k in 1..p)

states: the empty session, and two copies of each queue of distinct senders with each nonempty set
of recipients. With 6 clients and 6 messages these are 121,273.

There are many ways to write this down, and we want Storm at its best. What would make its explicit
builder slower, measured with 6 clients: a sender for each position instead of a position for each
sender, 16 %; a nondeterministic command for each thing the system may do instead of one
probabilistic choice, 13 %; booleans for the recipients, 9 %; two commands for each post (the empty
queue and the others), 6 %; a self-loop where nobody may post (Storm adds one by itself), 2 %.
"""

from collections.abc import Iterator


def chat_prism(clients: int, pending: int) -> str:
    """Write the chat session of so many clients with at most so many pending messages.

    >>> print(chat_prism(2, 1).splitlines()[2])
    formula left = to1 + to2;
    """
    if clients < 2 or pending < 1:
        raise ValueError(f"{clients} clients, {pending} pending: a chat needs at least 2 and 1")
    pending = min(pending, clients)
    everyone = range(1, clients + 1)
    lines = [
        "mdp",
        "// Recipients who still wait for the current message.",
        f"formula left = {' + '.join(f'to{i}' for i in everyone)};",
        "module chat",
        *_variables(everyone, pending),
        _deliver(everyone),
        _deliver_last(everyone),
        *(_post(sender, everyone, pending) for sender in everyone),
        "endmodule",
    ]
    return "\n".join(lines) + "\n"


def _variables(everyone: range, pending: int) -> Iterator[str]:
    """The queue as each sender's position (0: none), its length, the recipients, and who moves."""
    yield from (f"  at{i} : [0..{pending}] init 0;" for i in everyone)
    yield from (f"  to{i} : [0..1] init 0;" for i in everyone)
    yield f"  length : [0..{pending}] init 0;"
    yield "  active : bool init true;"


def _deliver(everyone: range) -> str:
    """One of several recipients or the time-out, equally likely; Storm skips probability 0."""
    deliveries = " + ".join(f"to{i}/(left+1) : (to{i}'=0)" for i in everyone)
    return f"  [] !active & left>1 -> {deliveries} + 1/(left+1) : (active'=true);"


def _deliver_last(everyone: range) -> str:
    """The last recipient, which brings up the next message or else the tester; or the time-out."""
    moves_up = " & ".join(f"(at{i}'=max(at{i}-1,0))" for i in everyone)
    recipients = " & ".join(f"(to{i}'=length>1 & at{i}!=2 ? 1 : 0)" for i in everyone)
    popped = f"{moves_up} & {recipients} & (length'=length-1) & (active'=length=1)"
    return f"  [] !active & left=1 -> 1/2 : {popped} + 1/2 : (active'=true);"


def _post(sender: int, everyone: range, pending: int) -> str:
    """A post by someone without a pending message; the first one also names the recipients."""
    # With room for everyone the first condition implies the second: a shorter guard is faster.
    room = f" & length<{pending}" if pending < len(everyone) else ""
    recipients = " & ".join(f"(to{i}'=length=0 ? 1 : to{i})" for i in everyone if i != sender)
    queued = f"(at{sender}'=length+1) & (length'=length+1) & (active'=false)"
    return f"  [] active & at{sender}=0{room} -> {queued} & {recipients};"
