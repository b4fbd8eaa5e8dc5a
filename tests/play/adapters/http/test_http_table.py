"""A table that cannot mean anything is refused where it is read, with the place and what to write."""

from __future__ import annotations

import pytest

from helpers.places import ROOT
from outplay.errors import AdapterError, FormatError
from outplay.formats.table_toml import read_table
from outplay.model.label import Label
from outplay.play.adapters.http_table import HttpTable

GOOD = """
[saved]
cursor = 0

[inputs."post sender text"]
client = "{sender}"
method = "POST"
path = "/messages/{sender}"
query = {loud = "{text}"}
headers = {Authorization = "Bearer {saved.token}"}
json = {text = "{text}", tags = ["x", "{sender}"]}
timeout = 2.5
outputs = [
    {when = {status = 201}, label = "posted {json.id}"},
    {when = {status = [400, 409]}, label = "refused"},
]

[[listen]]
clients = ["ann", "bob"]
stream = true
path = "/events/{client}"
outputs = [{when = {event = "deliver"}, label = "deliver {client} {json.text}"}]

[health]
path = "/health"
quiet = {"json.pending" = 0}
"""


def test_a_table_is_read_from_toml(tmp_path):
    (tmp_path / "routes.toml").write_text(GOOD)
    table = HttpTable.read(read_table(tmp_path / "routes.toml"))
    route = table.routes["post"]
    assert (route.row.parameters, route.call.method, route.call.timeout) == (("sender", "text"), "POST", 2.5)
    assert [listener.clients for listener in table.listeners] == [("ann", "bob")]
    assert not table.is_synchronous
    assert HttpTable.read({"inputs": {"get": {"path": "/"}}}).is_synchronous


def test_the_table_of_the_how_to_is_one(tmp_path):
    page = (ROOT / "docs" / "howto" / "http.md").read_text(encoding="utf-8")
    (tmp_path / "routes.toml").write_text(page.split("```toml\n")[1].split("```")[0])
    table = HttpTable.read(read_table(tmp_path / "routes.toml"))
    assert list(table.routes) == ["submit", "cancel"]
    assert not table.is_synchronous


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ({"paht": "/x"}, "unknown 'paht'; did you mean 'path'"),
        ({"path": "x"}, "the path 'x' should begin with /"),
        ({"path": ""}, "should begin with /"),
        ({"path": "/", "method": "FETCH"}, "the method 'FETCH' is none of GET"),
        ({"path": "/", "json": {}, "body": ""}, "a call has one body; leave json or body out"),
        ({"path": "/{whom}"}, "nothing is called {whom}; did you mean 'who'"),
        ({"path": "/", "json": {"a": [{"b": "{jsn.x}"}]}}, "nothing is called {jsn.x}"),
        ({"path": "/", "query": "a=1"}, "query should be a table"),
        ({"path": "/", "timeout": 0}, "timeout should be a number of seconds above 0"),
        ({"path": "/", "timeout": True}, "timeout should be a number"),
        ({"path": "/", "client": "{json.id}"}, "nothing is called {json.id}"),
        ({"path": "/", "background": 1}, "background should be true or false"),
        ({"path": "/", "outputs": {}}, "outputs should be a list"),
        ({"path": "/", "outputs": [{"label": "{who} x"}]}, "a label begins with the name of its action"),
        ({"path": "/", "outputs": [{"lable": "x"}]}, "output 1: unknown 'lable'; did you mean 'label'"),
        ({"path": "/", "outputs": [{"when": {"stauts": 1}}]}, "nothing is called {stauts}; did you mean 'status'"),
        ({"path": "/", "outputs": [{"label": "x {jason.id}"}]}, "nothing is called {jason.id}; did you mean 'json'"),
        ({"path": "/", "outputs": [{"later": {"path": "/{jsno.id}"}}]}, "later: nothing is called {jsno.id}"),
        ([], "it should be a table"),
    ],
)
def test_a_mistake_in_a_row_is_told_with_its_place(entry, complaint):
    with pytest.raises(FormatError) as refused:
        HttpTable.read({"inputs": {"go who": entry}}, "routes.toml")
    assert "routes.toml: inputs 'go who'" in str(refused.value)
    assert complaint in str(refused.value)


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ({}, "no inputs"),
        ({"input": {}}, "unknown 'input'; did you mean 'inputs'"),
        ({"inputs": {"": {"path": "/"}}}, "a row without a name"),
        ({"inputs": {"a b b": {"path": "/"}}}, "a parameter cannot be called 'b'"),
        ({"inputs": {"a status": {"path": "/"}}}, "a parameter cannot be called 'status'"),
        ({"inputs": {"a answer": {"path": "/"}}}, "a parameter cannot be called 'answer'"),
        ({"inputs": {"a": {"path": "/"}, "a b": {"path": "/"}}}, "there is a row for a already"),
        ({"inputs": {"a": {"path": "/"}}, "listen": {"path": "/"}}, "listen should be a list of tables, [[listen]]"),
        ({"inputs": {"a": {"path": "/"}}, "listen": [{"path": "/", "clients": "ann"}]}, "clients should be a list"),
        ({"inputs": {"a": {"path": "/"}}, "saved": 1}, "saved should be a table"),
        ({"inputs": {"a": {"path": "/"}}, "reset": [{"path": "/{item.x}"}]}, "reset 1: nothing is called {item.x}"),
        ({"inputs": {"a": {"path": "/"}}, "health": {"path": "/", "quite": {}}}, "did you mean 'quiet'"),
    ],
)
def test_a_mistake_elsewhere_is_told_too(document, complaint):
    with pytest.raises(FormatError) as refused:
        HttpTable.read(document)
    assert complaint in str(refused.value)


@pytest.mark.parametrize("text", ["[inputs", 'a = "', "x = 1\nx = 2", "a = " + "[" * 2000])
def test_what_is_no_toml_is_told_with_its_place(tmp_path, text):
    (tmp_path / "routes.toml").write_text(text)
    with pytest.raises(FormatError, match=r"routes\.toml:\d+:\d+: "):
        read_table(tmp_path / "routes.toml")


def test_a_label_with_other_arguments_than_its_row_is_the_tables_mistake():
    row = HttpTable.read({"inputs": {"go who": {"path": "/"}}}).routes["go"].row
    with pytest.raises(AdapterError, match="has 2 arguments, its row is 'go who'"):
        row.bound(Label.parse("?go a b"))
