"""Playing in the browser: against an adversary, back and forth, forked, and written down."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("playwright")
from playwright.sync_api import Page

from helpers.places import EXAMPLES
from helpers.servers import needs
from helpers.studio import shown, studio, until

pytestmark = [needs("chromium"), pytest.mark.usefixtures("browser"), pytest.mark.xdist_group("browser")]
TCP = f"{EXAMPLES / 'tcp' / 'model.py'}:Tcp"
NUMBERED = """[...document.querySelectorAll('.steps li')].filter(one => one.querySelector('.n').textContent !== '·')
    .map(one => one.querySelector('.label').textContent)"""
TRACED = "[...studio.graph.nodeMarks.values()].filter(style => style === 'trace').length"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with studio(TCP, folder=tmp_path_factory.mktemp("play")) as made, shown(made) as page:
        page.click("#tab-play")
        page.wait_for_selector(".play")
        yield page


def start(page: Page, side: str, rival: str, goal: str) -> None:
    for at, value in ((0, side), (2, goal), (1, rival)):
        page.select_option(f".chooser select >> nth={at}", value)
    page.click(".chooser button")
    page.wait_for_selector(".mymoves button, .ended")


def labels(page: Page) -> list[str]:
    return page.evaluate("[...document.querySelectorAll('.steps .label')].map(one => one.textContent)")


def steps(page: Page) -> int:
    return len(labels(page))


def take(page: Page, which: str) -> None:
    before = steps(page)
    page.click(which)
    until(page, "before => document.querySelectorAll('.steps .label').length > before", before)


def test_a_game_is_won_as_the_tester_by_taking_the_starred_move(page: Page):
    start(page, "tester", "adversary", "established")
    for _ in range(12):
        if page.query_selector(".ended"):
            break
        page.wait_for_selector(".mymoves li:has-text('★') button")
        take(page, ".mymoves li:has-text('★') button")
    assert page.inner_text(".ended") == "✓ You won: established is reached."
    assert page.inner_text(".choices") == "Play on"
    page.click("text=Play on")
    page.wait_for_selector(".mymoves button")
    assert page.evaluate(TRACED) >= 2


def test_without_a_goal_only_chance_plays_the_other_side(page: Page):
    page.select_option(".chooser select >> nth=0", "tester")
    page.select_option(".chooser select >> nth=2", "")
    assert page.input_value(".chooser select >> nth=1") == "chance"
    assert page.is_disabled("option:text-is('an adversary (needs a goal)')")
    page.click(".chooser button")
    page.wait_for_selector(".mymoves button")


def test_all_of_the_head_is_there_in_a_narrow_window(page: Page):
    page.set_viewport_size({"width": 1000, "height": 768})
    buttons = [page.locator(f"header button:text-is('{name}')").bounding_box() for name in ("Fit", "Dark")]
    page.set_viewport_size({"width": 1366, "height": 768})
    assert all(box and box["x"] + box["width"] <= 1000 for box in buttons)


def test_undo_steps_and_the_slider_go_back_and_on(page: Page):
    start(page, "both", "chance", "")
    for _ in range(4):
        take(page, ".mymoves button")
    four = labels(page)
    page.click("text=Undo")
    until(page, "document.querySelectorAll('.steps .label').length === 3")
    page.click("button:has-text('›')")
    until(page, "document.querySelectorAll('.steps .label').length === 4")
    assert labels(page) == four
    page.fill(".controls input[type=range]", "1")
    until(page, "document.querySelectorAll('.steps .label').length === 1")
    page.keyboard.press("Tab")
    page.focus("canvas.graph")
    page.keyboard.press("]")
    until(page, "document.querySelectorAll('.steps .label').length === 2")
    page.wait_for_selector(".mymoves button")
    page.keyboard.press("1")
    until(page, "document.querySelectorAll('.steps .label').length === 3")


def test_a_move_from_an_earlier_step_is_a_fork_and_the_other_line_is_kept(page: Page):
    start(page, "both", "chance", "")
    for _ in range(3):
        take(page, ".mymoves button")
    first = labels(page)
    page.click(".steps [data-step='0']")
    until(page, "document.querySelectorAll('.steps .label').length === 1")
    take(page, ".mymoves li:last-child button")
    assert labels(page) != first[:2]
    page.click("text=3 steps, apart after")
    until(page, "document.querySelectorAll('.steps .label').length === 3")
    assert labels(page) == first


def test_a_person_plays_the_system_and_the_tester_goes_for_its_goal(page: Page):
    start(page, "system", "adversary", "established")
    for _ in range(12):
        if page.query_selector(".ended"):
            break
        take(page, ".mymoves button")
    assert page.inner_text(".ended") == "✗ You lost: established is reached."


def test_the_play_is_saved_as_a_trace_that_passes_and_a_link_leads_back(page: Page):
    start(page, "both", "chance", "")
    for _ in range(3):
        take(page, ".mymoves button")
    played = labels(page)
    with page.expect_download() as saved:
        page.click("button:text-is('Trace')")
    lines = Path(saved.value.path()).read_text().splitlines()
    written = [json.loads(line).get("label") for line in lines[2:-1]]
    assert written == page.evaluate(NUMBERED)
    assert len(written) >= 2
    assert json.loads(lines[-1])["verdict"] == "pass"
    page.wait_for_selector("text=outplay judge")
    with page.expect_download() as saved:
        page.click("text=Test (pytest)")
    assert saved.value.suggested_filename == "test_play.py"
    page.reload()
    page.wait_for_selector(".steps .label")
    assert labels(page) == played
