"""Files are written whole or not at all."""

from __future__ import annotations

import os
import re
import resource
import stat
from pathlib import Path

import pytest

from helpers.places import ROOT
from outplay.errors import FormatError
from outplay.formats.common.writing import write_whole


def pieces_that_break():
    yield "half of "
    raise RuntimeError("it")


def test_a_writer_that_breaks_leaves_the_old_file_and_nothing_else():
    write_whole("page.html", ["old"])
    with pytest.raises(RuntimeError):
        write_whole("page.html", pieces_that_break())
    assert Path("page.html").read_text() == "old"
    assert os.listdir() == ["page.html"]


def test_a_reader_sees_the_old_file_or_the_new_one():
    write_whole("page.html", ["old"])
    with Path("page.html").open() as reader:
        write_whole("page.html", ["new"])
        assert reader.read() == "old"
    assert Path("page.html").read_text() == "new"


def test_rights_and_links_stay_as_they_are():
    write_whole("real", ["old"])
    Path("real").chmod(0o640)
    Path("link").symlink_to("real")
    write_whole("link", ["new"])
    assert (Path("link").is_symlink(), Path("real").read_text()) == (True, "new")
    assert stat.S_IMODE(Path("real").stat().st_mode) == 0o640


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_names_the_file():
    with pytest.raises(FormatError, match=r"^/dev/full: No space left on device; make room there$"):
        write_whole("/dev/full", ["text"])


def test_no_room_in_the_middle_leaves_the_old_file_and_nothing_else():
    write_whole("page.html", ["old"])
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))  # Python ignores SIGXFSZ
    try:
        with pytest.raises(FormatError, match=r"^page.html: File too large; make room there$"):
            write_whole("page.html", ["x" * 1000] * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert Path("page.html").read_text() == "old"
    assert os.listdir() == ["page.html"]


def test_no_room_for_the_folder_is_one_line():
    Path("plain").write_text("")
    with pytest.raises(FormatError, match=r"^plain/page.html: .*; give a path that can be written$"):
        write_whole("plain/page.html", ["text"], folders=True)


def test_the_longest_name_can_be_written():
    assert write_whole("n" * 255, ["text"]).read_text() == "text"


def test_nothing_else_opens_files_for_writing():
    """But what grows line by line, files in a folder of our own, and what nobody else may read or write."""
    opening = re.compile(r"write_text\(|write_bytes\(|open\([^)]*[\"'][wax]b?[\"']")
    found = {path.name for path in (ROOT / "src").rglob("*.py") if opening.search(path.read_text(encoding="utf-8"))}
    growing, drafts = {"recording.py", "recorded_run.py", "github_summary.py"}, {"opening.py", "editing.py"}
    private, exploring = {"remembered_code.py", "caching.py"}, {"disk_walk.py", "state_index.py"}
    assert found <= {"writing.py", *growing, *drafts, *private, *exploring}
