"""kctl and kubectl told the same: random lines can be told again, and what one of them does otherwise is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.differential.__main__ import AS_BARE
from tests.differential.command_lines import Line, command_line, declared
from tests.differential.command_runs import (
    CommandDifference,
    Told,
    all_commands,
    command_difference,
    compare_lines,
    flags_of,
    smallest,
    two_sides,
)
from tests.e2e.examples.kubectl import kubectls
from tests.e2e.up.machine import machine

KNOWN = {command: {flag.name for flag in declared(command)} for command in all_commands()}
PLACES = {"namespace": "n", "dir": "/d"}
SHORT = 8
SEED = 3


def test_a_seed_tells_the_whole_line() -> None:
    lines = [command_line(1, number, KNOWN) for number in range(300)]
    assert lines == [command_line(1, number, KNOWN) for number in range(300)]
    assert lines != [command_line(2, number, KNOWN) for number in range(300)]
    assert len({line.command for line in lines}) > len(KNOWN) / 2
    assert {line.command for line in (command_line(1, number, KNOWN, ["set"]) for number in range(40))} > {"set env"}


def test_flags_that_the_other_program_has_not_are_not_tried() -> None:
    assert not any(command_line(1, number, {}).flags for number in range(100))


def test_a_line_has_its_flags_before_what_belongs_to_somebody_else() -> None:
    line = Line("run", "made --image=x -- a '{b c}'", ("--dry-run=client",))
    assert line.words(PLACES) == ["run", "--dry-run=client", "made", "--image=x", "--", "a", "{b c}"]
    assert Line("get", "-f {dir}/x {namespace}").words(PLACES) == ["get", "-f", "/d/x", "n"]
    assert Line("rollout history", "").reads_only
    assert not Line("rollout undo", "").reads_only


def test_what_a_difference_does_not_need_is_left_out() -> None:
    def again(line: Line) -> CommandDifference | None:
        return command_difference(line, Told(0, "", ""), Told(int("--b" in line.flags), "", ""))

    found = again(Line("get", "pods", ("--a", "--b", "--c")))
    assert found is not None
    assert smallest(found, again).line == Line("get", "pods", ("--b",))


def test_what_is_excused_is_none() -> None:
    said = "error: --env is for functions that run in containers, which kctl does not start"
    assert command_difference(Line("kustomize", "."), Told(0, "", ""), Told(1, "", said)) is None
    differing = command_difference(Line("get", "pods"), Told(0, "a\nb", ""), Told(0, "a\nc", ""))
    assert differing is not None
    assert (differing.place, differing.peer, differing.ours) == ("stdout", "b", "c")


@pytest.mark.skipif(not kubectls(), reason="no kubectl on PATH or in .tools, run `make kubectl`")
def test_kctl_does_as_kubectl_does(tmp_path: Path) -> None:
    program = kubectls()[-1].resolve()
    with machine(tmp_path) as here:
        here.up("--ephemeral", *AS_BARE)
        (beside := tmp_path / "beside").mkdir()
        peer, ours = two_sides(here, program, beside)
        lines = [command_line(SEED, number, KNOWN) for number in range(SHORT)]
        known = flags_of(program, {line.command for line in lines})
        known = {command: known.get(command, set()) for command in all_commands()}
        report = compare_lines(peer, ours, known, lines=SHORT, seed=SEED)
        told = ours.told(Line("create configmap", "made --from-literal=a=b"))
        other = peer.told(Line("create configmap", "made --from-literal=a=c"))
    assert (report.lines, list(report.groups.values())) == (SHORT, [])
    planted = command_difference(Line("create configmap", ""), other, told)
    assert planted is not None
    assert planted.place == "objects"
