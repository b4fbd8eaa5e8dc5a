"""Servers with TLS: who is not trusted is refused with what to do, before anything is played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cryptography")

from helpers.certificates import certificate
from helpers.misbehaving import served
from outplay.errors import SystemUnready, UsageError
from outplay.play.adapters.adapters import adapter_of

CALL = {"inputs": {"say word": {"path": "/say"}}, "reset": [{"method": "POST", "path": "/reset"}]}
SPEECHES: dict[str, tuple[str, dict[str, Any]]] = {
    "https": ("answers", CALL),
    "wss": ("ws", {"inputs": {"say word": {"json": "{word}"}}}),
    "mqtts": ("mqtt", {"inputs": {"say word": {"topic": "say", "json": "{word}"}}}),
}


@pytest.mark.parametrize("faults", [None, "model"])
@pytest.mark.parametrize("adapter", SPEECHES)
def test_a_server_that_nobody_vouches_for_is_refused_until_ca_names_its_certificate(adapter, faults, tmp_path):
    pem, (speech, table) = tmp_path / "server.pem", SPEECHES[adapter]
    certificate(pem)
    with served(speech, str(pem)) as port:
        for ca in (None, str(pem)):
            text = f"{'' if adapter == 'mqtts' else '//'}localhost:{port}"
            options = {"table": "t", "read_table": lambda name: table, "faults": faults, "ca": ca}
            system = adapter_of(f"{adapter}:").system(text, **options)
            try:
                if ca is None:
                    with pytest.raises(SystemUnready, match=r"no secure connection to .*--ca FILE names the authority"):
                        system.reset()
                else:
                    system.reset()
                    assert system.observe(0.01).kind == "silence"
            finally:
                system.close()


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_file_without_certificates_is_told(content, tmp_path):
    path = Path(tmp_path, "ca.pem")
    if content:
        path.write_text(content)
    with pytest.raises(UsageError, match="no certificates in PEM can be read there"):
        adapter_of("https:").system("//localhost", table="t", read_table=lambda name: CALL, ca=str(path))
