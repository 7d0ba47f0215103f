"""The parts of the tool, without a terminal: keys, the listing, pages, and what is painted."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from kctl.views.watch.board import Board
from kctl.views.watch.cells import clipped, width_of, window
from kctl.views.watch.changes import Change
from kctl.views.watch.drawing import Look, draw, draw_listing
from kctl.views.watch.terminal import Terminal
from kctl.views.watch.tool import help_text
from kctl.views.watch.tool.keys import Keys
from kctl.views.watch.tool.listing import Listing
from kctl.views.watch.tool.pages import Choice, Choices, Question, Text
from tests.unit.live.test_drawing import BORN, PODS, board_of, row


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        (b"\x1b[A\x1b[B\x1bOC\x1b[D", ["up", "down", "right", "left"]),
        (b"\x1b[5~\x1b[6~\x1b[H\x1b[4~\x1b[3~", ["page-up", "page-down", "home", "end", "delete"]),
        (b"a\n\x7f\x1b", ["a", "enter", "backspace", "escape"]),
        ("日ä".encode(), ["日", "ä"]),
        (b"\x1b[1;5Cx\x01", ["x"]),  # keys that nobody knows
        (b"\xff", ["\N{REPLACEMENT CHARACTER}"]),
    ],
)
def test_keys_have_names(sent: bytes, keys: list[str]) -> None:
    assert Keys().read(sent) == keys
    one_by_one = Keys()
    if b"\x1b" not in sent:
        assert [key for byte in sent for key in one_by_one.read(bytes([byte]))] == keys


def test_a_sequence_that_comes_in_pieces_is_one_key() -> None:
    keys = Keys()
    assert keys.read(b"\x1b[") == []
    assert keys.read(b"5") == []
    assert keys.read(b"~j") == ["page-up", "j"]


def names(listing: Listing) -> list[str]:
    return [row.entry.order[1] for row in listing.rows]


def test_a_filter_wants_every_word_and_none_with_a_sign_before_it() -> None:
    listing = Listing(board_of(row("web-1"), row("web-2", "Failed"), row("db-1")))
    assert names(listing) == ["db-1", "web-1", "web-2"]
    listing.filter = "WEB"
    assert names(listing) == ["web-1", "web-2"]
    listing.filter = "web !failed"
    assert names(listing) == ["web-1"]
    listing.filter = "a=b pod/d"  # labels and kinds count
    assert names(listing) == ["db-1"]


def test_rows_are_sorted_by_what_their_cells_mean() -> None:
    board = board_of(row("a", "10"), row("b", "9 (3m ago)"), row("c", "1/2"), row("d", "Running"), row("e", "0/3"))
    listing = Listing(board)
    listing.sort_by_next(2, ["NAME", "STATUS", "AGE"])
    assert listing.column == "STATUS"
    assert names(listing) == ["e", "c", "b", "a", "d"]
    listing.reverse = True
    assert names(listing) == ["d", "a", "b", "c", "e"]
    listing.sort_by_next(2, ["NAME", "STATUS", "AGE"])
    assert listing.column == ""


def test_the_youngest_come_first_when_ages_are_sorted() -> None:
    young = row("young")
    young["metadata"]["creationTimestamp"] = "2026-03-01T00:00:00Z"
    listing = Listing(board_of(row("old"), young))
    listing.column = "AGE"
    assert names(listing) == ["young", "old"]


def place(listing: Listing) -> int | None:
    """Of its cursor."""
    return listing.cursor


def test_the_cursor_stays_with_its_object() -> None:
    board = board_of(row("b"), row("c"))
    listing = Listing(board)
    assert place(listing) is None
    listing.move(1)
    listing.move(1)
    assert place(listing) == 1
    board.show(PODS, [Change("ADDED", row("a"))], initial=False, now=0.0)
    assert place(listing) == 2
    current = listing.current
    assert current is not None
    assert current.shown == "pod/c"
    board.show(PODS, [Change("DELETED", row("c"), row("c"))], initial=False, now=0.0)
    board.settle(10.0)
    assert place(listing) == 1  # whoever is there now
    listing.move(100)
    assert place(listing) == 1
    listing.leave()
    assert place(listing) is None


def listed(listing: Listing, board: Board, **look: Any) -> list[str]:
    drawn = draw_listing(board, listing, Look(**{"width": 40, "height": 6, **look}), title="title", at=BORN)
    return [*drawn.lines, f"dropped {','.join(drawn.dropped)}"]


def test_the_window_moves_with_the_cursor() -> None:
    board = board_of(*(row(f"p{number:02}") for number in range(50)))
    listing = Listing(board)
    listing.go(49)
    lines = listed(listing, board)
    assert lines[-2] == " >pod/p49  Running  0s"
    assert len(lines) == 7
    listing.go(10)
    assert " >pod/p10  Running  0s" in listed(listing, board)
    listing.go(0)
    assert listed(listing, board)[:3] == ["title", "  NAME     STATUS   AGE", " >pod/p00  Running  0s"]
    assert listed(listing, board, colour=True)[2].startswith("\x1b[7m  pod/p00  Running  0s ")


def test_columns_that_are_passed_over_make_room_for_those_that_did_not_fit() -> None:
    board = board_of(row("a" * 30, "S" * 20))
    listing = Listing(board)
    assert listed(listing, board)[-1] == "dropped AGE"
    shifted = listed(listing, board, shift=1)
    assert shifted[-1] == "dropped "
    assert shifted[1].split() == ["NAME", "AGE"]
    assert listed(listing, board, shift=9)[1].split() == ["NAME", "AGE"]


def test_columns_that_one_goes_to_get_room_from_the_name() -> None:
    board = board_of(row("a" * 30, "S" * 9))
    wide = {"namespaces": True, "wide": True}
    assert listed(Listing(board), board, **wide)[-1] == "dropped STATUS,AGE,NODE"
    shifted = listed(Listing(board), board, shift=1, **wide)
    assert shifted[1].split() == ["NAMESPACE", "NAME", "AGE", "NODE"]


def test_the_keys_fit_a_narrow_terminal() -> None:
    assert all(len(line) <= 40 for line in help_text.KEYS.splitlines())


def test_what_a_narrow_screen_does_not_show_is_said() -> None:
    board = board_of(row("a" * 30, "S" * 20))
    assert draw(board, Look(width=36), title="", at=BORN)[-1] == "not shown: AGE"
    assert draw(board, Look(width=36, height=2), title="", at=BORN)[-1] == "not shown: AGE"


def test_a_time_that_was_told_goes_on() -> None:
    columns = [{"name": "Last Seen", "type": "string"}, {"name": "Message", "type": "string"}]
    told = {"columns": columns, "cells": ["58s (x3 over 5m)", "5s is no age"], "received": BORN}
    board = board_of({**row("a"), **told})
    shown = draw(board, Look(width=60), title="", at=BORN + timedelta(seconds=70))
    assert shown[1] == "  2m8s (x3 over 5m)  5s is no age"
    later = {**row("a"), **told, "cells": ["1s (x4 over 5m)", "5s is no age"]}
    board.show(PODS, [Change("MODIFIED", later, {**row("a"), **told})], initial=False, now=0.0)
    assert next(board.sections()).entries[0].changed == frozenset()


def test_a_text_is_scrolled_and_searched() -> None:
    page = Text("title", "".join(f"line {number}\n" for number in range(30)))
    assert page.draw(40, 3) == ["line 0", "line 1", "line 2"]
    page.press("page-down")
    assert page.draw(40, 3)[0] == "line 2"
    for key in ("/", *"line 17", "enter"):
        page.press(key)
    assert page.draw(40, 3)[0] == "line 17"
    page.press("end")
    assert page.draw(40, 3)[-1] == "line 29"
    assert page.hint.startswith("28-30 of 30")
    page.press("home")
    page.press("right")
    assert page.draw(40, 1) == [""]
    page.press("q")
    assert page.closed


def test_a_log_is_followed_until_somebody_scrolls() -> None:
    page = Text("logs", "")
    page.follows = True
    page.append("a\nb\nc")
    assert page.draw(10, 2) == ["b", "c"]
    page.press("up")
    page.append("d")
    assert page.draw(10, 2) == ["a", "b"]
    page.press("end")
    page.append("e")
    assert page.draw(10, 2) == ["d", "e"]
    assert "^[[2J" in Text("x", "\x1b[2J").draw(10, 1)[0]


def test_a_choice_is_found_by_its_names_or_by_what_is_typed() -> None:
    chosen: list[str] = []

    def typing(text: str, *, free: bool = True) -> Choices:
        page = Choices("kind", chosen.append, free=free)
        for key in text:
            page.press(key)
        page.fill([Choice("configmaps (cm)", "configmaps", ("cm",)), Choice("pods (po)", "pods", ("po",))])
        page.press("enter")
        return page

    assert typing("po").closed
    typing("cm")
    typing("po,cm")
    typing("od")
    typing("nosuch")
    assert not typing("nosuch", free=False).closed
    assert chosen == ["pods", "configmaps", "po,cm", "pods", "nosuch"]


def test_a_question_is_answered_by_a_yes_only() -> None:
    answers: list[str] = []
    for key in ("n", "enter", "escape", "y"):
        page = Question("Delete?", answers.append, yes_or_no=True)
        page.press(key)
        assert page.closed
    assert answers == ["y"]
    number = Question("How many?", answers.append, yes_or_no=False)
    for key in ("1", "2", "backspace", "enter"):
        number.press(key)
    assert answers == ["y", "1"]


def test_lines_are_cut_with_their_colours() -> None:
    text = "\x1b[36mkey\x1b[0m: \x1b[32mvalue\x1b[0m"
    assert window(text, 0, 10) == text
    assert window(text, 0, 6) == "\x1b[36mkey\x1b[0m: \x1b[32m\x1b[0m…"
    assert window(text, 5, 10) == "\x1b[36m\x1b[0m\x1b[32mvalue\x1b[0m"
    assert clipped("日本語", 5) == "日本…"
    assert width_of("日本e\u0301") == 5


def test_only_lines_that_changed_are_painted(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal()
    terminal.paint(["a", "b", "c"])
    assert capsys.readouterr().out == "\x1b[H\x1b[2Ka\r\n\x1b[2Kb\r\n\x1b[2Kc\x1b[0m\x1b[J"
    terminal.paint(["a", "x", "c"])
    assert capsys.readouterr().out == "\x1b[2;1H\x1b[2Kx\x1b[0m"
    terminal.paint(["a", "x"])
    assert capsys.readouterr().out == "\x1b[3;1H\x1b[J"
    terminal.paint(["a", "x"])
    assert capsys.readouterr().out == ""
    terminal.forget()
    terminal.paint(["a"])
    assert capsys.readouterr().out == "\x1b[H\x1b[2Ka\x1b[0m\x1b[J"
