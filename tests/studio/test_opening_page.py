"""From nothing in the browser: examples, chosen files, folders, and a model edited with the graph following."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("playwright")
from helpers.places import EXAMPLES
from helpers.servers import needs
from helpers.studio import shown, studio, until
from outplay import explore, forecast
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import load_model
from outplay.studio.opening import examples, references

pytestmark = [needs("chromium"), pytest.mark.usefixtures("browser"), pytest.mark.xdist_group("browser")]
CHAT = f"{EXAMPLES / 'chat' / 'model.py'}:Chat"
TITLE = "document.querySelector('select[aria-label=\"Open model\"]').selectedOptions[0]?.textContent"


def test_examples_are_opened_and_each_has_something_to_ask(tmp_path: Path):
    verdicts = set()
    for name, path in examples().items():
        copy = tmp_path / f"{name}.py"
        shutil.copy(path, copy)
        (reference,) = references(copy)
        seen = forecast(explore(load_model(Job(reference)).model), kinds=["goal"])
        verdicts |= {"forced" if one.forced else "impossible" if one.impossible else "help" for one in seen.entries}
    assert verdicts == {"forced", "help", "impossible"}
    with studio(folder=tmp_path) as made, shown(made, ready=False) as page:
        page.click("[data-example=doors]")
        page.wait_for_selector(".target[data-name=passed]")
        assert "forced" in page.inner_text(".target[data-name=passed]")
        assert page.evaluate("studio.graph.scene.x.length") > 5


def test_a_file_is_opened_by_choosing_it_and_a_wrong_one_is_refused(tmp_path: Path):
    with studio(folder=tmp_path) as made, shown(made, ready=False, strict=False) as page:
        page.set_input_files("input[type=file]", str(EXAMPLES / "vending" / "vending.aut"))
        until(page, "studio.graph.scene?.x.length === 5")
        assert page.evaluate(TITLE) == "vending.aut"
        for name, text in (("x.exe", "MZ"), ("empty.py", "x = 1\n"), ("broken.aut", "des (")):
            (tmp_path / name).write_text(text)
            page.click("#tab-open")
            page.set_input_files("input[type=file]", str(tmp_path / name))
            page.wait_for_selector(f".notice p:has-text('{name}')")
            page.click(".notice button")


def test_a_folder_lists_its_models_and_runs_none_of_them(tmp_path: Path):
    shutil.copy(EXAMPLES / "vending" / "vending.aut", tmp_path)
    (tmp_path / "evil.py").write_text(
        "from outplay import Model\nopen('ran', 'w').close()\nclass Evil(Model):\n    n: int = 0\n"
    )
    with studio(str(tmp_path), folder=tmp_path) as made, shown(made, ready=False) as page:
        page.wait_for_selector("text=evil.py:Evil")
        page.click("text=vending.aut")
        until(page, "studio.graph.scene?.x.length === 5")
    assert not (tmp_path / "ran").exists()


def test_an_edited_model_shows_its_errors_in_place_and_the_graph_follows_and_only_saving_writes(tmp_path: Path):
    (tmp_path / "lamp.py").write_text(
        "from outplay import Model, controllable\n\n\nclass Lamp(Model):\n    most = 2\n    on: int = 0\n\n"
        "    @controllable\n    def press(self):\n        self.on = (self.on + 1) % self.most\n"
    )
    before = (tmp_path / "lamp.py").read_text()
    with studio(f"{tmp_path / 'lamp.py'}:Lamp", folder=tmp_path) as made, shown(made) as page:
        page.click("#tab-edit")
        until(page, "document.querySelector('textarea')?.value.includes('press')")
        page.fill("textarea", before.replace("self.on + 1", "self.onn + 1"))
        page.wait_for_selector(".error:has-text('lamp.py:10')")
        assert page.inner_text(".gutter .wrong").strip() == "10"
        page.fill("textarea", before.replace("most = 2", "most = 7"))
        until(page, "studio.graph.scene.x.length === 7")
        assert page.query_selector(".error") is None
        assert (tmp_path / "lamp.py").read_text() == before
        page.fill("textarea", before.replace("    @", "  @"))
        page.wait_for_selector(".error")
        page.fill("textarea", before.replace("most = 2", "most = 5"))
        until(page, "studio.graph.scene.x.length === 5")
        page.click(".edit button.main")
        until(page, "document.querySelector('.edit [role=status]').textContent === 'saved'")
        assert "most = 5" in (tmp_path / "lamp.py").read_text()


def test_a_file_that_changed_on_the_disk_is_not_overwritten(tmp_path: Path):
    (tmp_path / "lamp.aut").write_text('des (0, 1, 2)\n(0, "?press", 1)\n')
    with studio(str(tmp_path / "lamp.aut"), folder=tmp_path) as made, shown(made, strict=False) as page:
        page.click("#tab-edit")
        until(page, "document.querySelector('textarea')?.value.includes('press')")
        (tmp_path / "lamp.aut").write_text('des (0, 1, 2)\n(0, "?kick", 1)\n')
        page.fill("textarea", 'des (0, 1, 2)\n(0, "?push", 1)\n')
        until(page, "document.querySelector('.edit [role=status]').textContent === 'not saved'")
        page.click(".edit button.main")
        page.wait_for_selector(".notice p:has-text('has changed on the disk')")
        assert "kick" in (tmp_path / "lamp.aut").read_text()


def test_a_graph_is_folded_and_opened_by_a_click_and_saved_as_it_is(tmp_path: Path):
    with studio(CHAT, folder=tmp_path) as made, shown(made) as page:
        page.select_option("select[aria-label='Fold the graph']", "distance")
        until(page, "studio.graph.scene.x.length < 20")
        whole = page.evaluate("studio.graph.scene.x.length")
        where = """() => { const g = studio.graph, n = g.scene.kind.indexOf(3), box = g.canvas.getBoundingClientRect();
            const [x, y] = g.camera.toScreen(g.scene.x[n], g.scene.y[n]); return [x + box.left, y + box.top]; }"""
        page.mouse.click(*page.evaluate(where))
        until(page, f"studio.graph.scene.x.length > {whole}")
        with page.expect_download() as saved:
            page.click("button:has-text('SVG')")
        text = Path(saved.value.path()).read_text()
        assert text.startswith("<svg")
        assert text.count("<path d=") == page.evaluate("studio.graph.scene.source.length") + 1 - page.evaluate(
            "[...studio.graph.scene.source].filter((from, at) => from === studio.graph.scene.target[at]).length"
        )
        page.select_option("select[aria-label='Fold the graph']", "near")
        until(page, "studio.graph.scene.x.length === 301")
