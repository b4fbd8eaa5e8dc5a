"""Mistakes in a step of a model program, told about the user's own action and state variable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outplay.errors import ModelError, OutplayError
from outplay.model.programs.actions import Action
from outplay.model.programs.budget import arose_in_outplay, blame_user_code
from outplay.model.programs.program import Program
from outplay.model.values import check_value, is_deeply_nested

if TYPE_CHECKING:  # a stepper explains its errors by what is here
    from outplay.model.programs.stepping import Stepper


def explained_step(error: Exception, stepped: Stepper) -> OutplayError:
    """Explain a failed step by the mistake in the user's action: by what it left behind or the line it stopped at."""
    program, tables, memory = stepped.program, stepped.tables, stepped.memory
    if isinstance(error, RecursionError):
        for name, table in zip(program.variables, tables, strict=True):
            if is_deeply_nested(memory.get(name)):
                return ModelError(f"{table.where} is nested too deeply: keep a bound on how deep it grows")
    if arose_in_outplay(error):
        for name, table in zip(program.variables, tables, strict=True):
            if name not in memory:
                return _deleted(program, name)
            try:
                check_value(memory[name], table.where)
            except ModelError as wrong:
                return wrong
    return blame_user_code(error, f"running {raising_call(error, stepped)}")


def raising_call(error: BaseException, stepped: Stepper) -> str:
    """Return the call of the action that raised: the loop of action_loop.py keeps it in a local name."""
    step = error.__traceback__
    while step:
        label = step.tb_frame.f_locals.get("label")
        if step.tb_frame.f_code.co_filename.startswith("<actions of ") and label is not None:
            return str(stepped.labels.all[label].message)
        step = step.tb_next
    return f"the actions of {stepped.program.name}"


def undeclared_variables(program: Program, action: Action, memory: dict[str, Any]) -> ModelError:
    """Return the error for an action that left other variables behind than the model declares."""
    extra = next((name for name in memory if name not in program.variables), None)
    if extra is None:
        return _deleted(program, next(name for name in program.variables if name not in memory))
    return ModelError(
        f"{program.where}: action {action.name!r} assigns {extra!r}, which is no state variable: "
        f"annotate it in the class ({extra}: type = value)"
    )


def _deleted(program: Program, name: str) -> ModelError:
    return ModelError(f"{program.where}: an action deletes {name!r}: assign None instead")
