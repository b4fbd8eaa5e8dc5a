"""Labels and names of states in files: those that are read, and those that a format cannot hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from outplay.errors import FormatError
from outplay.formats.texts.source import LONGEST_LABEL, shown
from outplay.model.automaton import Automaton
from outplay.model.directions import directed_labels
from outplay.model.label import TAU, Label


def read_labels(
    texts: Collection[str], wrong: Callable[[str, str], FormatError], *, marked: bool = False
) -> tuple[tuple[Label, ...], dict[str, int]]:
    """Read and number all label texts of a file; those that mean the same share a number.

    `wrong` makes an error at a text, `marked` says that directions are ? and !.
    """
    for text in texts:
        if not text:
            raise wrong(text, "an empty label; write ?input, !output, or tau for an internal step")
        if len(text) > LONGEST_LABEL:
            raise wrong(text, f"a label of {len(text):,} characters, more than {LONGEST_LABEL:,}; shorten it")
    read, numbers = directed_labels(() if marked else texts), dict[Label, int]()
    by_text = {text: numbers.setdefault(read(text), len(numbers)) for text in texts}
    return tuple(numbers), by_text


def label_texts(model: Automaton, ending: str, *, internal: str = TAU, marked: bool = False) -> dict[Label, str]:
    """Write the labels of an automaton, and refuse those that would be read as something else."""
    texts = {label: internal if label.kind == TAU else label.text for label in model.used_labels}
    read = directed_labels(() if marked else texts.values())
    for label, text in texts.items():
        if not text or read(text.strip()) != label:  # readers cut blanks around a label
            raise FormatError(
                f"{model.name}: the label {shown(text)} would be read as another one from {ending}; rename it"
            )
    return texts


def line_label_texts(model: Automaton, ending: str) -> dict[Label, str]:
    """The same for a file of lines, which holds no line breaks, and in which the internal step is `i`."""
    for text in (label.text for label in model.used_labels):
        if "\n" in text:
            what = f"{shown(text)} holds a line break, which {ending} cannot; write .dot or .json"
            raise FormatError(f"{model.name}: {what}")
    return label_texts(model, ending, internal="i")


def numbered_names(count: int) -> tuple[str, ...]:
    """The names of states that are only numbered."""
    return tuple(map(str, range(count)))


def first_repeated(names: Sequence[str]) -> str | None:
    """The first name that stands twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
