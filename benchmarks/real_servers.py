"""Real servers whose clients do not wait for each other: `python -m benchmarks.real_servers`.

Redis, memcached, PostgreSQL and Mosquitto are played by three clients, each on a connection of its own that gives its
next input before the last one is answered: directly, and through proxies that delay each piece by up to 50 ms. The
plays are those of `tests/live/test_unsynchronised.py`; what they found is put on the page.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.page import table, write_section

TITLE = "Real servers with clients that do not wait"
ROOT = Path(__file__).parents[1]
TESTS = "tests/live/test_unsynchronised.py"
CHOSEN = "two_hundred or planted"
SERVERS, PLAYS = ("redis", "memcached", "postgresql", "mosquitto"), 200


def figures(name: str) -> dict[str, Any] | None:
    """What the tests have kept under a name; none where the server is not installed."""
    path = ROOT / ".outplay" / "figures" / f"unsynchronised-{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def main() -> None:
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-k", CHOSEN, TESTS], cwd=ROOT, check=True)
    right, wrong = [], []
    for server in SERVERS:
        for way in ("directly", "delayed"):
            if told := figures(f"{server}-{way}-{PLAYS}"):
                plays = told["plays"]
                right.append([server, way, sum(plays.values()), told["labels"], plays.get("fail", 0)])
                right[-1].append(f"{told['seconds']:.0f}")
        for fault, (verdict, labels, seconds) in (figures(f"{server}-faults") or {}).items():
            wrong.append([server, fault, verdict, labels, f"{seconds:.2f}"])
    body = [
        "Plays of 20 steps of servers that are right; both ways share the seconds, since they are played at once:",
        table(["server", "way", "plays", "labels", "Fails", "seconds"], right),
        "Faults planted in what comes back, by one walk each until it is found:",
        table(["server", "fault", "verdict", "labels", "seconds"], wrong),
    ]
    write_section(TITLE, "\n\n".join(body))


if __name__ == "__main__":
    main()
