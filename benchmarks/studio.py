"""How smooth the studio is: graphs drawn and panned in headless Chromium, large games opened, live runs followed.

    python -m benchmarks.studio

Debian's chromium without a GPU; the times are those of the browser's own clock.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.page import table, write_section

CHAT = Path(__file__).resolve().parents[1] / "examples" / "chat" / "model.py"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
SIZES = ((2_000, 6_000), (10_000, 36_000), (20_000, 60_000))
SIZES_HEAD = ("vertices / edges", "data to picture, ms", "frame, all in view, ms", "frame, zoomed in, ms")
SIZES_HEAD += ("frames/s", "zoomed in")
OPENING_HEAD = ("states", "read or explored, and grouped, s", "folded scene, s", "command to picture, s", "frame, ms")
LIVE_HEAD = ("events/s", "interactions over 16 ms", "slowest interaction, ms")
PAN = """async () => {
    const graph = studio.graph, times = [];
    graph.dragging = true;
    for (let frame = 0; frame < 40; frame++) {
        const began = performance.now();
        graph.camera.x += 12 / graph.camera.scale;
        graph.paint();
        graph.pen.getImageData(0, 0, 1, 1);
        times.push(performance.now() - began);
        await new Promise(requestAnimationFrame);
    }
    graph.dragging = false;
    return times.sort((one, other) => one - other)[20];
}"""
WATCH = """() => {
    window.slow = [];
    // Clicks and keys: what merely passes over a button need not paint anything, and lasts until the next news.
    const keep = one => { if (one.interactionId) window.slow.push(one.duration); };
    new PerformanceObserver(list => list.getEntries().forEach(keep))
        .observe({ type: 'event', durationThreshold: 16, buffered: true });
}"""


@contextmanager
def opened(browser: Browser, *arguments: str, folder: Path) -> Iterator[tuple[Page, float]]:
    """A page that shows a studio, and the seconds from the start of the command until the graph stood."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "outplay", "studio", *arguments, "--no-open"]
    environment = {**os.environ, "XDG_DATA_HOME": str(folder)}
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, env=environment)
    assert server.stdout
    try:
        address = re.search(r"http://\S+", server.stdout.readline())
        assert address, "the studio printed no address"
        context = browser.new_context(viewport={"width": 1366, "height": 768})
        page = context.new_page()
        page.goto(address[0])
        page.wait_for_selector("canvas[data-ready]", timeout=120_000)
        yield page, time.perf_counter() - began
        context.close()
    finally:
        server.terminate()
        server.wait(20)


def random_game(nodes: int, edges: int) -> str:
    """A game of this size as JSON, with long ways and ways back."""
    rng = Random(nodes)
    ends = [(node, node + 1) for node in range(nodes - 1)]
    ends += [
        (s, max(0, min(nodes - 1, s + rng.randint(-40, 60)))) for s in rng.choices(range(nodes), k=edges - nodes + 1)
    ]
    vertices = [{"id": f"v{n}", "owner": rng.choice(["tester", "system"])} for n in range(nodes)]
    listed = [{"source": f"v{s}", "target": f"v{t}", "label": f"?a{n % 50}"} for n, (s, t) in enumerate(ends)]
    return json.dumps({"format": "outplay-game/1", "initial": "v0", "vertices": vertices, "edges": listed})


def drawn(browser: Browser, folder: Path) -> Iterator[tuple[object, ...]]:
    """Graphs of several sizes: milliseconds from data to picture, and frames while panning."""
    for nodes, edges in SIZES:
        (folder / "game.json").write_text(random_game(nodes, edges))
        with opened(browser, "game.json", folder=folder) as (page, _):
            seen = page.evaluate("studio.graph.seen")
            whole = page.evaluate(PAN)
            page.evaluate("studio.graph.camera.scale = 1; studio.graph.camera.x = studio.graph.scene.x[0]")
            near = page.evaluate(PAN)
            first = page.evaluate("studio.graph.drawnIn")
        frames = (f"{1000 / time:,.0f}" for time in (whole, near))
        yield f"{seen['nodes']:,} / {edges:,}", f"{first:,.0f}", f"{whole:.1f}", f"{near:.1f}", *frames


def large(browser: Browser, folder: Path) -> Iterator[tuple[object, ...]]:
    """The chat session with five clients, and a game of a million vertices read from a file, opened folded."""
    yield opened_folded(browser, f"{CHAT}:Chat", "--set", "clients=('a','b','c','d','e')", folder=folder)
    (folder / "million.json").write_text(random_game(1_000_000, 3_000_000))
    yield opened_folded(browser, "million.json", folder=folder)


def opened_folded(browser: Browser, *arguments: str, folder: Path) -> tuple[object, ...]:
    with opened(browser, *arguments, folder=folder) as (page, seconds):
        facts = page.inner_text(".sizes") or page.evaluate("document.querySelector('.sizes').textContent")
        states = facts.partition(" states")[0]
        asked = page.evaluate("performance.getEntriesByType('resource').filter(one => one.name.includes('/ask/'))"
                              ".map(one => [one.name.split('/ask/')[1].split('?')[0], one.duration])")  # fmt: skip
        frame = page.evaluate(PAN)
    times = {name: time / 1000 for name, time in asked}
    return states, f"{times['facts']:.1f}", f"{times['scene']:.2f}", f"{seconds:.1f}", f"{frame:.1f}"


def live(browser: Browser, folder: Path) -> tuple[object, ...]:
    """A run as fast as it goes, with a person at work in the page meanwhile."""
    (folder / "clock.aut").write_text('des (0, 2, 2)\n(0, "!tick", 1)\n(1, "!tick", 0)\n')
    with opened(browser, "clock.aut", folder=folder) as (page, _):
        page.click("#tab-run")
        page.select_option("select[aria-label='Who plays']", "walk")
        page.fill("input[name=sut]", "model:clock.aut")
        page.fill("input[name=plays]", "100000")
        page.click("button[type=submit]")
        time.sleep(4)
        page.evaluate(WATCH)
        steps = "Number(document.querySelectorAll('.counts b')[2].textContent.replaceAll(',', ''))"
        before, began = page.evaluate(steps), time.perf_counter()
        box = page.locator("canvas.graph").bounding_box()
        assert box
        for turn in range(60):
            page.mouse.move(box["x"] + 60 + 9 * turn, box["y"] + 200)
            if turn % 6 == 0:
                page.mouse.click(box["x"] + 500, box["y"] + 300)
                page.click("#tab-state" if turn % 12 else "#tab-run")
            time.sleep(0.05)
        page.click("#tab-run")
        seconds = time.perf_counter() - began
        rate = (page.evaluate(steps) - before) / seconds
        slow = page.evaluate("window.slow")
        page.click("text=Cancel")
    return f"{rate:,.0f}", len(slow), f"{max(slow, default=0):.0f}"


def main() -> None:
    with sync_playwright() as player, tempfile.TemporaryDirectory() as name:
        browser = player.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        folder = Path(name)
        sizes = table(SIZES_HEAD, list(drawn(browser, folder)))
        opening = table(OPENING_HEAD, list(large(browser, folder)))
        following = table(LIVE_HEAD, [live(browser, folder)])
        browser.close()
    parts = [
        sizes,
        "Large games, opened folded:",
        opening,
        "A live run, with a person at work in the page:",
        following,
    ]
    parts.append(f"Load of the machine (two processors): {os.getloadavg()[0]:.1f}.")
    write_section("The studio in headless Chromium", "\n\n".join(parts))


if __name__ == "__main__":
    main()
