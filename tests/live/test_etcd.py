"""A server nobody here has written, called over HTTP by a table: etcd, with its keys, conditions and long polls."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.servers import PATIENCE, eagerly, free_port, needs, serving
from outplay import Model, controllable, given, observable, run
from outplay.formats.table_toml import read_table
from outplay.play.timing import Timing

pytest.importorskip("httpx2")
from outplay import Http

pytestmark = needs("etcd")
SILENCE = Timing(PATIENCE, 0.2)
TABLE = """
[inputs."put value"]
method = "PUT"
path = "/v2/keys/k"
form = {value = "{value}"}
outputs = [{when = {status = [200, 201]}, label = "stored {json.node.value}"}]

[inputs.get]
path = "/v2/keys/k"
outputs = [
    {when = {status = 200}, label = "value {json.node.value}"},
    {when = {status = 404}, label = "missing"},
]

[inputs."swap old new"]
method = "PUT"
path = "/v2/keys/k"
query = {prevValue = "{old}"}
form = {value = "{new}"}
outputs = [
    {when = {status = 200}, label = "stored {json.node.value}"},
    {when = {status = 412}, label = "different"},
    {when = {status = 404}, label = "missing"},
]

[inputs.delete]
method = "DELETE"
path = "/v2/keys/k"
outputs = [{when = {status = 200}, label = "deleted"}, {when = {status = 404}, label = "missing"}]

[[reset]]
method = "DELETE"
path = "/v2/keys/k"
when = {status = [200, 404]}

[[reset]]
method = "PUT"
path = "/v2/keys/k"
form = {value = "a"}
save = {index = "{json.node.modifiedIndex}"}

[health]
path = "/health"
when = {"json.health" = "true"}
"""
WATCH = """
[[listen]]
path = "/v2/keys/k"
query = {wait = "true", waitIndex = "{saved.index+1}"}
outputs = [
    {when = {status = 200, "json.action" = "delete"}, label = "gone", save = {index = "{json.node.modifiedIndex}"}},
    {when = {status = 200}, label = "changed {json.node.value}", save = {index = "{json.node.modifiedIndex}"}},
]
"""


class Key(Model):
    """One key, one call at a time; what happened to it is also shown to a watcher where there is one."""

    watched = False
    value: str = "a"
    answer: str = ""
    shown: tuple[str, ...] = ()

    def change(self, value: str, answer: str) -> None:
        self.value, self.answer = value, answer
        if self.watched:
            self.shown += (value,)

    @controllable
    @given(value=["a", "b"])
    def put(self, value):
        if self.answer:
            return False
        self.change(value, f"stored {value}")

    @controllable
    def get(self):
        if self.answer:
            return False
        self.answer = f"value {self.value}" if self.value else "missing"

    @controllable
    @given(old=["a", "b"], new=["a", "b"])
    def swap(self, old, new):
        if self.answer:
            return False
        if self.value == old:
            self.change(new, f"stored {new}")
        else:
            self.answer = "different" if self.value else "missing"

    @controllable
    def delete(self):
        if self.answer:
            return False
        if self.value:
            self.change("", "deleted")
        else:
            self.answer = "missing"

    def answered(self, text: str) -> Any:
        if self.answer != text:
            return False
        self.answer = ""
        return None

    @observable
    @given(value=["a", "b"])
    def stored(self, value):
        return self.answered(f"stored {value}")

    @observable
    @given(word=["a", "b"])
    def value_(self, word):
        return self.answered(f"value {word}")

    @observable
    def missing(self):
        return self.answered("missing")

    @observable
    def different(self):
        return self.answered("different")

    @observable
    def deleted(self):
        return self.answered("deleted")

    @observable
    @given(value=["a", "b"])
    def changed(self, value):
        if self.shown[:1] != (value,):
            return False
        self.shown = self.shown[1:]

    @observable
    def gone(self):
        if self.shown[:1] != ("",):
            return False
        self.shown = self.shown[1:]


class Watched(Key):
    """The same with a watcher."""

    watched = True


class Forgetful(Key):
    """A wrong model: a swap that fails stores all the same."""

    def swap_anyway(self, new: str) -> None:
        self.change(new, f"stored {new}")

    @controllable
    @given(old=["a", "b"], new=["a", "b"])
    def swap(self, old, new):
        if self.answer:
            return False
        self.swap_anyway(new)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder, port, other = tmp_path_factory.mktemp("etcd"), free_port(), free_port()
    address = f"http://127.0.0.1:{port}"
    command = ["etcd", "--data-dir", str(folder / "data"), "--enable-v2", "--listen-client-urls", address]
    command += ["--advertise-client-urls", address, "--listen-peer-urls", f"http://127.0.0.1:{other}"]
    with serving(command, port, folder):
        yield address


def table(folder: Path, text: str) -> dict[str, Any]:
    (folder / "routes.toml").write_text(text.replace("value {json.node.value}", "value_ {json.node.value}"))
    return read_table(folder / "routes.toml")


@pytest.mark.parametrize("model", [Key, Watched, Forgetful])
def test_etcd_passes_with_and_without_a_watcher_and_a_wrong_model_does_not(url, tmp_path, model):
    text = TABLE + WATCH if model is Watched else TABLE
    system = Http(url, table(tmp_path, text), patience=PATIENCE)
    assert system.synchronous == (model is not Watched)
    outcome = run(eagerly(model), system, plays=5, steps=30, timing=SILENCE)
    assert outcome.verdict.name == ("fail" if model is Forgetful else "pass"), outcome.verdict.why
