"""Reading what was written, and what a reader says of a wrong text."""

from __future__ import annotations

import pytest

from outplay.errors import FormatError
from outplay.formats.common.source import Source


def again(module, model):
    """Write a model with a format's module and read it again."""
    return module.read(Source(getattr(model, "name", "m"), "".join(module.write(model))))


def complaint(read, text, **options):
    """The one line that a reader refuses a text with."""
    with pytest.raises(FormatError) as caught:
        read(text if isinstance(text, Source) else Source("m", text), **options)
    line = str(caught.value)
    assert "\n" not in line
    return line
