"""A secret that is known is left out wherever it stands, however it is written; what is none stays."""

from __future__ import annotations

import html
import json
import re
import shlex
from base64 import b64encode, urlsafe_b64encode
from random import Random
from urllib.parse import quote, quote_plus

import pytest

from helpers.seeds import seeds
from outplay.redaction import SHORTEST, redaction

LETTERS = "abcXYZ0189 !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~äß€😀"
WAYS = {
    "as it is": str,
    "for a path of a URL": lambda value: quote(value, safe=""),
    "for a query": quote_plus,
    "in small letters": lambda value: re.sub("%..", lambda found: found[0].lower(), quote(value, safe="")),
    "for a shell": shlex.quote,
    "for a shell by backslashes": lambda value: re.sub(r"(\W)", r"\\\1", value),
    "in JSON": lambda value: json.dumps(value)[1:-1],
    "on a page": html.escape,
    "in hexadecimal": lambda value: value.encode().hex(),
    "in Base64": lambda value: b64encode(value.encode()).decode(),
    "in Base64 behind a name": lambda value: b64encode(f"ann:{value}".encode()).decode(),
    "in Base64 between others": lambda value: b64encode(f"me {value} too".encode()).decode(),
    "in Base64 of a URL": lambda value: quote(b64encode(value.encode()).decode(), safe=""),
    "in Base64 over lines": lambda value: "\n".join(re.findall(".{1,5}", urlsafe_b64encode(value.encode()).decode())),
    "over two lines": lambda value: f"{value[:4]}\n    {value[4:]}",
    "over lines of a shell": lambda value: "\\\n".join(value),
    "as Python writes it": ascii,
    "as Python writes its bytes": lambda value: repr(value.encode()),
    "in octal": lambda value: "".join(f"\\{byte:03o}" if byte > 126 else chr(byte) for byte in value.encode()),
    "in JSON with capitals": lambda value: re.sub("u[0-9a-f]{4}", lambda u: f"u{u[0][1:].upper()}", json.dumps(value)),
    "in a mail": lambda value: re.sub("[^A-Za-z0-9]", lambda one: "".join(f"={b:02X}" for b in one[0].encode()), value),
    "cut at the end": lambda value: f"{value[:-1]}…",
    "cut at the beginning": lambda value: f"…{value[1:]}",
}


def secret(rng: Random, length: int) -> str:
    """A secret that no word of the text around it can be taken for."""
    return "Q" + "".join(rng.choice(LETTERS) for _ in range(length)) + "Q"


@pytest.mark.promise("C2")
@pytest.mark.parametrize("way", WAYS)
@seeds(range(100), quick=8)
def test_a_secret_goes_however_it_is_written(seed: int, way: str):
    rng = Random(f"{seed} {way}")
    value = secret(rng, rng.randrange(SHORTEST, 20))
    redact = redaction((), {"DB_PASSWORD": value})
    said = WAYS[way](value)
    left = redact(f"the system said: {said}\nand went")
    assert said not in left
    assert not any(value[place : place + SHORTEST] in left for place in range(len(value) - SHORTEST + 1)), left
    assert left.startswith("the system said: ")
    assert left.endswith("and went")


@seeds(range(100), quick=8)
def test_a_secret_that_an_option_or_an_address_gives_goes_everywhere_else_too(seed: int):
    rng = Random(seed)
    value = secret(rng, rng.randrange(SHORTEST, 20))
    given = rng.choice([
        f"exec:./server --password {shlex.quote(value)} --port 80",
        f"exec:./server --door={shlex.quote(value)}",
        f"tcp:redis://ann:{quote(value, safe='')}@host:1",
        f"tcp:redis://:{quote(value, safe='')}@host:1",
    ])  # fmt: skip
    redact = redaction(["door"], {}, texts=[given])
    assert value not in redact(f"cannot log in with {value}.")
    assert quote(value, safe="") not in redact(given)
    assert redact.words((f"is {value} right", value)) == ("<redacted>", "<redacted>")
    assert "--port 80" in redact(given) or "--port" not in given


def test_what_is_short_goes_as_a_word_or_behind_its_option_only():
    redact = redaction((), {}, texts=["exec:./server --pin 12 --token dog"])
    assert redact("a dog and a dogma in 12 lines, --pin 12") == "a <redacted> and a dogma in 12 lines, --pin <redacted>"
    assert redact.words(("dog", 12)) == ("dog", 12)


@pytest.mark.promise("C2")
@pytest.mark.parametrize(
    "given",
    [
        "ws://host/?token=open-sesame&user=ann",
        "http://host/?user=ann&api_key=open%2Dsesame#top",
        "exec:curl -H 'Authorization: Bearer open-sesame' host",
        'exec:curl -H "X-Api-Key: open-sesame" host',
        """exec:./server --config '{"port": 1, "db_password": "open-sesame", "user": "ann"}'""",
        "exec:./server --config {user: ann, password: open-sesame}",
        "exec:./server --db-password:open-sesame",
        "server=./server --token open-sesame",
        "http://ann:open-sesame@x@host",
    ],
)
def test_a_secret_goes_however_it_is_given(given):
    redact = redaction((), {}, texts=[given])
    assert "open-sesame" not in redact(f"{given} you said open-sesame, did you")
    assert redact.words(("echo", "open-sesame")) == ("echo", "<redacted>")


@pytest.mark.parametrize(
    "given", ["tcp:secret-host:7000", "python:auth_token.py:Server", "exec:./key:8000", "http://secret.org:7000/x"]
)
def test_an_address_or_a_class_is_no_secret(given):
    assert redaction((), {}, texts=[given]).words(("echo", 7000, 8000, "Server")) == ("echo", 7000, 8000, "Server")


@pytest.mark.promise("C2")
def test_a_secret_that_is_several_words_of_a_label_goes():
    redact = redaction((), {"DB_PASSWORD": "open sesame now"})
    said = ("echo", "to", "open", "sesame", "now", 3)
    assert redact.words(said) == ("echo", "to", *["<redacted>"] * 3, 3)
    assert redact.words(("echo", "open", "now", "sesame")) == ("echo", "open", "now", "sesame")


def test_numbers_are_secrets_too():
    redact = redaction((), {"API_KEY": "31415926"})
    assert redact.words((31415926, 3, "pi")) == ("<redacted>", 3, "pi")


def test_the_halves_of_a_secret_on_two_lines_go():
    redact = redaction((), {"TOKEN": "open-sesame!"})
    assert redact("its last line: same!") == "its last line: same!"  # five letters may be any word
    assert redact("its last line: sesame!") == "its last line: <redacted>"
    assert redact("open-se") == "<redacted>"


def test_a_file_that_is_named_as_a_key_is_no_secret(tmp_path):
    place = tmp_path / "server.pem"
    place.write_text("")
    assert redaction((), {}, texts=[f"exec:./server --key {place}"])(f"cannot read {place}") == f"cannot read {place}"


def test_a_word_that_a_secret_happens_to_end_with_stays_in_a_label():
    redact = redaction((), {"TOKEN": "long-before-we-deliver"})
    assert redact.words(("deliver", "long-before-we-del")) == ("deliver", "<redacted>")
