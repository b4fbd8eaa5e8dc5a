"""The graph in the browser: drawn, searched, walked with mouse and keys, light and dark."""

from __future__ import annotations

import re
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
CHAT = f"{EXAMPLES / 'chat' / 'model.py'}:Chat"
AT = """vertex => { const g = studio.graph, n = g.node(vertex), box = g.canvas.getBoundingClientRect();
    const [x, y] = g.camera.toScreen(g.scene.x[n], g.scene.y[n]); return [x + box.left, y + box.top]; }"""
PIXEL = """([vertex, dx, dy]) => { const g = studio.graph, n = g.node(vertex); g.paint();
    const [x, y] = g.camera.toScreen(g.scene.x[n] + dx * g.scene.width[n], g.scene.y[n] + dy * g.scene.height[n]);
    return [...g.pen.getImageData(x * g.ratio, y * g.ratio, 1, 1).data].slice(0, 3).join(); }"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("graph")
    with studio(str(EXAMPLES / "vending" / "vending.aut"), folder=folder) as made, shown(made) as page:
        yield page


def selected(page: Page) -> str:
    return page.inner_text(".state h2")


def test_all_of_a_small_game_is_drawn_with_its_labels(page: Page):
    assert page.evaluate("studio.graph.seen") == {"nodes": 5, "arrows": 8}
    assert page.evaluate("studio.graph.scene.names") == ["idle", "paid", "brewing", "refunding", "full"]
    lines = page.evaluate("studio.graph.scene.drawn.map(one => one.lines[0][0])")
    assert sorted(map(tuple, lines))[:2] == [("!coffee", "output"), ("!money", "output")]
    assert page.inner_text(".sizes").startswith("5 states · 5 vertices · 8 edges")


def test_tester_and_system_differ_in_shape_and_colour(page: Page):
    idle, brewing = 0, 2
    assert page.evaluate(PIXEL, [idle, -0.3, 0]) != page.evaluate(PIXEL, [brewing, -0.3, 0])
    paper = page.evaluate(PIXEL, [idle, -0.49, -0.49])
    assert page.evaluate(PIXEL, [idle, 0, -0.4]) != paper
    assert page.evaluate(PIXEL, [brewing, -0.4, -0.4]) == paper  # a diamond has no corners there


def test_a_click_selects_and_moves_lead_on(page: Page):
    page.mouse.click(*page.evaluate(AT, 1))
    until(page, "document.querySelector('.state h2').textContent === 'paid'")
    assert page.inner_text(".moves tr >> nth=0").split() == ["?coffee", "→", "brewing"]
    page.click(".moves .place >> nth=0")
    until(page, "document.querySelector('.state h2').textContent === 'brewing'")


def test_pointing_at_a_move_lights_where_it_leads(page: Page):
    page.mouse.click(*page.evaluate(AT, 1))
    until(page, "document.querySelector('.state h2').textContent === 'paid'")
    before = page.evaluate("studio.graph.nodeMarks.size")
    page.hover(".moves .place >> nth=0")
    assert page.evaluate("studio.graph.nodeMarks.size") == before + 1


def test_dragging_moves_and_the_wheel_zooms_at_the_pointer(page: Page):
    page.click("text=Fit")
    x, y = page.evaluate(AT, 0)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -300)
    until(page, "studio.graph.camera.scale > 1.3")
    there = page.evaluate(AT, 0)
    assert abs(there[0] - x) < 2
    page.mouse.move(400, 700)
    page.mouse.down()
    page.mouse.move(500, 650, steps=4)
    page.mouse.up()
    moved = page.evaluate(AT, 0)
    assert 80 < moved[0] - there[0] < 105
    assert -55 < moved[1] - there[1] < -35


def test_keys_walk_the_graph(page: Page):
    page.focus("canvas.graph")
    page.keyboard.press("Home")
    until(page, "document.querySelector('.state h2').textContent === 'idle'")
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('.state h2').textContent === 'paid'")
    scale = page.evaluate("studio.graph.camera.scale")
    page.keyboard.press("+")
    assert page.evaluate("studio.graph.camera.scale") > scale
    page.keyboard.press("0")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.type") == "search"
    page.keyboard.press("Escape")


def test_light_becomes_dark(page: Page):
    background = "getComputedStyle(document.body).backgroundColor"
    light, drawn = page.evaluate(background), page.evaluate(PIXEL, [0, -0.49, -0.49])
    page.click("header >> text=Dark")
    assert page.evaluate(background) != light
    assert page.evaluate(PIXEL, [0, -0.49, -0.49]) != drawn
    page.click("header >> text=Light")
    assert page.evaluate(background) == light


def test_values_are_searched_and_compared_part_by_part(tmp_path):
    with studio(CHAT, folder=tmp_path) as made, shown(made, color_scheme="dark") as page:
        page.fill("input[type=search]", 'queue=[["ann","hi"]] waiting={"bob"}')
        page.wait_for_selector(".found .place")
        marked = page.evaluate("[...studio.graph.nodeMarks.values()].filter(style => style === 'found').length")
        assert marked == 1
        first = page.get_attribute(".found .place", "data-vertex")
        page.click(".found .place")
        until(page, "document.querySelector('.state').textContent.includes('bob')")
        page.click("text=Compare others with this")
        page.fill("input[type=search]", 'queue=[["ann","bye"],["cid","hi"]] waiting={"bob"}')
        until(page, "first => document.querySelector('.found .place').dataset.vertex !== first", first)
        page.click(".found .place")
        page.wait_for_selector(".difference tbody tr")
        rows = page.evaluate("[...document.querySelectorAll('.difference tbody tr')].map(row => row.innerText)")
        assert [row.split("\t")[0] for row in rows] == ["queue[0][1]", "queue[1]"]
        assert rows[0].split("\t")[1:] == ['"hi"', '"bye"']


def test_a_model_that_cannot_be_read_is_said_on_the_page(tmp_path):
    (tmp_path / "broken.aut").write_text("des (0, 1, 2)\n(0, oops\n")
    with studio(str(tmp_path / "broken.aut"), folder=tmp_path) as made, shown(made, ready=False, strict=False) as page:
        page.wait_for_selector(".notice p")
        assert "broken.aut:2" in page.inner_text(".notice")


def test_a_saved_picture_holds_all_lines_and_labels(browser, tmp_path: Path):
    away = "".join(f'({n}, "?step", {n + 1})\n' for n in range(9))
    back = "".join(f'({n}, "?back_to_where_it_all_began_{n}", 0)\n' for n in range(1, 10))
    (tmp_path / "long.aut").write_text(f"des (0, 18, 10)\n{away}{back}")
    with studio(str(tmp_path / "long.aut"), folder=tmp_path) as made, shown(made) as page:
        with page.expect_download() as saved:
            page.click("button:has-text('SVG')")
        text = Path(saved.value.path()).read_text()
        with page.expect_download() as saved:
            page.click("button:has-text('PNG')")
        assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG")
    left, top, wide, tall = map(float, re.search(r'viewBox="([^"]*)"', text)[1].split())
    numbers = [
        map(float, re.findall(r"-?[\d.]+", path)) for path in re.findall(r'<path d="(M[^"]*)" fill="none"', text)
    ]
    points = [point for found in numbers for point in zip(*[iter(found)] * 2, strict=True)]
    labels = re.findall(r'<text x="([^"]*)" y="([^"]*)" font-size="12"[^>]*text-anchor="(\w+)">(.*?)</text>', text)
    assert len(points) > 6
    assert len(labels) == 18
    for x, y, anchor, inner in labels:
        length = 7 * len(re.sub("<.*?>", "", inner))  # letters of 12 pixels are 7.2 wide
        begins = float(x) - (0 if anchor == "start" else length / 2)
        points += [(begins, float(y)), (begins + length, float(y))]
    outside = [(x, y) for x, y in points if not (left <= x <= left + wide and top <= y <= top + tall)]
    assert not outside, (left, top, wide, tall)
