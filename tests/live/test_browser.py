"""The page about a run, as a real browser reads it: nothing but the page itself, and its words are there."""

from __future__ import annotations

import subprocess
from pathlib import Path

from helpers.commands import shell
from helpers.servers import needs

pytestmark = needs("chromium")

LAMP = 'des (0, 2, 2)\n(0, "?press", 1)\n(1, "!light", 0)\n'
DARK = 'des (0, 2, 2)\n(0, "?press", 1)\n(1, "!smoke", 0)\n'


def test_a_browser_shows_the_verdict_and_the_failing_play(tmp_path):
    Path("lamp.aut").write_text(LAMP)
    Path("system.aut").write_text(DARK)
    page = Path(shell("run", "lamp.aut", "--sut", "model:system.aut", "--plays", "3", "--json").json["report"])
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={tmp_path / 'profile'}"]
    command = ["chromium", *flags, "--dump-dom", page.resolve().as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    for word in ("✗ Fail", "!smoke", "allowed"):
        assert word in shown
