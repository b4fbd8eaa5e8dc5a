"""Values of models as bytes, for workers that step the same model.

Pickles of values alone: what reads them makes no objects but values, of classes that are loaded already. A class of the
model's own file is named without its path, which may differ from machine to machine.
"""

from __future__ import annotations

import io
import pickle
import sys
from dataclasses import is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from outplay.errors import ModelError
from outplay.model.values import Map

_FILE = "outplay_model_"
"""The beginning of the name of a module that was loaded from a file (load.py); the path stands behind its last `_`."""


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        found: Any = _module(module)
        for part in name.split("."):
            found = getattr(found, part, None)
        if isinstance(found, type) and (found in (Map, Fraction) or issubclass(found, Enum) or is_dataclass(found)):
            return found
        raise ModelError(f"{module}.{name} is no kind of value of this model: have all workers read the same model")


def packed(value: Any) -> bytes:
    """Write a value, or lists and dictionaries of values.

    >>> unpacked(packed({"queue": [("ann", 1)], "sent": Map(ann=True)}))
    {'queue': [('ann', 1)], 'sent': Map({'ann': True})}
    """
    return pickle.dumps(value, protocol=5)


def unpacked(written: bytes) -> Any:
    """Read what `packed` has written.

    >>> unpacked(pickle.dumps(print))
    Traceback (most recent call last):
    outplay.errors.ModelError: builtins.print is no kind of value of this model: have all workers read the same model
    """
    return _Unpickler(io.BytesIO(written)).load()


def _module(name: str) -> Any:
    if name in sys.modules or not name.startswith(_FILE):
        return sys.modules.get(name)
    stem = name.rpartition("_")[0]
    return next((module for known, module in sys.modules.items() if known.rpartition("_")[0] == stem), None)
