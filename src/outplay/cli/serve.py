"""`outplay serve`: play the system's side of a model, for clients that connect."""

from __future__ import annotations

from collections.abc import Callable

import click

from outplay.cli import options
from outplay.cli.printing import say
from outplay.cli.progress import exploring_progress
from outplay.cli.registry_options import Number
from outplay.errors import UsageError
from outplay.play.adapters.tcp import host_and_port
from outplay.play.serving.line_server import LineServer, Speech
from outplay.play.serving.play_server import PlayServer, ServedPlay
from outplay.registries import imported
from outplay.runs.job import Job
from outplay.runs.preparing.job_answer import RANDOM, SIDES, served_model

PACE = 0.02
_SPEECHES = {
    "tcp": "outplay.play.serving.line_server:LineSpeech",
    "ws": "outplay.play.serving.websocket_server:WebSocketSpeech",
    "mqtt": "outplay.play.serving.mqtt_server:MqttSpeech",
}
"""The protocol of clients on a connection."""


@click.command(
    "serve",
    epilog=(
        "\b\nExamples:\n"
        "  outplay serve examples/chat/model.py:Chat --tcp 127.0.0.1:7000\n"
        "  outplay serve examples/chat/model.py:Chat --tcp 127.0.0.1:0 --as adversarial --goal two_pending\n"
        "  outplay serve examples/chat/model.py:Chat --http 127.0.0.1:8000"
    ),
)
@options.whole_job_options(
    *options.READING,
    *("goal", "assumption", "seed"),
    *options.LIMITS,
    goal={"help": "The goal to help the client reach, or to keep it from. Repeated: any of them."},
)
@click.option("--tcp", metavar="HOST:PORT", help="Listen here, with one label a line; port 0 is a free one.")
@click.option(
    "--http", metavar="HOST:PORT", help="Listen here for calls: POST /GATE, GET /events or /next, POST /RESET."
)
@click.option("--ws", metavar="HOST:PORT", help='Listen here for WebSockets, with lists such as ["post", "ann", "hi"].')
@click.option(
    "--mqtt",
    metavar="HOST:PORT",
    help="Listen here as a broker: such lists go to in/GATE and come from out/GATE.",
)
@click.option(
    "--as",
    "side",
    default=RANDOM,
    show_default=True,
    type=click.Choice(SIDES),
    help="random: whatever the model allows. helpful: what leads to the goal. adversarial: what prevents it.",
)
@click.option("--shared", is_flag=True, help="All connections share one play; the line RESET starts it again.")
@click.option(
    "--pace",
    default=PACE,
    show_default=True,
    type=Number(0),
    help="Longest pause in seconds before an output, in which an input may come first.",
)
def command(
    job: Job,
    tcp: str | None,
    http: str | None,
    ws: str | None,
    mqtt: str | None,
    side: str,
    shared: bool,
    pace: float,
) -> None:
    """Act as the system that MODEL (file.py:Class, module:Class or a model file) describes, for clients that connect.

    Over TCP each connection is a play of its own. Clients send inputs without `?`, one a line, and get outputs without
    `!`. An input that the model forbids is answered with `error` and what is allowed, and not taken. The line RESET
    begins a play anew, and is answered with OK.

    Over WebSocket a message is a list of JSON, the gate and its arguments, in both directions. Over HTTP an input is
    POST /GATE with a list of arguments, answered 202 or, where the model forbids it, 409 and why; outputs are GET
    /events, a stream, or GET /next?wait=SECONDS; each cookie is a play of its own. Over MQTT the model is broker and
    device in one: such lists are published to in/GATE, and come from out/GATE after a subscription. `outplay new MODEL
    --as ws`, `http` or `mqtt` writes the table for such a client.
    """
    way, address = _asked({"tcp": tcp, "http": http, "ws": ws, "mqtt": mqtt})
    host, port = host_and_port(address, least=0, kind=way)
    with exploring_progress("exploring … {:,} states, {:,} edges") as progress:
        make = served_model(job, side, pace, progress)
    make(0)  # what is wrong with the model shows here
    server = _server(way, host, port, make, shared=shared)
    try:
        say(f"ready {server.address}")
        server.serve()
    finally:
        server.close()


def _asked(ways: dict[str, str | None]) -> tuple[str, str]:
    """Return how clients speak, and where to listen for them."""
    asked = [(way, address) for way, address in ways.items() if address is not None]
    if not asked:
        raise UsageError("say where to listen: --tcp, --http, --ws or --mqtt, each with HOST:PORT")
    if len(asked) > 1:
        raise UsageError("say one of --tcp, --http, --ws and --mqtt; start another server for the others")
    return asked[0]


def _server(way: str, host: str, port: int, make: Callable[[int], ServedPlay], *, shared: bool) -> PlayServer:
    if way == "http":
        http: Callable[..., PlayServer] = imported("outplay.play.serving.http_server:HttpServer")
        return http(host, port, make, shared=shared)
    try:
        speech: Callable[[], Speech] = imported(_SPEECHES[way])
    except ModuleNotFoundError as error:
        raise UsageError(f"--{way} needs the library {error.name}; pip install 'outplay[{way}]'") from None
    return LineServer(host, port, make, shared=shared, speech=speech, scheme="" if way == "tcp" else f"{way}://")
