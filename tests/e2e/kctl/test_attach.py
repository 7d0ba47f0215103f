"""`kctl attach` against a server whose containers are processes of this machine."""

from __future__ import annotations

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.streaming.talking import Talk

HELP = "See 'kctl attach -h' for help and examples\n"
RECORDED = (
    "All commands and output from this session will be recorded in container logs, including credentials and "
    "sensitive information passed through the command prompt.\n"
    "If you don't see a command prompt, try pressing enter.\n"
)
ENDED = "Session ended, resume using 'kctl attach shell -c main -n default -i -t' command\n"


def test_what_the_process_says_is_heard(talk: Talk) -> None:
    assert talk("attach", "one") == Outcome(0, "attached\n", RECORDED)
    assert talk.kubelet.requests[-1] == (
        "GET /api/v1/namespaces/default/pods/one/attach?container=main&stderr=true&stdout=true"
    )


@pytest.mark.parametrize("flags", [("-i", "-q"), ("--stdin", "--quiet")])
def test_stdin_is_passed_on(talk: Talk, flags: tuple[str, ...]) -> None:
    assert talk("attach", "one", *flags, stdin=b"typed") == Outcome(0, "typed", "")
    assert talk.kubelet.requests[-1].endswith("stdin=true&stdout=true")


@pytest.mark.parametrize(
    ("arguments", "pod", "container"),
    [
        (("two", "-c", "side"), "two", "side"),
        (("two", "--container", "side"), "two", "side"),
        (("pods", "one"), "one", "main"),
        (("deploy/web",), "one", "main"),
        (("chosen",), "chosen", "b"),
    ],
)
def test_what_is_meant(talk: Talk, arguments: tuple[str, ...], pod: str, container: str) -> None:
    assert talk("attach", *arguments, "-q") == Outcome(0, "attached\n", "")
    assert f"pods/{pod}/attach?container={container}&" in talk.kubelet.requests[-1]


@pytest.mark.parametrize("flags", [("-it",), ("-i", "--tty"), ("-i",)])
def test_a_container_with_a_terminal_is_drawn_anew(talk: Talk, flags: tuple[str, ...]) -> None:
    """The container has a terminal, so ours is used whether -t asks for it or not."""
    with talk.on_a_terminal("attach", *flags, "shell") as terminal:
        terminal.wait_for("pressing enter.\r\n")
        terminal.wait_until_raw()
        terminal.type("abc\r")
        terminal.wait_for("abc\r\nabc\r\n")
        terminal.type("\x04")
        assert terminal.rest() == ENDED
        assert terminal.exit_code() == 0
        assert terminal.is_as_before
    sizes = [b'\x04{"Width":101,"Height":31}\n', b'\x04{"Width":100,"Height":30}\n']
    assert talk.kubelet.sockets[-1].heard[:2] == sizes
    assert "tty=true" in talk.kubelet.requests[-1]


@pytest.mark.parametrize(("flags", "keys"), [((), "\x10\x11"), (("--detach-keys=ctrl-a,x",), "\x01x")])
def test_keys_that_detach_end_the_session_and_are_not_passed_on(talk: Talk, flags: tuple[str, ...], keys: str) -> None:
    with talk.on_a_terminal("attach", "-it", "shell", *flags) as terminal:
        terminal.wait_for("pressing enter.\r\n")
        terminal.wait_until_raw()
        terminal.type(f"{keys[0]}b\r")  # only half of them
        terminal.wait_for("b\r\n")
        terminal.wait_for("b\r\n")
        terminal.type(keys[0])
        terminal.type(keys[1])
        assert terminal.rest() == ENDED
        assert terminal.is_as_before
    assert b"".join(talk.kubelet.sockets[-1].heard[2:]).endswith(b"b\r\xff\x00")


def test_a_terminal_that_is_none_is_said(talk: Talk) -> None:
    none = "Unable to use a TTY - input is not a terminal or the right kind of file\n"
    assert talk("attach", "shell", "-it", stdin=b"x") == Outcome(0, "x", none + RECORDED)
    unallocated = "error: Unable to use a TTY - container main did not allocate one\n"
    assert talk("attach", "one", "-it", stdin=b"x") == Outcome(0, "x", unallocated + RECORDED)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "error: at least 1 argument is required for attach\n"),
        (
            ("a", "b", "c"),
            "error: expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw 3: [a b c]\n",
        ),
        (("nobody",), 'Error from server (NotFound): pods "nobody" not found\n'),
        (("done",), "error: cannot attach a container in a completed pod; current phase is Succeeded\n"),
        (
            ("two", "-c", "x"),
            "error: cannot attach to the container: container x is not valid for pod two out of: main, side\n",
        ),
        (("one", "--pod-running-timeout=-1s"), f"error: --pod-running-timeout must be higher than zero\n{HELP}"),
        (("deploy/none", "--pod-running-timeout=300ms"), "error: timed out waiting for the condition\n"),
    ],
)
def test_refusals(talk: Talk, arguments: tuple[str, ...], said: str) -> None:
    assert talk("attach", *arguments) == Outcome(1, "", said)


def test_keys_that_are_none_are_refused(talk: Talk) -> None:
    with talk.on_a_terminal("attach", "-itq", "shell", "--detach-keys=nope") as terminal:
        assert "could not bind detach keys: Unknown character: 'nope'\n" in terminal.rest()
        assert terminal.exit_code() == 1
