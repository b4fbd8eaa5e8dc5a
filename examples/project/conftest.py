"""Tests of the chat server: `pytest -n 2` passes, `pytest --bug` finds the message that overtakes another."""

import sys
from pathlib import Path

import pytest

SERVER = Path(__file__).parent.parent / "chat" / "server.py"


def pytest_addoption(parser):
    parser.addoption("--bug", action="store_true", help="Test the server with the bug.")


@pytest.fixture
def server(request):
    """How the server is started; outplay starts it anew for each play, and ends it."""
    bug = " --bug" if request.config.getoption("bug") else ""
    return f"exec:'{sys.executable}' '{SERVER}' --greet --pace 0.3{bug}"
