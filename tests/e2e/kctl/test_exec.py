"""`kctl exec` against a server whose containers are processes of this machine."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.tunnel import tunnelling
from tests.e2e.streaming.fake_kubelet import FakeKubelet, pod
from tests.e2e.streaming.talking import Talk

HELP = "See 'kctl exec -h' for help and examples\n"
OLD = f"error: exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead\n{HELP}"
EXEC = "/api/v1/namespaces/default/pods/{}/exec?"


@pytest.fixture(scope="module", params=["websocket", "spdy", "spdy,old"])
def speaking(request: pytest.FixtureRequest) -> Iterator[FakeKubelet]:
    """A server that speaks one of the protocols only."""
    fake = FakeKubelet(speaks=tuple(request.param.split(",")))
    fake.start()
    yield fake
    fake.stop()


@pytest.fixture
def either(speaking: FakeKubelet, talk: Talk) -> Talk:
    return Talk(speaking, talk.directory)


def test_output_errors_and_the_exit_code_are_passed_on(either: Talk) -> None:
    done = either("exec", "one", "--", "sh", "-c", "echo out; echo err >&2; exit 7")
    assert done == Outcome(7, "out\n", "err\ncommand terminated with exit code 7\n")
    assert either("exec", "one", "--", "true") == Outcome(0, "", "")


def test_stdin_and_its_end_are_passed_on_with_i(either: Talk) -> None:
    data = bytes(range(256)) * 4000
    done = either("exec", "-i", "one", "--", "sh", "-c", "wc -c; echo done", stdin=data)
    assert (done.code, done.stdout.split(), done.stderr) == (0, [str(len(data)), "done"], "")
    assert either("exec", "--stdin", "one", "--", "cat", stdin=b"long form").stdout == "long form"
    assert either("exec", "one", "--", "cat", stdin=b"not without it").stdout == ""


def test_a_terminal_is_raw_and_told_its_size_and_put_back(either: Talk) -> None:
    until = 'until [ "$(stty size)" = "20 50" ]; do sleep 0.02; done'
    script = f"stty size; read x; echo got $x; {until}; echo resized; exit 3"
    with either.on_a_terminal("exec", "-it", "one", "--", "sh", "-c", script) as terminal:
        terminal.wait_for("30 100")
        terminal.wait_until_raw()
        terminal.type("abc\r")
        terminal.wait_for("got abc\r\n")
        terminal.resize(20, 50)
        assert terminal.rest() == "resized\ncommand terminated with exit code 3\n"
        assert terminal.exit_code() == 3
        assert terminal.is_as_before


def test_ctrl_c_on_a_terminal_goes_to_the_command(either: Talk) -> None:
    script = "trap 'echo interrupted; exit 9' INT; echo ready; read x"
    with either.on_a_terminal("exec", "--stdin", "--tty", "one", "--", "sh", "-c", script) as terminal:
        terminal.wait_for("ready")
        terminal.type("\x03")
        terminal.wait_for("interrupted")
        assert terminal.exit_code() == 9
        assert terminal.is_as_before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves_the_terminal_as_it_was(talk: Talk, number: signal.Signals) -> None:
    with talk.on_a_terminal("exec", "-it", "one", "--", "sh", "-c", "echo ready; read x") as terminal:
        terminal.wait_for("ready")
        terminal.signal(number)
        assert terminal.exit_code() == 1
        assert terminal.is_as_before


def test_a_lost_connection_leaves_the_terminal_as_it_was(talk: Talk) -> None:
    with talk.on_a_terminal("exec", "-it", "one", "--", "hang-up") as terminal:
        assert "error reading from error stream: next reader: websocket: close 1006" in terminal.rest()
        assert terminal.exit_code() == 1
        assert terminal.is_as_before


def test_a_websocket_carries_channels_and_sizes_as_kubectl_sends_them(talk: Talk) -> None:
    with talk.on_a_terminal("exec", "-it", "one", "--", "sh", "-c", "echo ready; read x") as terminal:
        terminal.wait_for("ready")
        terminal.type("q\r")
        assert terminal.exit_code() == 0
    assert talk.kubelet.sockets[-1].heard == [b'\x04{"Width":100,"Height":30}\n', b"\x00q\r"]
    talk("exec", "-i", "one", "--", "cat", stdin=b"abc")
    assert talk.kubelet.sockets[-1].heard == [b"\x00abc", b"\xff\x00"]


def test_it_is_asked_for_as_kubectl_asks(talk: Talk) -> None:
    asked = talk.asked("exec", "two", "-c", "side", "-i", "--", "echo", "a b")
    assert asked == [
        "GET /api/v1/namespaces/default/pods/two",
        f"GET {EXEC.format('two')}command=echo&command=a+b&container=side&stderr=true&stdin=true&stdout=true",
    ]
    upgrade = talk.kubelet.asked[-1]
    assert upgrade.all_headers("sec-websocket-protocol") == ["v5.channel.k8s.io"]
    assert upgrade.header("kubectl-command") == "kctl exec"
    assert len(upgrade.header("kubectl-session")) == 36
    assert upgrade.header("user-agent").startswith("kubectl/v1.37.0+kctl.")


def test_spdy_is_asked_for_where_a_websocket_is_refused(talk: Talk) -> None:
    fake = FakeKubelet(speaks=("spdy",))
    fake.start()
    there = Talk(fake, talk.directory)
    query = f"{EXEC.format('one')}command=echo&command=hi&container=main&stderr=true&stdout=true"
    assert there.asked("exec", "one", "--", "echo", "hi")[1:] == [f"GET {query}", f"POST {query}"]
    assert fake.asked[-1].header("upgrade") == "SPDY/3.1"
    versions = ["v5.channel.k8s.io", "v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io"]
    assert fake.asked[-1].all_headers("x-stream-protocol-version") == versions
    only = there.asked("exec", "one", "--", "echo", "hi", KUBECTL_REMOTE_COMMAND_WEBSOCKETS="false")
    assert only[1:] == [f"POST {query}"]
    fake.stop()


@pytest.mark.parametrize("short", ["-q", "--quiet"])
def test_quiet_says_nothing_of_its_own(talk: Talk, short: str) -> None:
    none = "Unable to use a TTY - input is not a terminal or the right kind of file\n"
    assert talk("exec", "-it", "one", "--", "echo", "hi") == Outcome(0, "hi\n", none)
    assert talk("exec", "-it", short, "one", "--", "echo", "hi") == Outcome(0, "hi\n", "")
    assert talk("exec", "two", short, "--", "echo", "hi") == Outcome(0, "hi\n", "")


@pytest.mark.parametrize(
    ("arguments", "container", "said"),
    [
        (("one",), "main", ""),
        (("two",), "main", 'Defaulted container "main" out of: main, side\n'),
        (("two", "-c", "side"), "side", ""),
        (("two", "--container=side"), "side", ""),
        (("chosen",), "b", ""),
        (("many",), "main", 'Defaulted container "main" out of: main, debug (ephem), setup (init)\n'),
        (("many", "-c", "debug"), "debug", ""),
    ],
)
def test_which_container_is_meant(talk: Talk, arguments: tuple[str, ...], container: str, said: str) -> None:
    assert talk("exec", *arguments, "--", "echo", "x") == Outcome(0, "x\n", said)
    assert f"container={container}&" in talk.kubelet.requests[-1]


@pytest.mark.parametrize(
    ("named", "pod_name"),
    [("pod/two", "two"), ("deploy/web", "one"), ("svc/web", "one"), ("job/hello", "chosen")],
)
def test_which_pod_is_meant(talk: Talk, named: str, pod_name: str) -> None:
    assert talk("exec", named, "-q", "--", "echo", "x") == Outcome(0, "x\n", "")
    assert EXEC.format(pod_name) in talk.kubelet.requests[-1]


def test_a_file_says_where(talk: Talk) -> None:
    """It is believed: the server is not asked for the pod."""
    one = "kind: Pod\napiVersion: v1\nmetadata: {name: one}\nspec: {containers: [{name: main}]}\n"
    (talk.directory / "pod.yaml").write_text(one)
    (talk.directory / "both.yaml").write_text(f"{one}---\n{one.replace('one', 'two')}")
    assert talk("exec", "-f", "pod.yaml", "--", "echo", "x") == Outcome(0, "x\n", "")
    assert talk("exec", "--filename=both.yaml", "--", "ls").stderr == (
        "error: cannot exec into multiple objects at a time\n"
    )
    assert talk("exec", "-f", "pod.yaml", "one") == Outcome(1, "", OLD)
    both = "error: resource/name arguments cannot be provided when a path is specified\n"
    assert talk("exec", "-f", "pod.yaml", "one", "--", "ls") == Outcome(1, "", both)


def test_the_first_pod_is_waited_for(talk: Talk) -> None:
    refused = talk("exec", "deploy/none", "--pod-running-timeout=300ms", "--", "ls")
    assert refused == Outcome(1, "", "error: timed out waiting for the condition\n")
    with talk.running("exec", "deploy/none", "--pod-running-timeout=1m", "--", "echo", "here") as process:
        while "watch=true" not in talk.kubelet.requests[-1]:
            pass
        talk.kubelet.add(pod("late", "main", app="none"))
        assert process.communicate(timeout=20) == ("here\n", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "error: pod, type/name or --filename must be specified\n"),
        (("--", "ls"), "error: pod, type/name or --filename must be specified\n"),
        (("one",), "error: you must specify at least one command for the container\n"),
        (("one", "two"), OLD),
        (("one", "two", "--", "x"), OLD),
        (("two", "-c", "x", "--", "ls"), "error: container x is not valid for pod two out of: main, side\n"),
        (("wrong", "--", "ls"), "error: container x is not valid for pod wrong out of: a, b\n"),
        (("nobody", "--", "ls"), 'Error from server (NotFound): pods "nobody" not found\n'),
        (("one", "--", "refused"), "error: unable to upgrade connection: nobody may do that\n"),
        (("done", "--", "ls"), "error: cannot exec into a container in a completed pod; current phase is Succeeded\n"),
        (
            ("svc/nobodys", "--", "ls"),
            "error: cannot attach to *v1.Service: invalid service 'nobodys': Service is defined without a selector\n",
        ),
        (
            ("configmaps/settings", "--", "ls"),
            "error: cannot attach to *v1.ConfigMap: selector for *v1.ConfigMap not implemented\n",
        ),
        (
            ("one", "--pod-running-timeout=0s", "--", "ls"),
            f"error: --pod-running-timeout must be higher than zero\n{HELP}",
        ),
        (("one", "--", "no-container"), "error: no such container\n"),
        (("one", "--", "no-details"), "error: error stream protocol error: details must be set\n"),
        (("one", "--", "nonsense"), "error: error stream protocol error: unknown error\n"),
    ],
)
def test_refusals(talk: Talk, arguments: tuple[str, ...], said: str) -> None:
    assert talk("exec", *arguments) == Outcome(1, "", said)


def test_a_lost_connection_is_told(talk: Talk) -> None:
    why = "next reader: websocket: close 1006 (abnormal closure): unexpected EOF"
    said = (
        f'E<log> v2.go:151] "Copying stdout failed" err="{why}"\n'
        f'E<log> v2.go:168] "Copying stderr failed" err="{why}"\n'
        f"error: error reading from error stream: {why}\n"
    )
    assert talk("exec", "one", "--", "hang-up") == Outcome(1, "", said)
    broken = talk("exec", "one", "--", "broken").stderr.splitlines()[-1]
    assert broken.endswith("next reader: websocket: close 1011 (internal server error): it broke")


def test_a_server_that_says_goodbye_without_a_word_is_a_success(talk: Talk) -> None:
    assert talk("exec", "one", "--", "silent") == Outcome(0, "", "")


def test_neither_protocol_is_said_in_the_servers_words(talk: Talk) -> None:
    fake = FakeKubelet(speaks=())
    fake.start()
    said = "error: unable to upgrade connection: you must specify at least 1 of stdin, stdout, stderr\n"
    assert Talk(fake, talk.directory)("exec", "one", "--", "ls") == Outcome(1, "", said)
    fake.stop()


def test_a_proxy_is_asked_for_a_tunnel(talk: Talk) -> None:
    with tunnelling() as proxy:
        done = talk("exec", "one", "--proxy-url", proxy.url, "--", "echo", "through")
    assert done == Outcome(0, "through\n", "")
    assert set(proxy.asked) == {talk.kubelet.url.removeprefix("http://")}
    assert len(proxy.asked) == 4  # for the types, for the pod and for the command
