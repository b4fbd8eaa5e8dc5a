"""Calls over HTTP on loopback: how many a second the adapter makes, beside plain httpx2 in the same run.

    python -m benchmarks.http_calls

The server answers at once, in a process of its own. In each round the same number of calls is made by both, in turn.
"""

from __future__ import annotations

import subprocess
import sys
import time

import httpx2

from benchmarks.page import table, write_section
from outplay import Http, Label

ROUNDS, CALLS = 5, 1_000
TABLE = {"inputs": {"get key": {"path": "/values/{key}", "outputs": [{"label": "value {json.value}"}]}}}
SERVER = """
import asyncio

async def serve(reader, writer):
    while (await reader.readline()).startswith(b"GET"):
        while await reader.readline() != b"\\r\\n":
            pass
        body = b'{"value": 1}'
        writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n%b" % (len(body), body))

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


def main() -> None:
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}"
        ways = {"httpx2 alone": plainly, "the adapter of outplay": by_adapter}
        found = {name: list[float]() for name in ways}
        for _ in range(ROUNDS):
            for name, way in ways.items():
                found[name].append(CALLS / way(url))
    finally:
        server.kill()
        server.communicate()
    best = {name: max(rates) for name, rates in found.items()}
    plain = best["httpx2 alone"]
    rows = [(name, f"{rate:,.0f}", f"{rate / plain:.2f}") for name, rate in best.items()]
    write_section("Calls over HTTP", table(("way", "calls a second", "of httpx2 alone"), rows))


def plainly(url: str) -> float:
    with httpx2.Client(trust_env=False) as client:
        client.get(f"{url}/values/a")
        began = time.perf_counter()
        for _ in range(CALLS):
            assert client.get(f"{url}/values/a").json()["value"] == 1
        return time.perf_counter() - began


def by_adapter(url: str) -> float:
    system = Http(url, TABLE)
    system.reset()
    label = Label.parse("?get a")
    began = time.perf_counter()
    for _ in range(CALLS):
        system.give(label)
        assert str(system.observe(10.0)) == "!value 1"
    took = time.perf_counter() - began
    system.close()
    return took


if __name__ == "__main__":
    main()
