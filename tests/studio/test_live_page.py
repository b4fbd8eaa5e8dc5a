"""Live runs in the browser: followed, paused, taken over, cancelled; failures opened and replayed; runs compared."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("playwright")
from playwright.sync_api import Page

from helpers.places import EXAMPLES
from helpers.servers import needs
from helpers.studio import shown, studio, studio_command, until

pytestmark = [needs("chromium"), pytest.mark.usefixtures("browser"), pytest.mark.xdist_group("browser")]
CHAT = f"{EXAMPLES / 'chat' / 'model.py'}:Chat"
SERVER = f"exec:{sys.executable} {EXAMPLES / 'chat' / 'server.py'} --greet"
LAMP = """
des (0, 4, 3)
(0, "?press", 1)
(1, "!light", 2)
(1, "!dark", 0)
(2, "?press", 0)
""".strip()
BROKEN = LAMP.replace("!dark", "!smoke")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("live")
    (folder / "lamp.aut").write_text(LAMP + "\n")
    (folder / "broken.aut").write_text(BROKEN + "\n")
    with studio_command("lamp.aut", folder=folder) as made, shown(made) as page:
        page.click("#tab-run")
        yield page


def start(page: Page, sut: str, *, plays: int | None = None, hand: bool = False) -> None:
    page.fill("input[name=sut]", sut)
    page.fill("input[name=plays]", "" if plays is None else str(plays))
    page.click("text=Start and play by hand" if hand else "button[type=submit]")


def phase(page: Page, wanted: str) -> None:
    until(page, f"document.querySelector('.run .chip')?.textContent === '{wanted}'")


def counts(page: Page) -> list[int]:
    return [
        int(text.replace(",", ""))
        for text in page.evaluate("[...document.querySelectorAll('.counts b')].map(one => one.textContent)")
    ]


def pressed_slowly(page: Page, button: str) -> None:
    """Press a button as people do, while news of the run come in; it has to be the same button all the time."""
    box = page.locator(button).bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    steps = counts(page)[2]
    until(page, f"Number(document.querySelectorAll('.counts b')[2].textContent.replaceAll(',', '')) > {steps}")
    page.mouse.up()


def test_a_run_is_followed_to_its_end(page: Page):
    start(page, "model:lamp.aut", plays=30)
    phase(page, "ended")
    assert counts(page)[:2] == [30, 0]
    assert "Pass" in page.inner_text(".run p.ended")
    assert "Coverage: 3 states" in page.inner_text(".run")
    page.select_option("select[aria-label='Colour states']", "coverage")
    until(page, "[...studio.graph.tinted ?? []].join() === '12,12,12'")
    page.select_option("select[aria-label='Colour states']", "")


def test_failures_are_grouped_opened_at_the_wrong_step_and_replayed(page: Page):
    start(page, "model:broken.aut", plays=20)
    phase(page, "ended")
    failed = counts(page)[1]
    assert failed > 1
    groups = page.evaluate("[...document.querySelectorAll('.failure b')].map(one => parseInt(one.textContent))")
    assert sum(groups) == failed
    assert groups == sorted(groups, reverse=True)
    page.click(".failure button:has-text('smoke')")
    page.wait_for_selector(".told")
    assert "!smoke" in page.inner_text(".told")
    assert "!light" in page.inner_text(".told")  # what is allowed there
    assert page.inner_text(".strip strong").startswith("Failing play")
    page.click("text=Replay and shrink")
    page.wait_for_selector("text=times. ✗ Fail")
    assert "made short" in page.inner_text(".strip strong") or "again" in page.inner_text(".strip strong")


def test_a_step_of_the_timeline_and_the_graph_are_lit_together(page: Page):
    start(page, "model:broken.aut", plays=5)
    phase(page, "ended")
    page.click(".failure button")
    page.wait_for_selector(".told")
    box = page.locator("canvas.lanes").bounding_box()
    assert box
    for right in range(80, int(box["width"]), 6):
        page.mouse.move(box["x"] + right, box["y"] + 26)  # along the lane of the tester
        if "?press" in page.inner_text(".pointed"):
            break
    assert "?press" in page.inner_text(".pointed")
    until(page, "[...studio.graph.nodeMarks.values()].includes('hover')")
    page.click("text=by time")
    page.click("text=by time")
    page.focus("canvas.lanes")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    until(page, "document.querySelector('.pointed').textContent.includes('2.')")
    page.click("text=Back to the run")


def test_a_run_is_taken_over_played_by_hand_handed_back_and_cancelled(page: Page):
    start(page, "model:lamp.aut", plays=1_000_000, hand=True)
    phase(page, "your move")
    assert counts(page)[2] == 0
    page.click(".offers button:has-text('?press')")
    until(page, "Number(document.querySelectorAll('.counts b')[2].textContent) >= 1")
    phase(page, "your move")
    page.click("text=Hand back")
    phase(page, "running")
    until(page, "Number(document.querySelectorAll('.counts b')[0].textContent.replace(',', '')) > 2")
    pressed_slowly(page, "text=Pause")
    phase(page, "paused")
    page.wait_for_timeout(400)
    stood = counts(page)
    page.wait_for_timeout(400)
    assert counts(page) == stood
    page.click("button:has-text('Go on')")
    until(page, f"Number(document.querySelectorAll('.counts b')[2].textContent.replaceAll(',', '')) > {stood[2]}")
    page.click("text=Cancel")
    phase(page, "ended")


def test_what_a_person_gives_has_to_be_allowed(page: Page):
    with page.expect_request(lambda request: "/listen/run" in request.url) as listening:
        start(page, "model:lamp.aut", plays=10, hand=True)
    phase(page, "your move")
    run = listening.value.url.rpartition("run=")[2]
    room, asked = page.url.partition("#")[0], {"run": run, "what": "move", "label": "?kick"}
    origin = "/".join(room.split("/")[:3])
    refused = page.context.request.post(f"{room}ask/steer", data=asked, headers={"Origin": origin}).status
    assert refused == 422
    page.click("text=Cancel")
    phase(page, "ended")


def test_a_system_that_cannot_be_started_is_said(page: Page):
    start(page, "exec:/nowhere/at-all")
    phase(page, "ended")
    assert "/nowhere/at-all" in page.inner_text(".run")


def test_two_runs_of_the_store_are_compared_on_the_graph(page: Page):
    for system in ("lamp", "broken"):
        start(page, f"model:{system}.aut", plays=7)
        phase(page, "ended")
    page.click("#tab-kept")
    for system in ("lamp", "broken"):
        page.locator(f".kept tr:has-text('model:{system}.aut'):has-text('7 plays') input").first.check()
    page.click("text=Compare two")
    page.wait_for_selector(".told pre")
    assert "sut" in page.inner_text(".told pre")
    assert "failed" in page.inner_text(".told pre")
    page.click("#tab-run")


def test_a_real_server_with_a_fault_is_caught_live(tmp_path: Path):
    with studio(CHAT, folder=tmp_path) as made, shown(made) as page:
        page.click("#tab-run")
        page.fill("input[placeholder=ready]", "ready")
        start(page, f"{SERVER} --bug")
        page.wait_for_selector(".failure button")
        page.click("text=Cancel")
        phase(page, "ended")
        page.click(".failure button")
        page.wait_for_selector(".told")
        assert "left the model at step" in page.inner_text(".told")
        assert page.evaluate("[...studio.graph.nodeMarks.values()].filter(style => style === 'trace').length") > 1
