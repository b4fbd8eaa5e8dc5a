"""The forecast in the browser: the table and the graph together, why not, how, and what each move is worth."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("starlette")
pytest.importorskip("playwright")
from playwright.sync_api import Page

from helpers.places import EXAMPLES
from helpers.servers import needs
from helpers.studio import shown, studio, until
from outplay import explore, joker, win
from outplay.game.exploring.unmet_goals import unmet_goal
from outplay.game.graph import SYSTEM, Game
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import load_model

pytestmark = [needs("chromium"), pytest.mark.usefixtures("browser"), pytest.mark.xdist_group("browser")]
TCP = f"{EXAMPLES / 'tcp' / 'model.py'}:Tcp"
LIT = (
    "style => [...studio.graph.nodeMarks].filter(([, one]) => one === style).map(([n]) => studio.graph.scene.vertex[n])"
)


@pytest.fixture(scope="module")
def game() -> Game:
    return explore(load_model(Job(TCP)).model)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with studio(TCP, folder=tmp_path_factory.mktemp("forecast")) as made, shown(made) as page:
        page.click("#tab-forecast")
        page.wait_for_selector(".target")
        yield page


def test_the_table_has_every_goal_the_easiest_first(page: Page, game: Game):
    rows = page.evaluate("[...document.querySelectorAll('.target')].map(row => [row.dataset.name, row.className])")
    assert {name for name, _ in rows} == set(game.goals)
    kinds = [kind.split()[1] for _, kind in rows]
    assert kinds == sorted(kinds, key=["forced", "help", "impossible"].index)
    for name, kind in rows:
        assert (kind == "target forced") == (win(game, name).value is not None)
        assert (kind == "target impossible") == (joker(game, name).value is None)


def test_a_row_lights_its_vertices(page: Page, game: Game):
    page.click(".target[data-name=established]")
    until(page, "studio.graph.dim")
    until(page, f"({LIT})('found').length > 0")
    assert set(page.evaluate(LIT, "found")) | {game.initial} == set(game.goals["established"].tolist()) | {game.initial}


def test_why_lights_the_set_in_which_the_system_can_stay(page: Page, game: Game):
    page.click(".target[data-name=last_ack_repeated]")
    page.click("text=Why not forced?")
    page.wait_for_selector(".told .place")
    page.mouse.move(3, 3)  # else it points at a place of the list, which is lit otherwise
    until(page, f"![...studio.graph.nodeMarks.values()].includes('hover') && ({LIT})('blocking').length > 0")
    expected = set(win(game, "last_ack_repeated").blocking.tolist())
    assert set(page.evaluate(LIT, "blocking")) | {game.initial} == expected
    assert f"stay within {len(expected)} vertices" in page.inner_text(".told")
    doors = page.evaluate("[...document.querySelectorAll('.told .place')].map(one => Number(one.dataset.vertex))")
    assert doors
    for vertex in doors:  # where the system alone could let the tester out
        assert vertex in expected
        assert game.owner[vertex] == SYSTEM
        assert any(int(game.target[edge]) not in expected for edge in game.edges_of(vertex))
    page.click(".target[data-name=last_ack_though_closed_first]")
    page.click("text=Why impossible?")
    until(page, "document.querySelector('.told')?.textContent.includes('never hold together')")
    unmet = unmet_goal(game, "last_ack_though_closed_first")
    assert unmet
    near = [vertex for vertex, _ in unmet.nearest()]
    listed = page.evaluate("[...document.querySelectorAll('.told .place')].map(one => Number(one.dataset.vertex))")
    assert listed == near
    page.mouse.move(3, 3)
    until(page, "![...studio.graph.nodeMarks.values()].includes('hover')")
    assert set(page.evaluate(LIT, "found")) | {game.initial} == {*near, game.initial}


def test_how_lights_moves_that_lead_to_the_goal(page: Page, game: Game):
    page.click(".target[data-name=closing]")
    page.click("text=How?")
    until(page, "document.querySelector('.told')?.textContent.includes('forced, cost 6')")
    answer = win(game, "closing")
    assert set(page.evaluate(LIT, "strategy")) | {game.initial} == set(answer.met())


def test_every_move_says_what_it_is_worth_and_the_best_is_starred(page: Page, game: Game):
    page.click(".target[data-name=syn_sent]")
    page.click("#tab-state")
    page.focus("canvas.graph")
    page.keyboard.press("Home")
    page.wait_for_selector(".worth.best")
    answer = win(game, "syn_sent")
    rows = page.evaluate(
        "[...document.querySelectorAll('tr[data-edge] .worth')]"
        ".map(one => [Number(one.closest('tr').dataset.edge), one.textContent])"
    )
    moves = dict(rows[: len(game.edges_of(game.initial))])
    assert [edge for edge, words in moves.items() if words.startswith("★")] == [answer.chosen(game.initial)]
    page.click("#tab-forecast")


def test_states_are_coloured_by_the_forecast(page: Page, game: Game):
    page.click(".target[data-name=established]")
    page.select_option("select[aria-label='Colour states']", "forecast")
    until(page, "studio.graph.tinted !== null")
    tints = page.evaluate("[...studio.graph.tinted]")
    answer = win(game, "established")
    assert all((tints[vertex] == 12) == (answer.value_of(vertex) is not None) for vertex in range(game.vertex_count))
    page.select_option("select[aria-label='Colour states']", "value")
    until(page, f"[...studio.graph.tinted][{int(game.goals['established'][0])}] === 12")
    page.select_option("select[aria-label='Colour states']", "")
    until(page, "studio.graph.tinted === null")


def test_labels_states_and_transitions_are_forecast_too(page: Page):
    page.click("text=Labels")
    page.wait_for_selector(".target[data-name='!send SYN']")
    page.click(".target[data-name='!send SYN']")
    until(page, "[...studio.graph.arrowMarks.values()].includes('found')")
    page.fill("input[aria-label='Find a target']", "expire")
    until(page, "document.querySelectorAll('.target').length === 1")
    page.fill("input[aria-label='Find a target']", "")
    page.click(".kind >> text=Transitions")
    page.wait_for_selector(".target[data-name*='-->']")
