"""GraphWalker models, written by hand."""

from __future__ import annotations

import json
from typing import Any

from outplay.formats.common.source import Source
from outplay.formats.symbolic.graphwalker import read
from outplay.model.walk_models import WalkModels


def vertex(id: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "name": f"v_{id}", **more}


def edge(id: str, source: str | None, target: str, **more: Any) -> dict[str, Any]:
    ends = {"targetVertexId": target} | ({} if source is None else {"sourceVertexId": source})
    return {"id": id, "name": f"e_{id}", **ends, **more}


def document(*models: dict[str, Any]) -> str:
    return json.dumps({"models": models})


def counter() -> str:
    """Counts up to 2, then may go to another model, which can reset it by a global variable."""
    first = {
        "name": "count",
        "startElementId": "e0",
        "generator": "random(edge_coverage(100))",
        "actions": ["n = 0;", "global.seen = false;"],
        "vertices": [vertex("a", requirements=["R1"]), vertex("b", sharedState="DOOR")],
        "edges": [
            edge("e0", None, "a"),
            edge("e1", "a", "a", guard="n < 2", actions=["n++;"], requirements=["R2"], weight=0.5),
            edge("e2", "a", "b", guard="n == 2 && !global.seen"),
        ],
    }
    second = {
        "name": "other",
        "actions": ["n = 7"],
        "vertices": [
            vertex("x", sharedState="DOOR", actions=["global.seen = false"]),
            vertex("y", requirements=["R3"]),
        ],
        "edges": [edge("f0", "x", "y", actions=["global.seen = true"]), edge("f1", "y", "x", guard="n > 0")],
    }
    return document(first, second)


def models(text: str) -> WalkModels:
    return read(Source("test.json", text))
