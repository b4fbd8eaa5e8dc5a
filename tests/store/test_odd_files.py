"""Files that are none where a store should be: nothing waits for them for ever, and nothing is written elsewhere."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from outplay.errors import FormatError
from outplay.store.database import Database

PARTS = ["", "-wal", "-shm", "-journal"]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "runs" / "store.db"
    Database(path).close()
    return path


@pytest.mark.promise("C1")
@pytest.mark.parametrize("reading", [True, False])
@pytest.mark.parametrize("part", PARTS)
def test_a_pipe_in_its_place_is_refused(store, part, reading):
    place = Path(f"{store}{part}")
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    with pytest.raises(FormatError, match="no plain file"):
        Database(store, reading=reading)


@pytest.mark.promise("C1")
@pytest.mark.parametrize("part", PARTS)
def test_nothing_is_written_where_a_link_leads(store, part):
    place, precious = Path(f"{store}{part}"), store.parent.parent / "precious"
    precious.write_bytes(b"precious")
    place.unlink(missing_ok=True)
    place.symlink_to(precious)
    with pytest.raises(FormatError, match="a link to elsewhere"):
        Database(store)
    assert precious.read_bytes() == b"precious"


def test_a_folder_in_its_place_is_refused(store):
    store.unlink()
    store.mkdir()
    with pytest.raises(FormatError, match="no plain file"):
        Database(store, reading=True)


def test_one_that_another_reads_is_opened(store):
    """Its log lies beside it then."""
    with sqlite3.connect(store) as other:
        other.execute("SELECT count(*) FROM sqlite_master").fetchone()
        Database(store).close()
        Database(store, reading=True).close()
    other.close()
