"""`outplay`: find the command, run it, and turn every mistake into one clear line and an exit code."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
import traceback

import click

from outplay import __version__
from outplay.cli import exit_guard, printing
from outplay.compiling import WORKING
from outplay.errors import OutplayError, did_you_mean
from outplay.escaping import shortened
from outplay.play.adapters.descendants import adopt_orphans
from outplay.signals import asked_to_end, handled_as_before, listen, listen_no_more, lose_none

INTERNAL, FILES, INTERRUPTED, UNHEARD = 3, 4, 130, 141

COMMANDS = {
    "new": "Start a project: a model, an adapter, tests and CI.",
    "inspect": "Show the size of a model and what looks wrong in it.",
    "try": "Step through a model by hand.",
    "explore": "Explore a model and write its game graph.",
    "forecast": "Say what can be forced, what needs help, and what cannot be.",
    "solve": "Compute a strategy and what it guarantees.",
    "check": "Hold one model against another: does it do only what is allowed?",
    "suite": "Write test cases for a model.",
    "run": "Play against a live system and judge what it does.",
    "verify": "Find what an adapter lacks, before anything is played.",
    "calibrate": "Measure answer times, and propose silence and latency.",
    "serve": "Play the system's side of a model, for clients that connect.",
    "studio": "Look at a model as a game in the browser, play it, follow runs.",
    "judge": "Judge a recorded trace against a model.",
    "replay": "Play a recorded trace again against a system.",
    "runs": "List, show and compare the runs that were made here.",
    "trust": "Trust the code that the configuration of this folder names.",
    "skill": "Tell a coding agent how systems are tested with outplay.",
    "doctor": "Check the installation.",
}
_ROOMS = {"new": "project", "skill": "project", "trust": "project", "verify": "project"}
_MODULES = {"try": "try_model"} | {name: f"{room}.{name}" for name, room in _ROOMS.items()}  # else as the command


class Commands(click.Group):
    """Commands by name; a command's module is imported only when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"outplay.cli.{_MODULES.get(cmd_name, cmd_name)}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest command when there is none of that name."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"No such command {args[0]!r}; {did_you_mean(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=(
        "\b\nExamples:\n"
        "  outplay explore examples/chat/model.py:Chat\n"
        "  outplay forecast examples/chat/model.py:Chat\n"
        "  outplay solve examples/chat/model.py:Chat --goal two_pending --assumption input-eager\n"
        "  outplay run examples/chat/model.py:Chat --sut 'exec:python3 examples/chat/server.py --bug'"
    ),
)
@click.version_option(__version__, prog_name="outplay")
def outplay() -> None:
    """Test nondeterministic systems by playing them as a game."""


def main() -> None:
    """Run the `outplay` command and exit with the code of the contract."""
    if "_OUTPLAY_COMPLETE" in os.environ:  # the shell asks what could be typed next
        importlib.import_module("outplay.cli.project.completion")
        outplay.main(prog_name="outplay")
    code = INTERRUPTED
    try:
        # `timeout` and build servers end programs so, a closed terminal too: no system under test may be left behind.
        listen()
        code = _prepared_and_answered(sys.argv[1:])
        listen_no_more()
    except BaseException:
        if not asked_to_end():
            raise
    _leave(code)


def _prepared_and_answered(arguments: list[str]) -> int:
    lose_none()
    printing.guard_streams()
    adopt_orphans()
    exit_guard.guard_exit(lambda what: _complain(what, arguments, FILES))
    return _answered(arguments)


def _leave(code: int) -> None:
    """End with this code whatever user code has left behind; the systems that still run are ended first."""
    listen_no_more()
    if hasattr(signal, "SIGALRM"):  # a signal may have kept a timer from being stopped, and Python is about to end
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
    others = [thread for thread in threading.enumerate() if thread is not threading.main_thread()]
    if all(thread.daemon and thread.name != WORKING for thread in others):
        sys.exit(code)
    # A thread of an object under test, or work that a signal cut short, would keep Python from ending.
    exit_guard.exit_at_once(code)


def run_command(arguments: list[str]) -> int:
    """Run one command of `outplay` and return its exit code; never raises."""
    with handled_as_before():
        return _answered(arguments)


def _answered(arguments: list[str]) -> int:
    with printing.json_only_output(json_only="--json" in arguments):
        return _command(arguments)


def _command(arguments: list[str]) -> int:
    try:
        # Not outplay.main: click would turn a broken pipe into exit code 1, which means Fail.
        with outplay.make_context("outplay", list(arguments), color=printing.colour_wanted()) as context:
            code = outplay.invoke(context)
        return _heard(code)
    except (KeyboardInterrupt, click.Abort) as interruption:
        return _complain(str(interruption) or "interrupted", arguments, INTERRUPTED)
    except BaseException as error:
        if asked_to_end():  # an import or a lock that a signal broke off may raise anything in its place
            return _complain("interrupted", arguments, INTERRUPTED)
        return _mistaken(error, arguments)


def _mistaken(error: BaseException, arguments: list[str]) -> int:
    """Say whose mistake it is, and return the exit code for it."""
    try:
        raise error
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return error.exit_code
    except click.ClickException as error:
        return _complain(f"{error.format_message()} ({_help_of(error, arguments)})", arguments, error.exit_code)
    except OutplayError as error:
        return _complain(str(error), arguments, error.exit_code)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _complain(f"{where}{error.strerror or error}; check the path, the rights and the room", arguments, FILES)
    except SystemExit as error:
        called = error.code if str(error.code).startswith("os.") else f"sys.exit({error.code!r})"
        return _complain(f"the model called {called}: a model must not end outplay", arguments, FILES)
    except Exception as error:
        if os.environ.get("OUTPLAY_DEBUG"):
            traceback.print_exc()
        what = (
            f"internal error: {type(error).__name__}: {error}; set OUTPLAY_DEBUG=1 to see where, and please report it"
        )
        return _complain(what, arguments, INTERNAL)
    except BaseException as error:
        return _complain(f"the model raised {type(error).__name__}: a model must not end outplay", arguments, FILES)


def _help_of(error: click.ClickException, arguments: list[str]) -> str:
    """Return what to type next: the command with its arguments where one is missing, and where to read on."""
    context = getattr(error, "ctx", None)
    if context is None or context.parent is None:
        return f"see `{' '.join(['outplay', *(word for word in arguments[:1] if word in COMMANDS)])} --help`"
    named = [one.human_readable_name for one in context.command.params if isinstance(one, click.Argument)]
    missing = error.param if isinstance(error, click.MissingParameter) else None
    if isinstance(missing, click.Option):
        named += [missing.opts[0], missing.make_metavar(context)]
    usage = f"write `{' '.join([context.command_path, *named])}`; " if missing else ""
    return f"{usage}see `{context.command_path} --help`"


def _heard(code: object) -> int:
    """The exit code of a command that came to its end: its verdict, or else whether its output could be written."""
    error = printing.output_error()
    if error and not isinstance(error, BrokenPipeError):
        printing.say(f"outplay: the output could not be written: {error.strerror}", err=True, fg="yellow")
    if isinstance(code, int):
        return code
    # Whoever read our output went away (`| head`): no word about it, but it is not done either; as other tools do.
    return 0 if error is None else UNHEARD if isinstance(error, BrokenPipeError) else FILES


def _complain(message: str, arguments: list[str], code: int) -> int:
    line = shortened(" ".join(message.split("\n")))
    if "--json" in arguments:
        printing.say_json({"error": line})
    printing.say(f"outplay: {line}", err=True, fg="red")
    return code
