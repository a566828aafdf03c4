import os
from pathlib import Path

import pytest

from fivefold.errors import InputError
from fivefold.results import write_text


def test_writing_replaces_the_file_and_keeps_its_permissions(tmp_path: Path) -> None:
    place = tmp_path / "report.html"
    write_text(place, "one")
    place.chmod(0o640)
    write_text(place, "two ü\n")
    assert place.read_bytes() == "two ü\n".encode()
    assert place.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_an_interruption_leaves_the_old_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "report.html"
    write_text(place, "old")

    def interrupt(self: Path, target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_text(place, "new")
    assert place.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for place in (tmp_path / "nowhere" / "report.html", tmp_path):
        with pytest.raises(InputError, match="a folder that exists"):
            write_text(place, "")


def test_a_link_goes_on_leading_to_the_page(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    link, page = tmp_path / "latest.html", tmp_path / "site" / "page.html"
    link.symlink_to(page)
    for text in ("one", "two"):
        write_text(link, text)
        assert link.is_symlink()
        assert page.read_text(encoding="utf-8") == text


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_or_a_device_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_text(pipe, "one")
    assert os.read(reader, 10) == b"one"
    os.close(reader)
    assert pipe.is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]
