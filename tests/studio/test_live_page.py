"""Live runs in the browser: followed, paused, taken over, cancelled; failures opened and replayed; runs compared."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("playwright")
from playwright.sync_api import Page, TimeoutError

from helpers.places import EXAMPLES
from helpers.servers import needs
from helpers.studio import shown, studio, until

pytestmark = [needs("chromium"), pytest.mark.usefixtures("browser"), pytest.mark.xdist_group("browser")]
SERVER = f"exec:{sys.executable} {EXAMPLES / 'chat' / 'server.py'} --greet"
LAMP = """
des (0, 4, 3)
(0, "?press", 1)
(1, "!light", 2)
(1, "!dark", 0)
(2, "?press", 0)
""".strip()
TRACED, MARKED = "trace", "[...studio.graph.nodeMarks.values()]"
BROKEN = LAMP.replace("!dark", "!smoke")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("live")
    (folder / "lamp.aut").write_text(LAMP + "\n")
    (folder / "broken.aut").write_text(BROKEN + "\n")
    with studio(str(folder / "lamp.aut"), folder=folder) as made, shown(made) as page:
        page.click("#tab-run")
        yield page


@pytest.fixture(autouse=True)
def _in_the_folder_of_the_studio(page: Page, tmp_path_factory: pytest.TempPathFactory, monkeypatch) -> None:
    monkeypatch.chdir(next(tmp_path_factory.getbasetemp().glob("live*")))


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
    start(page, "model:lamp.aut", plays=12)
    phase(page, "ended")
    assert counts(page)[:2] == [12, 0]
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
    groups = page.evaluate("[...document.querySelectorAll('.run .failure b')].map(one => parseInt(one.textContent))")
    assert sum(groups) == failed
    assert groups == sorted(groups, reverse=True)
    page.click(".run .failure button:has-text('smoke')")
    page.wait_for_selector(".run .failing")
    left_at_smoke(page, ".run")
    assert page.inner_text(".strip strong").startswith("Failing play")
    assert page.evaluate("[...studio.graph.nodeMarks.values()].filter(style => style === 'trace').length") > 1
    page.click(".run >> text=Replay and shrink")
    page.wait_for_selector(".run .replayed h3:has-text('Replayed: failed')")
    assert "✗ Fail" in page.inner_text(".run .replayed p >> nth=0")
    assert "made short" in page.inner_text(".strip strong") or "again" in page.inner_text(".strip strong")
    assert "!light" in page.inner_text(".run .failing p >> nth=1")  # the record stays above the replay
    assert page.locator(".run li.here").count() == 1


def left_at_smoke(page: Page, where: str) -> None:
    """The last step of the list is the one that left the model, in the panel, on the timeline and in the graph."""
    steps = page.locator(f"{where} .failing .steps li")
    assert "not allowed here" in steps.last.inner_text()
    assert page.inner_text(f"{where} .failing .steps li.here .label") == "!smoke"
    assert f"at step {steps.count()}: !smoke" in page.inner_text(f"{where} .failing")
    assert "!light" in page.inner_text(f"{where} .failing p >> nth=1")  # what is allowed there
    assert f"{steps.count()}. !smoke" in page.inner_text(".pointed")
    until(page, "studio.graph.left?.label === '!smoke'")


def test_a_step_of_the_timeline_and_the_graph_are_lit_together(page: Page):
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
    until(page, "document.querySelector('.pointed').textContent.startsWith('1. ?press')")
    assert page.inner_text(".run .steps li.here .label") == "?press"
    page.click("text=Back to the run")
    until(page, "document.querySelector('.pointed').textContent === '' && studio.graph.left === null")


def test_a_run_that_goes_on_leaves_other_models_and_panels_alone(page: Page):
    start(page, "model:lamp.aut", plays=1_000_000)
    phase(page, "running")
    page.wait_for_selector(".strip strong:has-text('Play ')")
    page.click("#tab-open")
    page.click("[data-example=doors]")
    page.wait_for_selector(".target")
    page.click("#tab-run")
    page.wait_for_selector(".run .elsewhere:has-text('This run plays lamp')")
    steps = counts(page)[2]
    until(page, f"Number(document.querySelectorAll('.counts b')[2].textContent.replaceAll(',', '')) > {steps}")
    assert not page.is_visible(".strip")
    assert TRACED not in page.evaluate(MARKED)
    page.click("text=Show that model")
    until(page, f"({MARKED}).includes('{TRACED}')")
    page.wait_for_selector(".strip strong:has-text('Play ')")
    assert not page.is_visible(".run .elsewhere")
    page.click("text=Cancel")
    phase(page, "ended")


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


def list_past_runs(page: Page) -> None:
    """Show the list of past runs; what another tab still loads may put itself in its place."""
    for _ in range(10):
        page.click("#tab-kept")
        if page.is_visible("text=All past runs"):
            page.click("text=All past runs")
        with suppress(TimeoutError):
            page.wait_for_selector(".kept .run-line:has-text('20 plays')", timeout=3000)
            page.wait_for_timeout(300)  # the list is drawn anew when it was loaded
            return
    raise AssertionError(f"the list of past runs is not shown: {page.url}")


def test_two_runs_of_the_store_are_compared_on_the_graph(page: Page):
    list_past_runs(page)
    for plays, system in ((12, "lamp"), (20, "broken")):
        rows = page.locator(f".kept tr:has-text('model:{system}.aut'):has-text('{plays} plays') input")
        rows.last.check()  # the newest stand first; a run that was cancelled may have as many plays
    page.click("text=Compare two")
    page.wait_for_selector(".past .told pre")
    assert "sut" in page.inner_text(".past .told pre")
    assert "failed" in page.inner_text(".past .told pre")


def test_a_past_run_is_opened_where_it_left_the_model_stepped_back_and_replayed(page: Page):
    page.click("#tab-run")
    start(page, "model:broken.aut", plays=20)
    phase(page, "ended")
    page.fill("input[name=sut]", "")
    list_past_runs(page)
    page.click(".kept .run-line:has-text('broken.aut'):has-text('20 plays')")
    page.wait_for_selector(".past .failing")
    left_at_smoke(page, ".past")
    assert "as the run made it short" in page.inner_text(".past .failing")
    assert page.input_value("input[name=sut]") == "model:broken.aut"  # a live run begins with its system
    page.click("text=‹ Step back")
    until(page, "studio.graph.left === null")
    assert page.inner_text(".past .steps li.here .label") == "?press"
    page.focus("canvas.graph")
    page.keyboard.press("]")
    until(page, "document.querySelector('.past .steps li.here .label').textContent === '!smoke'")
    page.fill("input[aria-label='System to play it again']", "model:lamp.aut")
    page.click(".past button:has-text('Replay') >> nth=0")
    page.wait_for_selector("h3:has-text('Replayed: failed 0 of')")
    left_at_smoke(page, ".past")
    assert "outplay replay" in page.inner_text(".past .command")
    page.click("text=All past runs")
    page.wait_for_selector(".kept .run-line")
    trace = next(Path().glob(".outplay/runs/*/failures/*.jsonl"))
    page.click("#tab-open")
    page.set_input_files("input[type=file]", str(trace))
    page.wait_for_selector(".past .failing")
    left_at_smoke(page, ".past")
    assert page.inner_text(".past strong.title") == trace.name
    page.click("#tab-run")


def test_a_real_server_with_a_fault_is_caught_live(page: Page):
    page.click("#tab-open")
    page.set_input_files("input[type=file]", str(EXAMPLES / "chat" / "model.py"))
    page.wait_for_selector(".target[data-name=two_pending]")  # what is opened is shown in its forecast
    page.click("#tab-run")
    page.fill("input[name=ready]", "ready")
    start(page, f"{SERVER} --bug")
    page.wait_for_selector(".run .failure button")
    page.click("text=Cancel")
    phase(page, "ended")
    page.click(".run .failure button")
    page.wait_for_selector(".run .failing")
    assert "left the model at step" in page.inner_text(".run .failing")
    until(page, "[...studio.graph.nodeMarks.values()].filter(style => style === 'trace').length > 1")
