"""What is asked in Python, as a job: a model or system that is named is part of it; one that is alive has no name.

A class that stands at the top of a file or module is named by that, so that a trace of it can be judged and played
again by another process.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from outplay.campaign.job import Job
from outplay.campaign.preparing.loaded_model import LoadedModel, load_model
from outplay.campaign.preparing.rules import Rules
from outplay.campaign.preparing.systems import system_of
from outplay.model.programs.program import Model
from outplay.play.system import System
from outplay.play.timing import Timing
from outplay.play.trace import TraceHeader


def live_job(
    model: Any, system: System | str, header: TraceHeader | None, seed: int | None, timing: Timing | None, **asked: Any
) -> Job:
    """The job of a call in Python; where no seed is given it is that of the header."""
    sown = seed if seed is not None else header.seed if header else 0
    sut = system if isinstance(system, str) else ""
    return Job(model_name(model), seed=sown, sut=sut, **asdict(timing or Timing()), **asked)


def live_model(model: Any, job: Job) -> LoadedModel:
    """A model as it is given, or the one that a text names."""
    return load_model(job) if isinstance(model, str) else LoadedModel(job, model, Rules())


def live_system(system: System | str, job: Job) -> System:
    """A system as it is given, or the one that a text names."""
    return system_of(job) if isinstance(system, str) else system


def model_name(model: Any) -> str:
    """How a model is named on the command line; nothing where that would not find the same one again."""
    if isinstance(model, str):
        return model
    if not (isinstance(model, type) and issubclass(model, Model)):
        return ""
    module, name = sys.modules.get(model.__module__), model.__qualname__
    file, known = getattr(module, "__file__", None), getattr(module, name, None)
    if file is None or known is not model:
        return ""  # made in a function, or by hand
    if "." in model.__module__:  # of a package, in which it may import its neighbours
        return f"{model.__module__}:{name}"
    path, here = Path(file).resolve(), Path.cwd()
    return f"{path.relative_to(here) if path.is_relative_to(here) else path}:{name}"
