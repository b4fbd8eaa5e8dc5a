"""Words that a shell may complete: models, goals, systems and profiles, found without running any code.

`eval "$(_OUTPLAY_COMPLETE=bash_source outplay)"` turns it on in bash; `zsh_source` and `fish_source` likewise.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class

from outplay.errors import OutplayError
from outplay.formats.registry import ENDINGS, read_model
from outplay.model.kinds import aspect_of
from outplay.model.programs.load import program_file
from outplay.play.adapters.adapters import ADAPTERS
from outplay.runs.configuration import find_configuration

_LARGEST = 1 << 20  # bytes of a file that is read while somebody types
_BASE, _GOAL = "Model", "goal"


class Bash(BashComplete):
    """Completion in bash, which takes `chat.py:Chat` for three words."""

    name = "bash"
    _kept = ""
    """The part of the completed word that bash keeps."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Join what bash took apart at colons."""
        args, incomplete = super().get_completion_args()
        joined = list[str]()
        for word in [*args, incomplete]:
            if joined and (word.startswith(":") or joined[-1].endswith(":")):
                joined[-1] += word
            else:
                joined.append(word)
        self._kept = joined[-1][: joined[-1].rfind(":") + 1]
        return joined[:-1], joined[-1]

    def format_completion(self, item: CompletionItem) -> str:
        """Leave out what bash keeps, up to the last colon that was typed."""
        return f"{item.type},{item.value.removeprefix(self._kept)}"


add_completion_class(Bash)


def complete_models(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a model in the shell: model files and the classes of model programs; folders lead on."""
    folder = Path(incomplete).parent if not incomplete.endswith("/") else Path(incomplete)
    found = list[CompletionItem]()
    with suppress(OSError):
        for path in sorted(folder.iterdir()):
            if path.name.startswith((".", "__")):
                continue
            if path.is_dir():
                found.append(CompletionItem(f"{path}/"))
            elif path.suffix == ".py":
                found += (CompletionItem(f"{path}:{name}") for name in _classes(path))
            elif path.suffix.lower() in ENDINGS:
                found.append(CompletionItem(str(path)))
    return [item for item in found if item.value.startswith(incomplete)]


def complete_goals(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a goal in the shell: those of the model that was named, or that the configuration names."""
    with suppress(OutplayError, OSError):
        # While an option lacks its value, click leaves the arguments before it unread.
        typed = [word for word in ctx.args if program_file(word) or Path(word).suffix.lower() in ENDINGS]
        model = ctx.params.get("model") or next(iter(typed), "")
        model = model or find_configuration(Path.cwd()).settings.get("model", "")
        return [CompletionItem(name) for name in sorted(_goals(model)) if name.startswith(incomplete)]
    return []


def complete_systems(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a system in the shell: the kinds of systems; behind `model:` a model."""
    if incomplete.startswith("model:"):
        behind = complete_models(ctx, param, incomplete.removeprefix("model:"))
        return [CompletionItem(f"model:{item.value}") for item in behind]
    return [CompletionItem(f"{name}:") for name in ADAPTERS if name.startswith(incomplete)]


def complete_profiles(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a profile in the shell: those of the configuration."""
    with suppress(OutplayError, OSError):
        known = find_configuration(Path.cwd(), os.environ | {"OUTPLAY_PROFILE": ""}).profiles
        return [CompletionItem(name) for name in known if name.startswith(incomplete)]
    return []


def _goals(model: str) -> Iterator[str]:
    path = Path(model)
    if path.suffix.lower() in ENDINGS:
        if path.stat().st_size <= _LARGEST and (game := aspect_of(read_model(path), "game")) is not None:
            yield from game.goals
        return
    file, wanted = program_file(model), model.rpartition(":")[2]
    for name, made in _classes(file).items() if file else ():
        if name == wanted or wanted.endswith(".py"):
            yield from (part.name for part in made.body if isinstance(part, ast.FunctionDef) and _marked(part))


def _classes(path: Path) -> dict[str, ast.ClassDef]:
    """The model programs of a file, read and not run."""
    with suppress(OSError, SyntaxError, ValueError, RecursionError):
        if path.stat().st_size <= _LARGEST:
            tree = ast.parse(path.read_bytes())
            made = [node for node in tree.body if isinstance(node, ast.ClassDef)]
            return {node.name: node for node in made if any(_last_name(base) == _BASE for base in node.bases)}
    return {}


def _marked(function: ast.FunctionDef) -> bool:
    return any(
        _last_name(mark.func if isinstance(mark, ast.Call) else mark) == _GOAL for mark in function.decorator_list
    )


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
