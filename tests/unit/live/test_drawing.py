"""What stands on the screen, for boards that are made by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kctl.views.watch.board import FRESH, Board
from kctl.views.watch.changes import Change
from kctl.views.watch.drawing import Look, draw
from kctl.views.watch.sources import Source
from localplane.apimachinery.groups import GroupVersionKind
from localplane.client.rest.mapper import RESTMapping
from localplane.client.rest.names import GroupVersionResource

BORN = datetime(2026, 1, 1, tzinfo=UTC)
PODS = Source(
    RESTMapping(GroupVersionResource("", "v1", "pods"), GroupVersionKind("", "v1", "Pod"), namespaced=True),
    "default",
    "",
    "",
    "",
)
COLUMNS = [
    {"name": "Name", "type": "string", "format": "name"},
    {"name": "Status", "type": "string"},
    {"name": "Age", "type": "string"},
    {"name": "Node", "type": "string", "priority": 1},
]


def row(name: str, status: str = "Running", *, node: str = "n1") -> dict[str, Any]:
    metadata = {"name": name, "namespace": "default", "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"a": "b"}}
    return {"metadata": metadata, "cells": [name, status, "1s", node], "columns": COLUMNS}


def board_of(*rows: dict[str, Any]) -> Board:
    board = Board([PODS])
    board.show(PODS, [Change("ADDED", one) for one in rows], initial=True, now=0.0)
    return board


def screen(board: Board, *, after: float = 5, **look: Any) -> list[str]:
    return draw(board, Look(**{"width": 80, **look}), title="", at=BORN + timedelta(seconds=after))


def test_rows_are_sorted_and_ages_are_those_of_now() -> None:
    board = board_of(row("b"), row("a"))
    expected = ["  NAME   STATUS   AGE", "  pod/a  Running  5s", "  pod/b  Running  5s"]
    assert screen(board) == expected
    assert screen(board, after=90)[1] == "  pod/a  Running  90s"


def test_changes_stand_out_for_a_moment() -> None:
    board = board_of(row("a"), row("b"))
    changes = [
        Change("MODIFIED", row("a", "Failed"), row("a")),
        Change("DELETED", row("b"), row("b")),
        Change("ADDED", row("c")),
    ]
    board.show(PODS, changes, initial=False, now=10.0)
    assert [line[0] for line in screen(board)] == [" ", "~", "-", "+"]
    assert len(board) == 2
    coloured = screen(board, colour=True)
    assert "\x1b[1;33mFailed" in coloured[1]  # the cell that changed,
    assert "\x1b[1;33mpod/a" not in coloured[1]  # and no other
    board.settle(10.0 + FRESH)
    assert [line.strip() for line in screen(board)] == [
        "NAME   STATUS   AGE",
        "pod/a  Failed   5s",
        "pod/c  Running  5s",
    ]


def test_no_line_is_wider_than_the_terminal() -> None:
    board = board_of(row("a" * 60, "x" * 60), row("日本語" * 20))
    for width in (10, 20, 40, 60, 79):
        lines = screen(board, width=width)
        assert max(len(line) for line in lines) <= width
        assert lines[1].strip().startswith("pod/a")


def test_what_does_not_fit_is_counted_and_what_changed_is_shown() -> None:
    board = board_of(*(row(f"p{number:02}") for number in range(50)))
    board.show(PODS, [Change("MODIFIED", row("p49", "Failed"), row("p49"))], initial=False, now=10.0)
    lines = screen(board, height=10)
    assert len(lines) == 10
    assert lines[-1] == "... and 42 more that don't fit"
    assert any("p49" in line for line in lines)


def test_nothing_of_an_object_is_sent_to_the_terminal() -> None:
    board = board_of(row("a", "\x1b]0;owned\x07\x1b[2J"), row("b", "one\ntwo"))
    text = "\n".join(screen(board))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "^[]0;owned^G^[[2J" in text
    assert "one..." in text


@pytest.mark.parametrize(
    ("look", "header"),
    [
        ({"wide": True}, "  NAME   STATUS   AGE  NODE"),
        ({"namespaces": True}, "  NAMESPACE  NAME   STATUS   AGE"),
        ({"show_labels": True}, "  NAME   STATUS   AGE  LABELS"),
        ({"column_labels": ("x/a",)}, "  NAME   STATUS   AGE  A"),
        ({"headers": False}, "  pod/a  Running  5s"),
    ],
)
def test_columns_as_asked_for(look: dict[str, Any], header: str) -> None:
    assert screen(board_of(row("a")), **look)[0] == header


def test_a_problem_is_said_until_it_is_over() -> None:
    board = board_of(row("a"))
    board.connected(PODS, "the server is gone")
    assert screen(board)[0] == "! the server is gone; trying again"
    board.connected(PODS, "")
    assert screen(board)[0].startswith("  NAME")
