"""What is understood of a container's command."""

from __future__ import annotations

from random import Random

import pytest

from localplane.nodes.pods.commands import CommandRun, CommandSurroundings, StopReply, looks_endless, understand

FOREVER = CommandRun(0.0, None)


def sh(script: str) -> list[str]:
    return ["/bin/sh", "-c", script]


@pytest.mark.parametrize(
    ("command", "run"),
    [
        (["true"], CommandRun(0.0, 0)),
        (["/bin/false"], CommandRun(0.0, 1)),
        (["sleep", "5"], CommandRun(5.0, 0)),
        (["sleep", "1m", "0.5"], CommandRun(60.5, 0)),
        (["sleep", "infinity"], FOREVER),
        (["tail", "-f", "/dev/null"], FOREVER),
        (["echo", "hello", "world"], CommandRun(0.0, 0, ("hello world",))),
        (sh("exit 3"), CommandRun(0.0, 3)),
        (sh("exit 256"), CommandRun(0.0, 0)),
        (sh("sleep 2; exit 1"), CommandRun(2.0, 1)),
        (sh("sleep 1 && echo 'all done'"), CommandRun(1.0, 0, ("all done",))),
        (sh("false || exit 4"), CommandRun(0.0, 4)),
        (sh("false && exit 4"), CommandRun(0.0, 1)),
        (sh("true # exit 1"), CommandRun(0.0, 0)),
        (sh("set -e; false; echo never"), CommandRun(0.0, 1)),
        (sh("set -e; false || true; echo on"), CommandRun(0.0, 0, ("on",))),
        (sh("while true; do echo tick; sleep 1; done"), CommandRun(1.0, None, ("tick",))),
        (sh("if [ 1 -eq 2 ]; then exit 5; elif [ a = a ]; then exit 6; else exit 7; fi"), CommandRun(0.0, 6)),
        (sh("exec sleep 3"), CommandRun(3.0, 0)),
        (sh("echo -n DONE > /dev/termination-log"), CommandRun(0.0, 0, (), "DONE")),
        (sh("echo quiet > /dev/null"), CommandRun(0.0, 0)),
        (["sh", "-ec", "false; true"], CommandRun(0.0, 1)),
    ],
)
def test_a_simple_command_is_understood(command: list[str], run: CommandRun) -> None:
    assert understand(command, CommandSurroundings()) == run


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["nginx", "-g", "daemon off;"],
        ["sleep", "soon"],
        sh("curl example.com"),
        sh("for i in 1 2; do echo $i; done"),
        sh("echo $(whoami)"),
        sh("sleep 5 & wait"),
        sh("cat < input"),
        sh("NAME=value; exit 1"),
        sh("while true; do true; done"),
        sh("if true; then exit 1"),
        sh("echo 'open"),
        sh("( exit 1 )"),
        sh("if true; then " * 50),
        ["sh", "script.sh"],
        ["echo", "x" * 10_000],
    ],
)
def test_what_is_not_known_in_every_part_is_not_understood(command: list[str]) -> None:
    assert understand(command, CommandSurroundings()) is None


@pytest.mark.parametrize(
    ("command", "endless"),
    [
        (sh("grep cpu /proc/self/status | cut -f2 && sleep 1d"), True),
        (sh("curl example.com; while true; do date; done"), True),
        (["app", "sleep", "infinity"], True),
        (sh("curl example.com; sleep 5"), False),
        (["nginx"], False),
    ],
)
def test_a_command_that_is_not_understood_may_look_endless(command: list[str], *, endless: bool) -> None:
    assert looks_endless(command) is endless


@pytest.mark.parametrize(
    ("script", "reply"),
    [
        ("_term(){\n sleep 5\n exit 143\n}\ntrap _term SIGTERM\nwhile true; do sleep 1; done", StopReply(5.0, 143)),
        ("bye () { sleep 1; }; trap 'bye; exit 3' INT TERM; sleep 100", StopReply(1.0, 3)),
        ("trap exit TERM; while true; do sleep 1; done", StopReply(0.0, 0)),
        ("trap 'sleep 30' TERM; while true; do sleep 1; done", StopReply(30.0, None)),
        ("trap '' TERM; sleep 100", StopReply(0.0, None)),
        ("trap 'while true; do sleep 1; done' 15; sleep 100", StopReply(1.0, None)),
        ("trap 'exit 1' TERM; trap - TERM; sleep 100", None),
        ("trap 'exit 1' EXIT; sleep 100", None),
        ("trap 'curl example.com' TERM; sleep 100", None),
        ("sleep 100", None),
    ],
)
def test_a_trap_says_what_a_command_does_when_it_is_told_to_stop(script: str, reply: StopReply | None) -> None:
    run = understand(sh(script), CommandSurroundings())
    assert run is not None
    assert run.reply == reply


def test_a_trap_leaves_no_files_before_it_is_sprung() -> None:
    files: set[str] = set()
    assert understand(sh("trap 'touch /data/ended; exit' TERM; sleep 9"), CommandSurroundings(files=files)) is not None
    assert files == set()


def test_a_function_is_known_by_its_name() -> None:
    script = "fail() { echo failing; exit 4; }\nif true; then fail; fi"
    assert understand(sh(script), CommandSurroundings()) == CommandRun(0.0, 4, ("failing",))


def test_functions_that_multiply_are_not_understood() -> None:
    doubling = "; ".join(f"f{each + 1}() {{ f{each}; f{each}; }}" for each in range(18))
    assert understand(sh(f"f0() {{ true; }}; {doubling}; f18"), CommandSurroundings()) is None
    assert understand(sh("f() { f; }; f"), CommandSurroundings()) is None


def test_variables_and_sums_take_their_values() -> None:
    script = "if [ $(expr ${INDEX} % 2) -ne 0 ]; then exit 1; else exit 0; fi"
    for index, code in (("1", 1), ("4", 0)):
        run = understand(sh(script), CommandSurroundings(variables={"INDEX": index}))
        assert run is not None
        assert run.exit_code == code


def test_a_variable_without_a_value_may_have_another() -> None:
    around = CommandSurroundings(variables={"A": "1"})
    assert understand(sh("echo ${A:-2} ${B:-3} ${B} ${A:?}"), around) == CommandRun(0.0, 0, ("1 3 1",))
    assert understand(sh("echo ${B:?}"), around) is None


def test_dice_are_thrown_from_the_seed() -> None:
    def codes(seed: int) -> list[int | None]:
        dice = Random(seed)
        runs = [understand(sh("exit $(( $RANDOM / 16384 ))"), CommandSurroundings(dice=dice)) for _ in range(20)]
        return [run.exit_code for run in runs if run is not None]

    assert codes(1) == codes(1)
    assert set(codes(1)) == {0, 1}


def test_files_are_remembered() -> None:
    script = """
        if [[ -r /data/seen ]]
        then
            exit 0
        else
            touch /data/seen
            exit 1
        fi
    """
    files: set[str] = set()
    runs = [understand(sh(script), CommandSurroundings(files=files)) for _ in range(2)]
    assert [run.exit_code for run in runs if run is not None] == [1, 0]
