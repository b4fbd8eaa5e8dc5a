"""Finding the model program a user names."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest

from outplay import Map
from outplay.errors import ModelError, UsageError
from outplay.model.programs.load import is_program_reference, load_program

NUMBERS = itertools.count()

LAMP = """
from outplay import Model, controllable

class Lamp(Model):
    top = 3
    name = "lamp"
    names = ("a", "b")
    on: bool = False

    @controllable
    def press(self):
        self.on = not self.on
"""


@pytest.fixture(autouse=True)
def _as_it_was(monkeypatch: pytest.MonkeyPatch):
    """Loading adds folders to the path and modules to the list."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    known = set(sys.modules)
    yield
    for name in set(sys.modules) - known:
        del sys.modules[name]


def write(text: str, name: str | None = None) -> str:
    path = Path(name or f"model{next(NUMBERS)}.py")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def complaint(reference: str, settings=()) -> str:
    with pytest.raises((ModelError, UsageError)) as told:
        load_program(reference, settings)
    assert "\n" not in str(told.value)
    return str(told.value)


@pytest.mark.parametrize(
    ("reference", "is_one"),
    [
        ("chat.py:Chat", True),
        ("a/b/chat.py:Chat", True),
        ("chat.py", True),
        ("chat.py:", True),
        ("package.module:Chat", True),
        ("module:Chat", True),
        ("C.py:A", True),
        ("game.json", False),
        ("a/b", False),
        ("chat", False),
        ("machine.dot", False),
    ],
)
def test_a_model_program_is_told_from_other_files_by_its_name(reference, is_one):
    assert is_program_reference(reference) is is_one


def test_a_class_is_found_in_a_file_by_name_and_alone_without():
    file = write(LAMP)
    assert load_program(f"{file}:Lamp").name == "Lamp"
    assert load_program(file).name == "Lamp"
    assert load_program(f"{file}:").name == "Lamp"
    assert load_program(str(Path(file).absolute()) + ":Lamp").name == "Lamp"


def test_a_class_is_found_in_a_module_and_in_a_package():
    write(LAMP, "some_lamp_module.py")
    write(LAMP, "some_lamp_package/inner.py")
    assert load_program("some_lamp_module:Lamp").name == "Lamp"
    assert load_program("some_lamp_package.inner:Lamp").name == "Lamp"


def test_a_model_can_import_its_neighbours():
    write("TOP = 5\n", "folder/neighbour_of_lamp.py")
    write(LAMP.replace("top = 3", "from neighbour_of_lamp import TOP as top"), "folder/lamp.py")
    assert load_program("folder/lamp.py:Lamp").model.top == 5


def test_the_only_model_of_a_file_may_be_an_imported_one():
    write(LAMP, "imported_lamp.py")
    file = write("from imported_lamp import Lamp\n")
    assert load_program(file).name == "Lamp"


def test_files_of_the_same_name_in_different_folders_are_different_models():
    write(LAMP, "one/model.py")
    write(LAMP.replace("top = 3", "top = 4"), "two/model.py")
    assert load_program("one/model.py:Lamp").model.top == 3
    assert load_program("two/model.py:Lamp").model.top == 4


def test_a_wrong_path_names_the_nearest_file():
    write(LAMP, "folder/chat.py")
    assert complaint("folder/caht.py:Chat") == "folder/caht.py: no such file; did you mean 'folder/chat.py'?"
    assert "nowhere/x.py: no such file" in complaint("nowhere/x.py:X")
    Path("folder.py").mkdir()
    assert "folder.py: no plain file; a model program is a .py file" in complaint("folder.py:X")


def test_a_wrong_class_names_the_nearest():
    file = write(LAMP)
    assert complaint(f"{file}:Lapm") == f"{file}:Lapm: no class 'Lapm' there; did you mean 'Lamp'?"


def test_a_class_that_is_no_model_is_told_how_to_become_one():
    file = write("class Lamp: ...\nclass Other: ...\n")
    assert complaint(f"{file}:Lamp") == f"{file}:Lamp: Lamp is no model program: derive it from outplay.Model"
    assert "write a class that derives from outplay.Model" in complaint(f"{file}:Lmap")


def test_several_models_must_be_chosen_from_and_are_named():
    file = write(LAMP + "\nclass Bulb(Lamp): ...\n")
    for reference in (file, f"{file}:"):
        assert complaint(reference) == f"{file}: several model programs: say which, {file}:Lamp or {file}:Bulb"


def test_a_file_without_models_says_what_to_write():
    file = write("x = 1\n")
    assert complaint(file) == f"{file}: no model program there: write a class that derives from outplay.Model"


def test_a_syntax_error_is_shown_by_line_and_column():
    file = write("x = 1\nclass Lamp(:\n")
    told = complaint(f"{file}:Lamp")
    assert told.startswith(f"{Path(file).absolute()}:2:12: ")
    assert told.endswith("; mend the Python there")


def test_a_syntax_error_in_a_module_or_a_neighbour_is_shown_there():
    write("def f(:\n", "broken_neighbour.py")
    file = write("import broken_neighbour\n")
    assert "broken_neighbour.py:1:7: " in complaint(f"{file}:X")
    assert "broken_neighbour.py:1:7: " in complaint("broken_neighbour:X")


@pytest.mark.parametrize("content", [b"x = '\xff'\n", b"x = 1\0\n", b"# coding: nonsense\n", b"\xff\xfe"])
def test_a_file_that_is_no_text_is_refused_in_one_line(content):
    Path("bytes.py").write_bytes(content)
    assert "bytes.py" in complaint("bytes.py:X")


def test_a_model_that_raises_while_it_loads_shows_its_line():
    file = write("import json\nraise ValueError('boom')\n")
    assert complaint(f"{file}:X") == (
        f"{Path(file).absolute()}:2: ValueError: boom in `raise ValueError('boom')` (while loading {file})"
    )
    write("raise ValueError('boom')\n", "module_that_raises.py")
    assert "module_that_raises.py:1: ValueError: boom" in complaint("module_that_raises:X")


def test_a_model_that_ends_python_while_it_loads_is_an_error_and_not_an_end():
    file = write("import sys\nsys.exit(0)\n")
    assert "SystemExit: 0 in `sys.exit(0)`" in complaint(f"{file}:X")


def test_a_module_that_the_model_misses_is_named_with_the_line_that_wants_it():
    file = write("import nothing_of_this_name\n")
    told = complaint(f"{file}:X")
    assert f"{file}:1: ModuleNotFoundError: No module named 'nothing_of_this_name'" in told
    assert told.endswith("install it, or put it beside the model")


def test_a_module_not_found_says_how_to_name_a_file():
    assert complaint("nothing.of.this:X") == (
        "no module 'nothing.of.this': give a path such as nothing/of/this.py, or install it"
    )


def test_a_file_that_cannot_be_opened_is_refused(monkeypatch: pytest.MonkeyPatch):
    file = write(LAMP)
    loader = "importlib.machinery.SourceFileLoader.get_data"

    def closed(self, path):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(loader, closed)
    assert complaint(f"{file}:Lamp") == f"{file}: Permission denied; give a readable file"


def test_a_file_that_the_model_itself_cannot_open_is_the_models_fault():
    file = write("open('not there')\n")
    assert complaint(f"{file}:X").startswith(f"{Path(file).absolute()}:1: FileNotFoundError: ")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("top=5", 5),
        ("top=-5", -5),
        (" top = 5", 5),
        ("top='5'", "5"),
        ("top=None", None),
        ("top=True", True),
        ("top=0.5", 0.5),
        ("top=('a','b')", ("a", "b")),
        ("top=['a', ['b']]", ("a", ("b",))),
        ("top={'a'}", frozenset({"a"})),
        ("top={'a': [1]}", Map(a=(1,))),
        ("top={}", Map()),
        ("top=b'x'", b"x"),
        ("name=bulb", "bulb"),
        ("name=a=b", "a=b"),
        ("name=", ""),
        ("name='quoted'", "quoted"),
        ("name=3", 3),
    ],
)
def test_constants_are_set_by_python_values_and_bare_words_where_text_is_meant(text, value):
    program = load_program(f"{write(LAMP)}:Lamp", [text])
    found = getattr(program.model, text.partition("=")[0].strip())
    assert found == value
    assert type(found) is type(value)


def test_several_constants_are_set_and_the_last_word_counts():
    program = load_program(f"{write(LAMP)}:Lamp", ["top=4", "name=x", "top=5"])
    assert (program.model.top, program.model.name) == (5, "x")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("top", "--set top: write NAME=VALUE"),
        ("=3", "--set =3: write NAME=VALUE"),
        ("", "write NAME=VALUE"),
        ("top=five", "write it as in the model, where top = 3, with quotes around text"),
        ("names=ann", "where names = ('a', 'b'), with quotes around text"),
        ("names=(", "is no Python value"),
        ("names={[1]: 2}", "is no Python value"),
        ("names=" + "(" * 500 + ")" * 500, "is no Python value"),
        ("names=__import__('os')", "is no Python value"),
        ("tpo=3", "Lamp has no constant 'tpo' to set; did you mean 'top'?"),
        ("on=True", "Lamp has no constant 'on' to set; known: name, names, top"),
        ("press=1", "Lamp has no constant 'press' to set"),
    ],
)
def test_a_wrong_setting_says_what_to_write(text, told):
    assert told in complaint(f"{write(LAMP)}:Lamp", [text])
