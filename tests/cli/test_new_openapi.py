"""`outplay new --openapi` writes a table, a model and a test that fit each other, whatever the document holds."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from helpers.commands import Result, called
from outplay.errors import FormatError
from outplay.play.adapters.http_table import HttpTable
from outplay.play.adapters.messages.templates import holes
from outplay.scaffolding.openapi.openapi_calls import calls_of
from outplay.scaffolding.openapi.openapi_document import OpenApi
from outplay.scaffolding.openapi.openapi_stub import openapi_files

KIND = {"$ref": "#/components/schemas/Kind"}
PETS: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Pet Store"},
    "servers": [{"url": "https://pets.example/v1"}],
    "paths": {
        "/pets": {
            "get": {
                "operationId": "listPets",
                "parameters": [
                    {"name": "kind", "in": "query", "required": True, "schema": KIND},
                    {"name": "limit", "in": "query", "schema": {"type": "integer"}},
                ],
                "responses": {"200": {"description": "The pets"}},
            },
            "post": {
                "operationId": "addPet",
                "requestBody": {"$ref": "#/components/requestBodies/Pet"},
                "responses": {"201": {"description": "Added"}, "409": {"description": "There already"}},
            },
        },
        "/pets/{petId}": {
            "parameters": [{"name": "petId", "in": "path", "required": True, "schema": {"type": "integer"}}],
            "get": {"responses": {"200": {"description": "The pet"}, "404": {"description": "No such pet"}}},
            "delete": {"operationId": "deletePet", "responses": {"2XX": {}, "default": {"description": "No such pet"}}},
        },
    },
    "components": {
        "requestBodies": {"Pet": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}},
        "schemas": {
            "Kind": {"type": "string", "enum": ["cat", "dog"]},
            "Pet": {
                "type": "object",
                "required": ["id", "kind", "tags", "mother"],
                "properties": {
                    "id": {"type": "integer", "minimum": 1},
                    "kind": KIND,
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "mother": {"type": "object", "properties": {"mother": {"$ref": "#/components/schemas/Pet"}}},
                },
            },
        },
    },
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class Pets(BaseHTTPRequestHandler):
    """The service that the document describes, which checks what it is sent."""

    protocol_version = "HTTP/1.1"
    pets: dict[int, Any]
    wrong = False

    def do_GET(self) -> None:
        place = urlsplit(self.path)
        if place.path == "/v1/pets":
            kind = parse_qs(place.query)["kind"][0]
            return self.answer(200 if kind in ("cat", "dog") else 400)
        return self.answer(200 if int(place.path.removeprefix("/v1/pets/")) in self.pets else 404)

    def do_POST(self) -> None:
        pet = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not isinstance(pet["id"], int) or pet["kind"] not in ("cat", "dog") or pet["tags"] != ["a"]:
            return self.answer(400)
        if pet["id"] in self.pets:
            return self.answer(422 if self.wrong else 409)
        self.pets[pet["id"]] = pet
        return self.answer(201)

    def do_DELETE(self) -> None:
        pet = self.pets.pop(int(self.path.removeprefix("/v1/pets/")), None)
        self.answer(204 if pet else 404)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture
def service() -> Iterator[type[Pets]]:
    class Handler(Pets):
        port = 0

    Handler.pets = {}
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Handler.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Handler
    server.shutdown()
    server.server_close()


def made(capsys, document: Any, *more: str) -> Result:
    Path("api.json").write_text(json.dumps(document))
    return called(capsys, "new", "--openapi", "api.json", *more)


def played(capsys, service: Any) -> Result:
    address = f"http://127.0.0.1:{service.port}/v1"
    plays = ("--plays", "3", "--steps", "40", "--silence", "0.2", "--seed", "1", "--shrink", "0")
    return called(capsys, "run", "pet_store_model.py:PetStore", "--sut", address, "--table", "pet_store.toml", *plays)


def test_what_is_written_fits_plays_and_finds_a_status_that_the_document_lacks(capsys, service):
    done = made(capsys, PETS)
    assert done.code == 0, done
    assert "made pet_store_model.py, pet_store.toml, test_pet_store.py" in done.out
    found = called(capsys, "verify", "pet_store_model.py:PetStore", "http://h", "--table", "pet_store.toml")
    assert (found.code, "4 inputs and 4 outputs" in found.out) == (0, True), found
    right = played(capsys, service)
    assert (right.code, "✓ Pass: 3 plays conformed" in right.out) == (0, True), right
    service.wrong = True
    wrong = played(capsys, service)
    assert (wrong.code, "!add_pet 422   ← not allowed here" in wrong.out) == (1, True), wrong


def test_a_model_that_is_filled_in_knows_when_an_answer_is_right(capsys, service):
    made(capsys, PETS)
    text = Path("pet_store_model.py").read_text()
    head, _, rest = text.partition("def get_pets_by_pet_id")
    before, _, after = rest.partition("return True  # False where this answer is wrong")
    filled = head + "def get_pets_by_pet_id" + before + "return result == 404" + after
    Path("pet_store_model.py").write_text(filled)
    service.pets.update({1: {}, 2: {}})
    wrong = played(capsys, service)
    assert (wrong.code, "!get_pets_by_pet_id 200   ← not allowed here" in wrong.out) == (1, True), wrong


def test_the_table_and_the_model_are_as_they_should_be(capsys):
    made(capsys, PETS, "-o", "there")
    table = tomllib.loads(Path("there/pet_store.toml").read_text())["inputs"]
    assert table["list_pets kind"] == {
        "method": "GET",
        "path": "/pets",
        "query": {"kind": "{kind}"},
        "outputs": [{"label": "list_pets {status}"}],
    }
    sent = table["add_pet id kind"]["json"]
    assert (sent["id"], sent["kind"], sent["tags"]) == ("{id}", "{kind}", ["a"])
    assert table["delete_pet pet_id"]["path"] == "/pets/{pet_id}"
    assert [row["label"] for row in table["delete_pet pet_id"]["outputs"]] == ["delete_pet 2XX", "delete_pet default"]
    model = Path("there/pet_store_model.py").read_text()
    assert '@controllable(returns=(201, 409))\n    @given(id=(1, 2), kind=("cat", "dog"))\n    def add_pet(' in model
    assert (
        'Http("http://127.0.0.1:8000/v1", read_table("pet_store.toml"))' in Path("there/test_pet_store.py").read_text()
    )
    for each in ("pet_store_model.py", "test_pet_store.py"):
        command = [sys.executable, "-m", "ruff", "format", "--check", "--isolated", "--line-length", "120", each]
        done = subprocess.run(command, cwd="there", capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_credentials_are_left_to_the_user_and_json_goes_by_its_name(capsys):
    body = {"content": {"application/merge-patch+json": {"schema": {"required": ["n"]}}}}
    operation = {"operationId": "change", "requestBody": body, "responses": {"200": {"description": "changed"}}}
    document = {"openapi": "3.1.0", "info": {"title": "A"}, "paths": {"/a": {"patch": operation}}}
    assert "credentials" not in made(capsys, document).out
    assert tomllib.loads(Path("a.toml").read_text())["inputs"]["change n"]["headers"] == {
        "Content-Type": "application/merge-patch+json"
    }
    done = made(capsys, document | {"security": [{"bearer": []}]}, "-o", "there")
    assert "the document asks for credentials; send them in the table" in done.out
    assert "{env.API_TOKEN}" in Path("there/a.toml").read_text()
    operation["security"] = []
    assert "credentials" not in made(capsys, document | {"security": [{"bearer": []}]}, "-o", "open").out


EVIL = 'x"""\'\n\r__import__("pathlib").Path("pwned").touch() #{env.HOME}\\\u202e\x00'


def hostile() -> dict[str, Any]:
    evil = {
        "type": "object",
        "required": [EVIL, "n"],
        "properties": {EVIL: {"enum": [EVIL]}, "n": {"const": {EVIL: 1}}},
    }
    names = ("given", "class", "client", "self", "env", "", "été", EVIL, "Model", "start", "9")
    parameters = [{"name": name, "in": "query", "required": True, "schema": {"default": EVIL}} for name in names]
    parameters += [{"name": name, "in": "header", "required": True, "schema": evil} for name in ("X-A", EVIL)]
    parameters += [{"name": name, "in": "cookie", "required": True, "schema": evil} for name in ("a{b", "c")]
    operation = {"parameters": parameters, "summary": EVIL, "responses": {"200": {"description": EVIL}, EVIL: {}}}
    body = {"content": {"application/json": {"schema": evil}}}
    paths = {
        f"/{n}/{{{EVIL.replace('{', '').replace('}', '')}}}{EVIL}": {"post": {**operation, "operationId": name}}
        for n, name in enumerate(names)
    }
    for path in paths.values():
        path["post"]["requestBody"] = body
    paths["/upload"] = {"put": {"requestBody": {"content": {EVIL: {}}}}}
    return {"openapi": "3.0.0", "info": {"title": EVIL}, "servers": [{"url": f"http://h/{EVIL}"}], "paths": paths}


def test_code_in_names_is_never_run(capsys):
    done = made(capsys, hostile(), "--json")
    assert done.code == 0, done
    model, table, tests = json.loads(done.out)["files"]
    assert [len(json.loads(done.out)["left"])] == [1]
    for path in (model, tests):
        tree = ast.parse(Path(path).read_text())
        called_names = {
            node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and hasattr(node.func, "id")
        }
        assert called_names <= {"controllable", "given", "play", "Http", "read_table"}
    name = next(node.name for node in ast.parse(Path(model).read_text()).body if isinstance(node, ast.ClassDef))
    found = called(capsys, "verify", f"{model}:{name}", "http://h", "--table", table)
    assert (found.code, "12 inputs" in found.out) == (0, True), found
    assert not Path("pwned").exists()
    for route in HttpTable.read(tomllib.loads(Path(table).read_text())).routes.values():
        assert {hole.path for hole in holes(route.call.trees)} <= {(name,) for name in route.row.parameters}


REFUSED = {
    "a cycle": ({"$ref": "#/paths/~1a"}, "leads back to itself"),
    "another file": ({"$ref": "/etc/passwd"}, "leads out of the document"),
    "another place": ({"$ref": "http://127.0.0.1:1/x"}, "leads out of the document"),
    "nothing": ({"$ref": "#/components/x"}, "leads to nothing"),
    "nobody": ({}, "no operation"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_references_that_lead_nowhere_are_refused(capsys, why):
    item, told = REFUSED[why]
    done = made(capsys, {"openapi": "3.0.0", "paths": {"/a": item}})
    assert (done.code, told in done.err) == (4, True), done
    assert [path.name for path in Path().iterdir()] == ["api.json"]


def test_other_documents_are_refused(capsys):
    assert "OpenAPI 3 is needed, this has version '2.0'" in made(capsys, {"swagger": "2.0", "paths": {}}).err
    assert "needs an object" in made(capsys, {"openapi": "3.0.0"}).err
    Path("api.yaml").write_text("openapi: 3.0.0\npaths: {}\n")
    assert "as JSON, not as YAML" in called(capsys, "new", "--openapi", "api.yaml").err
    Path("api.json").write_text('{"openapi": ' + "[" * 100_000)
    assert called(capsys, "new", "--openapi", "api.json").code == 4
    assert called(capsys, "new", "--openapi", "api.json", "--as", "ws").code == 2


def test_large_documents_are_bounded_and_still_fit(capsys):
    many = [{"name": f"p{n}", "in": "query", "required": True, "schema": {"enum": list(range(50))}} for n in range(30)]
    nested: dict[str, Any] = {"allOf": [{"$ref": "#/components/schemas/N"}] * 8, "properties": {}}
    nested["properties"] = {f"p{n}": {"$ref": "#/components/schemas/N"} for n in range(30)}
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/M"}}}}
    operation = {"parameters": many, "requestBody": body, "responses": {"200": {}, "404": {}}}
    paths = {f"/{n}": {"post": operation} for n in range(300)}
    schemas = {
        "M": {"type": "object", "properties": {"n": {"$ref": "#/components/schemas/L"}}},
        "L": nested,
        "N": nested,
    }
    schemas["N"] = {"type": "object", "properties": nested["properties"]}
    document = {"openapi": "3.0.0", "info": {"title": "Model"}, "paths": paths, "components": {"schemas": schemas}}
    done = made(capsys, document, "--json")
    assert done.code == 0, done
    assert "only the first 200 were written" in json.loads(done.out)["left"][0]
    assert sum(path.stat().st_size for path in Path().glob("model*")) < 1 << 20
    found = called(capsys, "verify", "model_2_model.py:Model2", "http://h", "--table", "model_2.toml")
    assert (found.code, "200 inputs and 200 outputs" in found.out) == (0, True), found


def test_whatever_stands_anywhere_is_refused_or_written_whole():
    """Values of all kinds, put at random places: what comes out can always be read."""
    strange: list[Any] = [
        None,
        True,
        -1,
        2**80,
        0.5,
        1e308,
        "",
        EVIL,
        [],
        [EVIL],
        {},
        {"$ref": "#/paths"},
        [{}],
        {"a": []},
    ]
    rng, written = Random(0), 0
    for _ in range(400):
        document = json.loads(json.dumps(rng.choice([PETS, hostile()])))
        for _ in range(rng.randint(1, 3)):
            places = list(_places(document))
            where, key = rng.choice(places)
            where[key] = rng.choice(strange)
        try:
            read = OpenApi("it", document)
            files = openapi_files(calls_of(read, list(read.operations())), "service", "http://h" + read.base)
        except FormatError:
            continue
        model, table, tests = files.values()
        for code in (model, tests):
            ast.parse(code)
        if "[inputs" in table:
            HttpTable.read(tomllib.loads(table))
            written += 1
    assert written > 100


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield value, key
        yield from _places(part)
