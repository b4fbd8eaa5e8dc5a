"""The order of tests on several workers: what takes long first, then the tests of a file in blocks.

Tests of one file need the same modules, fixtures and compiled code, which a worker then prepares once; and there is
less for pytest-xdist to count, whose loop goes through all blocks that were handed out after every test.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from helpers.places import ROOT

SIZE = 8


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with groups, then with the tests of the whole, which start processes: at the end workers would wait."""
    if hasattr(config, "workerinput"):
        whole = ROOT / "tests"
        items.sort(key=lambda item: (item.get_closest_marker("xdist_group") is None, item.path.parent != whole))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand out blocks where groups are asked for."""
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class Blocks(LoadGroupScheduling):
        def __init__(self) -> None:
            super().__init__(config, log)
            self._block, self._sizes = dict[str, str](), Counter[str]()

        def _split_scope(self, nodeid: str) -> str:
            group = super()._split_scope(nodeid)
            if group != nodeid:
                return group
            if nodeid not in self._block:
                file = nodeid.partition("::")[0]
                self._block[nodeid] = f"{file} {self._sizes[file] // SIZE}"
                self._sizes[file] += 1
            return self._block[nodeid]

    config.option.loadscopereorder = False
    return Blocks()
