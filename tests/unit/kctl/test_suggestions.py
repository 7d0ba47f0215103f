"""What was probably meant by a word that means nothing."""

from __future__ import annotations

import pytest

from kctl.command_line.usage import close, closest, did_you_mean, unknown_command

TYPES = ("pods", "nodes", "configmaps", "deployments", "events", "jobs", "roles")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("podz", ["pods"]),
        ("Podz", ["pods"]),
        ("conf", ["configmaps"]),
        ("deploymnet", []),
        ("deploymnets", ["deployments"]),
        ("xyz", []),
        ("pos", ["pods"]),
        ("no", []),
    ],
)
def test_types_are_near_within_two_keystrokes_or_by_their_beginning(typed: str, meant: list[str]) -> None:
    assert closest(typed, TYPES) == meant


def test_no_more_than_a_few_are_told_and_the_nearest_first() -> None:
    assert closest("aaaa", ["aabb", "aaab", "aaaa", "abab", "aaac", "aaad", "aaae"]) == [
        "aaaa", "aaab", "aaac", "aaad", "aaae"
    ]  # fmt: skip


def test_commands_are_told_in_the_order_of_the_table() -> None:
    assert close("ge", ["set", "get", "delete"]) == ["set", "get"]


def test_our_own_commands_come_second() -> None:
    kubectls = unknown_command("ge", known=["get"], own=["get", "gem"])
    assert kubectls.hint == "\nDid you mean this?\n\tget"
    ours = unknown_command("statu", known=["get"], own=["get", "status"])
    assert ours.hint == "\nDid you mean this?\n\tstatus"
    assert did_you_mean([]) == unknown_command("zzzzz", known=["get"]).hint == ""
