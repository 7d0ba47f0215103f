"""The log: one line for one event, whatever was in it, and readers who miss nothing."""

from __future__ import annotations

import logging
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from localplane.cli import logs
from localplane.cli.logs import LogReader, follow, start_logging


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    for handler in root.handlers:
        if handler not in handlers:
            handler.close()
    root.handlers[:], root.level = handlers, level
    for name in ("localplane", "localplane.cli"):
        logging.getLogger(name).setLevel(logging.NOTSET)


def test_control_characters_are_shown_and_not_sent(tmp_path: Path) -> None:
    start_logging(tmp_path / "log", on_terminal=False, verbose=False)
    logging.getLogger("x").warning("pod \x1b[31m%s\x9b", "a\rb")
    text = (tmp_path / "log").read_text()
    assert text.endswith("WARNING pod \\x1b[31ma\\x0db\\x9b\n")
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o600


@pytest.mark.parametrize(("verbose", "told"), [(False, False), (True, True)])
def test_only_whoever_asks_is_told_everything(verbose: bool, told: bool, tmp_path: Path) -> None:  # noqa: FBT001
    start_logging(tmp_path / "log", on_terminal=False, verbose=verbose)
    logging.getLogger("localplane.apiserver").info("a request")
    logging.getLogger("localplane.cli").info("ours")
    text = (tmp_path / "log").read_text()
    assert ("a request" in text) is told
    assert "ours" in text


def test_the_terminal_is_not_told_what_it_has_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start_logging(tmp_path / "log", on_terminal=True, verbose=False)
    logging.getLogger(logs.FILE_ONLY).info("is up")
    logging.getLogger("x").warning("trouble")
    stderr = capsys.readouterr().err
    assert "trouble" in stderr
    assert "is up" not in stderr
    assert "is up" in (tmp_path / "log").read_text()


def test_a_reader_goes_on_where_it_stopped_also_in_the_next_file(tmp_path: Path) -> None:
    path = tmp_path / "log"
    reader = LogReader(path)
    assert reader.read() == ""
    path.write_text("one\n")
    assert reader.read() == "one\n"
    with path.open("a") as file:
        file.write("two\n")
    path.rename(tmp_path / "log.1")
    path.write_text("three\n")
    assert reader.read() == "two\nthree\n"
    with path.open("a") as file:
        file.write("four\n")
    path.unlink()
    assert reader.read() == "four\n", "what was said before it was removed"
    assert reader.read() == ""
    reader.close()


def test_the_last_words_are_read_before_the_follower_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "_LOOK_AGAIN", 0)
    path = tmp_path / "log"
    path.write_text("one\n")
    answers = iter([True, False])

    def lives() -> bool:
        if not (alive := next(answers)):
            path.write_text("one\nlast\n")
        return alive

    assert list(follow(path, while_true=lives)) == ["one\n", "last\n"]
