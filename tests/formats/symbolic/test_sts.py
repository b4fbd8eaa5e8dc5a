"""Symbolic systems in files: our own text, the JSON of Lattest, the XML of register automata."""

from __future__ import annotations

import itertools
from pathlib import Path
from random import Random

import pytest

from helpers.places import shared_data
from helpers.seeds import seeds
from helpers.symbolic import adder, random_system
from outplay import Label, read_model, specification, write_model
from outplay.errors import FormatError
from outplay.formats.common.source import Source
from outplay.formats.symbolic import register_xml, sts, sts_json
from outplay.model.symbolic.symbolic_system import system_text

ADDER = """system adder
variable x: integer = 0
input inX(p: integer)
output outX(p: integer)
output done
initial l0
switch r0: l0 -> l1 on inX(p) when 1 <= p <= 10 do x := x + p   # at least one
switch r1: l1 -> l0
    on outX(p)
    when p = x
switch r2: l0 -> l2 on done when x > 15
"""
HEAD = "variable x: integer = 0\ninput a(p: integer)\noutput o\ninitial l\n"


def parse(text):
    return sts.read(Source("m.sts", text))


def test_the_text_is_the_system_written_in_python():
    assert parse(ADDER) == adder()


@seeds(range(40), quick=10)
def test_what_is_written_is_read_as_the_same(seed):
    system = random_system(Random(seed))
    if not any(system.initial in (one.source, one.target) for one in system.switches):
        pytest.skip("nothing can ever happen in it, so the initial location is taken for misspelt")
    write_model("m.sts", system)
    assert read_model("m.sts") == system
    assert Path("m.sts").read_text() == "".join(system_text(system))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "m.sts:1:1: no initial location; write: initial NAME"),
        ("inital l0", "m.sts:1:1: 'inital' starts no statement; did you mean 'initial'?"),
        (HEAD + "switch r: l -> l on a when p + 1", "m.sts:5:1: switch r: p + 1 is of sort integer, and a guard is"),
        (HEAD + "switch r: l -> l on a when q > 1", "m.sts:5:28: no name 'q'; known: p, x"),
        (HEAD + "switch r: l -> l on a\n  when p >", "m.sts:6:11: the end where a term is needed"),
        (HEAD + "switch r: l -> l on b", "m.sts:5:21: gate b: declare it first"),
        (HEAD + "switch r: l -> l on a(p, q)", "m.sts:5:21: gate ?a has 1 parameter, not 2"),
        (HEAD + "switch r: l -> l on a do x := true", "m.sts:5:26: x is of sort integer, but true is of sort boolean"),
        (HEAD + "switch r: l -> l on a do y := 1", "m.sts:5:26: 'y' is no variable; known: x"),
        (HEAD + "switch r: l -> l on a x", "m.sts:5:23: 'x' after the end of the statement"),
        (HEAD + "switch r: l -> l on a\nswitch r: l -> l on o", "m.sts:5:1: switch r: there are two of this name"),
        ("initial opne\ninput a\nswitch r: open -> b on a", "m.sts:1:9: unknown location 'opne'; did you mean 'open'?"),
        (HEAD + "initial m", "m.sts:5:9: a second initial location; keep one"),
        ("variable x: 5..1 = 0", "m.sts:1:13: there is no integer in 5..1"),
        ("variable x: 0..5 = 9", "m.sts:1:20: 9 is no value of 0..5"),
        ("variable x: whole = 9", "m.sts:1:13: no sort 'whole'; known: boolean, integer, text, or low..high"),
        ("enumeration k = red, red", "m.sts:1:22: red is declared twice"),
        ("constant c = 1\nconstant c = 2", "m.sts:2:10: c is declared twice"),
        (HEAD + "input a", "m.sts:5:7: gate ?a is declared twice; keep one"),
        (HEAD + "goal g at m", "m.sts:1:1: goal g: no location 'm'"),
        (HEAD + "switch r: l -> l on a when " + "(" * 90, "nested deeper than 80 levels"),
    ],
)  # fmt: skip
def test_a_wrong_text_is_refused_with_its_place(text, message):
    with pytest.raises(FormatError) as error:
        parse(text)
    assert str(error.value).startswith(message) or message in str(error.value)


def test_a_gate_of_both_directions_is_named_with_its_mark():
    system = parse(
        "input m(p: 0..1)\noutput m(p: 0..1)\ninitial l\nswitch r: l -> k on ?m(p)\n"
        "switch s: k -> l on !m(q) when q = 1"
    )
    spec = specification(system)
    assert spec.outputs(("k", ())) == [Label.parse("!m 1")]
    with pytest.raises(FormatError, match=r"gate m: \?m or !m"):
        parse("input m\noutput m\ninitial l\nswitch r: l -> l on m")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"op": "+"', '"op": "^"', "no operation '^'"),
        ('"G3": { "lhs": "waterlevel"', '"G3": { "lhs": "water"', "no variable or parameter 'water'; did you mean"),
        ('"gate": "Out1"', '"gate": "Out9"', "switch r_3: no gate 'Out9'"),
        ('"waterlevel": 0', '"waterlevel": "0"', "waterlevel starts as '0', which is no value of integer"),
        ('"initial_location": 0', '"initial_location": 7', "7 is no location"),
        ('"guard": "G1"', '"guard": "G7"', "switch r_3: no guard 'G7'"),
        ('"op": "==", "rhs": "waterlevel_p"', '"op": "+", "rhs": "waterlevel_p"', "is of sort integer, and a guard is"),
    ],
)
def test_a_wrong_json_is_refused_with_its_place(old, new, message):
    path = shared_data("lattest", "toy_example_sts_coffee.json")
    if not path.exists():
        pytest.skip("no folder shared/data beside the repository")
    text = path.read_text()
    assert old in text
    with pytest.raises(FormatError) as error:
        sts_json.read(Source("m.json", text.replace(old, new, 1)))
    assert message in str(error.value)
    assert str(error.value).startswith("m.json:")


XML = """<register-automaton><alphabet><inputs><symbol name="IPut"><param type="int" name="x"/></symbol></inputs>
<outputs><symbol name="OVal"><param type="int" name="p"/><param type="int" name="q"/></symbol></outputs></alphabet>
<constants><constant type="int" name="one">1</constant></constants>
<globals><variable type="int" name="x">0</variable><variable type="int" name="y">5</variable></globals>
<locations><location name="s" initial="true"/><location name="m"/></locations>
<transitions><transition from="s" to="m" symbol="IPut" params="v"><guard>v != one</guard>
<assignments><assign to="x">v</assign><assign to="y">x</assign></assignments></transition>
<transition from="m" to="s" symbol="OVal" params="y,one"/></transitions></register-automaton>"""


def test_registers_are_assigned_one_after_the_other():
    spec = specification(register_xml.read(Source("m.xml", XML)))
    assert spec.after(("s", (0, 5)), Label.parse("?IPut 7")) == [("m", (7, 7))]
    assert spec.after(("s", (0, 5)), Label.parse("?IPut 1")) == []
    assert spec.outputs(("m", (7, 7))) == [Label.parse("!OVal 7 1")]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<register", "<!DOCTYPE x [<!ENTITY a 'b'>]><register", "a document type is not read"),
        ("register-automaton", "automaton", "no <register-automaton> document"),
        ("</globals>", "", "no XML: mismatched tag"),
        ('symbol="OVal"', 'symbol="ONo"', "no symbol 'ONo' in the alphabet"),
        ('params="y,one"', 'params="y"', "!OVal has 2 parameters, not 1"),
        ('params="y,one"', 'params="y,two"', "no name 'two'"),
        ("v != one", "v + one", "v + 1 is of sort integer, and a guard is a condition"),
        ('to="x">v', 'to="z">v', "no register 'z'"),
        (' initial="true"', "", "0 initial locations"),
        ('type="int" name="one"', 'type="float" name="one"', "no type 'float'"),
        ('<location name="m"/>', "<a>" * 60 + "</a>" * 60, "more than 50 levels"),
    ],
)
def test_a_wrong_xml_is_refused_with_its_place(old, new, message):
    with pytest.raises(FormatError) as error:
        register_xml.read(Source("m.xml", XML.replace(old, new)))
    assert message in str(error.value)
    assert str(error.value).startswith("m.xml:")


FRESH_MAP = """<register-automaton><alphabet><inputs><symbol name="IGet"/></inputs>
<outputs><symbol name="OKey"><param type="int" name="k"/></symbol></outputs></alphabet>
<globals><variable type="int" name="one">0</variable><variable type="int" name="two">0</variable></globals>
<locations><location name="s" initial="true"/><location name="a"/><location name="b"/><location name="c"/>
<location name="d"/></locations><transitions>
<transition from="s" to="a" symbol="IGet"/>
<transition from="a" to="b" symbol="OKey" params="__fresh__">
<assignments><assign to="one">__fresh__</assign></assignments></transition>
<transition from="b" to="c" symbol="IGet"/>
<transition from="c" to="b" symbol="OKey" params="__fresh__"><assignments><assign to="two">one</assign>
<assign to="one">__fresh__</assign></assignments></transition></transitions></register-automaton>"""


def test_a_fresh_value_is_none_that_a_register_surely_holds():
    spec = specification(register_xml.read(Source("m.xml", FRESH_MAP)))
    for keys in itertools.product(range(3), repeat=3):
        states, allowed = list(spec.initial), []
        for key in keys:
            asked = [after for state in states for after in spec.after(state, Label.parse("?IGet"))]
            states = [after for state in asked for after in spec.after(state, Label.parse(f"!OKey {key}"))]
            allowed.append(bool(states))
        # What is in no register may come again; 0 is a key like any other, though registers start with it.
        first, second, third = keys
        assert allowed == [True, first != second, first != second and second != third]


@pytest.mark.parametrize(
    ("path", "locations", "variables", "switches"),
    [
        ("brp/BRP_reference.register.xml", 152, 7, 228),
        ("brp/BRP_mutant2.register.xml", 128, 7, 192),
        ("register-automata/Login_FM/model.register.xml", 12, 4, 19),
        ("register-automata/ABP_output/model.register.xml", 30, 1, 50),
        ("register-automata/BiometricPassport/model.register.xml", 35, 1, 78),
        ("lattest/toy_example_sts_coffee.json", 2, 1, 4),
    ],
)
def test_public_files_are_read_and_written_as_ours(path, locations, variables, switches):
    file = shared_data(*path.split("/"))
    if not file.exists():
        pytest.skip("no folder shared/data beside the repository")
    system = read_model(file, name="it")
    assert (len(system.locations), len(system.variables), len(system.switches)) == (locations, variables, switches)
    write_model("m.sts", system)
    assert read_model("m.sts") == system
