"""The page about a run in a browser: Debian's Chromium, light and dark, large and small."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Page

from helpers.places import EXAMPLES
from helpers.servers import needs
from helpers.studio import PATIENCE, playing_browser
from outplay import Simulated, automaton, run
from outplay.model.suspension import SuspensionAutomaton
from outplay.pictures.svg import draw, write_drawing
from outplay.play.trace import Trace
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import load_model
from outplay.verdict.charts import GrowthPoint, PlayRow, ReportDetails
from outplay.verdict.report import report
from outplay.verdict.verdicts import Pass

pytestmark = [needs("chromium"), pytest.mark.usefixtures("browser"), pytest.mark.xdist_group("browser")]
LAMP = [("off", "?press", "on"), ("on", "!light", "lit"), ("lit", "?press", "off")]
SMOKE = [("off", "?press", "on"), ("on", "!light", "lit"), ("on", "!smoke", "off"), ("lit", "?press", "off")]


def failing() -> Path:
    """The page of a run that failed."""
    system = Simulated(SuspensionAutomaton(automaton(SMOKE)), Random(3))
    result = run(automaton(LAMP), system, plays=30, steps=20, seed=3, shrink=0, keep_going=True)
    assert result.verdict.name == "fail"
    return result.report("run.html", kept=Path("failures/a.jsonl"))


@contextmanager
def opened(path: Path, **how: Any) -> Iterator[Page]:
    """The page in a browser that may load nothing else, and in which nothing may go wrong."""
    wrong: list[str] = []
    with playing_browser() as browser:
        context = browser.new_context(**how)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda asked: None if asked.url.startswith("file:") else wrong.append(asked.url))
        page.goto(path.absolute().as_uri())
        yield page
        context.close()
    assert wrong == []


def test_a_step_and_its_arrow_light_each_other_up():
    with opened(failing(), viewport={"width": 1280, "height": 900}) as page:
        steps = page.locator(".beside tr[id]")
        assert steps.count() >= 2
        for place in range(steps.count()):
            steps.nth(place).hover()
            assert page.locator(".play .edge.lit").count() == 1
            told = page.locator(".play .edge.lit").get_attribute("class")
            assert ("refused" in str(told)) == (place == steps.count() - 1)
        page.locator(".play .edge.refused .hit").hover(force=True)
        assert "not allowed" in page.locator("tr.lit").inner_text()


def test_a_link_to_a_play_unfolds_it_and_a_step_gets_a_link():
    with opened(failing(), viewport={"width": 1280, "height": 900}) as page:
        link = page.locator("a[href^='#play']").first
        row = page.locator(f"#{str(link.get_attribute('href'))[1:]}")
        assert not row.is_visible()
        link.click()
        row.wait_for(state="visible")
        page.locator(".beside tr[id] td.t").first.click()
        assert page.evaluate("location.hash") == "#p1s1"


def test_the_command_that_plays_it_again_can_be_copied():
    with opened(failing(), permissions=["clipboard-read", "clipboard-write"]) as page:
        page.click(".copied button")
        page.wait_for_function("document.querySelector('.copied button').textContent === 'Copied'")
        assert page.evaluate("navigator.clipboard.readText()").startswith("outplay.replay(model, 'failures/a.jsonl'")


@pytest.mark.parametrize("width", [360, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_of_it_is_seen_on_small_and_large_screens_light_and_dark(width, scheme):
    with opened(failing(), viewport={"width": width, "height": 800}, color_scheme=scheme) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        ink = page.evaluate("getComputedStyle(document.body).color")
        paper, ink = (sum(map(int, colour[4:-1].split(","))) for colour in (paper, ink))
        assert abs(paper - ink) > 400  # they can be told apart
        assert (paper > ink) == (scheme == "light")
        headings = page.locator("h2").all_inner_texts()
        wanted = ["See it again", "What happened", "Ways to fail", "Coverage", "All plays", "Settings", "Environment"]
        assert [heading for heading in headings if heading in wanted] == wanted
        page.emulate_media(media="print")
        assert page.locator(".copied button").is_hidden()


def test_ten_thousand_plays_are_folded_and_open_at_once():
    plays = [PlayRow(number, "pass", 20, None, number / 10) for number in range(1, 10_001)]
    growth = [GrowthPoint(number, number // 9, number // 3) for number in range(1, 2_001)]
    Path("many.html").write_text(report(Trace(), Pass(), plays=10_000, details=ReportDetails(plays, growth=growth)))
    with opened(Path("many.html")) as page:
        assert page.locator("tr[id^=play]").count() == 10_000
        assert page.locator("tr[id^=play]:visible").count() == 0
        taken = page.evaluate("performance.getEntriesByType('navigation')[0].domComplete")
        assert taken < PATIENCE  # 2,000 on a machine that does nothing else: see the figure in the changelog
        print(f"10,000 plays: {taken:.0f} ms")


def test_searching_a_picture_shows_all_that_is_found():
    ring = [(f"s{at}", "?go", f"s{(at + 1) % 80}") for at in range(80)]
    automaton(ring).draw("ring.html")
    with opened(Path("ring.html"), viewport={"width": 900, "height": 700}) as page:
        for _ in range(12):
            page.click("#in")  # far into the picture, so that nearly nothing of it is seen
        page.fill("#search", "s70")
        box = page.locator(".node.found").bounding_box()
        frame = page.locator("main").bounding_box()
        assert box
        assert frame
        assert frame["x"] <= box["x"]
        assert box["x"] + box["width"] <= frame["x"] + frame["width"]
        assert frame["y"] <= box["y"]
        assert box["y"] + box["height"] <= frame["y"] + frame["height"]


def test_a_box_of_a_large_picture_opens_on_a_click_and_by_keys():
    ring = [(f"s{at}", "?go", f"s{(at + 1) % 400}") for at in range(400)]
    automaton(ring).draw("large.html")
    middle = """box => { const main = document.querySelector('main').getBoundingClientRect();
        const inside = document.querySelector(`[data-inside="${box}"]`).getBoundingClientRect();
        return Math.abs(inside.left + inside.right - main.left - main.right)
            + Math.abs(inside.top + inside.bottom - main.top - main.bottom) < 8; }"""
    with opened(Path("large.html"), viewport={"width": 1200, "height": 800}) as page:
        assert not page.evaluate(middle, 0)
        page.click("[data-opens='2']")
        assert page.evaluate(middle, 2)
        page.keyboard.press("0")
        assert not page.evaluate(middle, 2)
        page.focus("[data-opens='0']")
        page.keyboard.press("Enter")
        assert page.evaluate(middle, 0)


def test_a_search_leads_into_boxes_and_a_list_to_other_pictures_of_the_model():
    chat = f"{EXAMPLES / 'chat' / 'model.py'}:Chat"
    write_drawing(Path("chat.html"), draw(load_model(Job(chat)).game()))
    with opened(Path("chat.html"), viewport={"width": 1200, "height": 800}, color_scheme="dark") as page:
        assert page.locator("#shown option").first.inner_text() == "Folded by waiting"
        page.fill("#search", "s230")
        assert page.locator("#count").inner_text() == "1 found, 1 inside boxes"
        page.press("#search", "Enter")
        assert "s230 queue=" in page.locator("#details").inner_text()
        assert page.locator(".node.found").count() == 1
        page.select_option("#shown", "Folded by size of queue")
        main, shown = (page.locator(one).bounding_box() for one in ("main", "[data-picture='Folded by size of queue']"))
        assert main
        assert shown
        assert main["y"] < shown["y"]
        assert shown["y"] + shown["height"] < main["y"] + main["height"]
