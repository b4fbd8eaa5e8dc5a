"""How soon `outplay --help` answers, beside Python doing nothing at all.

python -m benchmarks.help
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from benchmarks.page import table, write_section

ROUNDS = 15


def main() -> None:
    outplay = Path(sys.executable).parent / "outplay"
    rows = [
        (name, f"{1000 * fastest(command):.0f}")
        for name, command in (
            ("outplay --help", [str(outplay), "--help"]),
            ("python -c pass", [sys.executable, "-c", "pass"]),
            ("python -c 'import numpy'", [sys.executable, "-c", "import numpy"]),
        )
    ]
    write_section("Starting up", table(("command", "milliseconds"), rows))


def fastest(command: list[str]) -> float:
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - began)
    return min(times)


if __name__ == "__main__":
    main()
