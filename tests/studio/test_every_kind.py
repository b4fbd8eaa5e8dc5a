"""Every kind of model opens in the studio, and all that may be asked of it is answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.places import EXAMPLES
from outplay.runs.job import Job
from outplay.studio.document import Asked
from outplay.studio.operations import OPERATIONS
from outplay.studio.workspace import Workspace

MODELS = ["chat/model.py:Chat", "mp3/mp3.aut", "graphs/two_doors.json", "symbolic/adder.sts", "graphs/gamble.json"]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("assumption", ["nondeterministic", "input-eager"])
def test_a_model_of_any_kind_is_shown_forecast_and_played(model: str, assumption: str):
    if assumption != "nondeterministic" and Path(model).suffix == ".json":
        pytest.skip("a game from a file has its assumption")
    workspace = Workspace()
    document = workspace.open(Job(str(EXAMPLES / model), assumption=assumption))

    def ask(name: str, **given: object) -> dict[str, object]:
        answer = OPERATIONS[name].answer(workspace, Asked({"document": document.id, **given}))
        return answer if isinstance(answer, dict) else {"bytes": len(answer)}

    facts = ask("facts")
    start = facts["initial"]
    assert ask("vertex", vertex=start)["moves"]
    for way, _ in facts["folds"]:  # type: ignore[attr-defined]
        assert ask("scene", fold=way)["bytes"]
    rows = ask("forecast", kind="goal" if facts["goals"] else "label")["rows"]
    goal = rows[0]["name"]  # type: ignore[index]
    for name in ("target", "why"):
        assert "vertices" in ask(name, goal=goal)
    assert ask("how", goal=goal, vertex=start)["vertices"]
    assert ask("alternatives", goal=goal, vertex=start)["moves"]
    assert ask("tints", goal=goal, by="value")["bytes"]
    for side in ("tester", "system"):
        assert ask("play", path=[], goal=goal, side=side, rival="adversary", answer=True)["name"]
    assert all(0 <= vertex < document.game.vertex_count for vertex in document.vertex_of_key.values())
