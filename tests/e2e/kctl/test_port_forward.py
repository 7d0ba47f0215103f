"""`kctl port-forward` against a server in whose pods port 80 answers in capitals, and no other port does."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
from collections.abc import Iterator

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.streaming.fake_kubelet import FakeKubelet, pod
from tests.e2e.streaming.talking import Talk, masked

HELP = "See 'kctl port-forward -h' for help and examples\n"
PATH = "/api/v1/namespaces/default/pods/one/portforward"
V4 = ("--address", "127.0.0.1")


@pytest.fixture(scope="module", params=["websocket", "spdy"])
def speaking(request: pytest.FixtureRequest) -> Iterator[FakeKubelet]:
    """A server that speaks one of the protocols only."""
    fake = FakeKubelet(speaks=(request.param,))
    fake.start()
    yield fake
    fake.stop()


@pytest.fixture
def either(speaking: FakeKubelet, talk: Talk) -> Talk:
    return Talk(speaking, talk.directory)


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def port(text: str) -> int:
    found = re.search(r":(\d+) -> \d+$", text.strip())
    assert found, text
    return int(found[1])


def said(connection: socket.socket, text: bytes) -> bytes:
    connection.sendall(text)
    return connection.recv(100)


def connect(number: int, host: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection((host, number), timeout=20)


def interrupted(process: subprocess.Popen[str]) -> Outcome:
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    return Outcome(process.returncode, out, masked(err))


def test_connections_lead_into_the_pod(either: Talk) -> None:
    with either.running("port-forward", "one", ":80", *V4) as process:
        first = line(process)
        assert re.fullmatch(r"Forwarding from 127\.0\.0\.1:\d+ -> 80\n", first)
        with connect(port(first)) as one, connect(port(first)) as two:  # both at once
            assert said(one, b"hello") == b"HELLO"
            assert said(two, b"other") == b"OTHER"
            one.shutdown(socket.SHUT_WR)
            assert one.recv(100) == b""
        handling = f"Handling connection for {port(first)}\n"
        assert interrupted(process) == Outcome(0, handling * 2, "")


def test_much_data_comes_through_whole(either: Talk) -> None:
    data = bytes(range(ord("a"), ord("z") + 1)) * 20_000
    with either.running("port-forward", "one", ":80", *V4) as process, connect(port(line(process))) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        received = b""
        while piece := connection.recv(65536):
            received += piece
        assert received == data.upper()


def test_streams_are_named_as_kubectl_names_them(either: Talk) -> None:
    with either.running("port-forward", "one", ":80", *V4) as process, connect(port(line(process))) as connection:
        assert said(connection, b"x") == b"X"
    headers = {"port": "80", "requestid": "0"}
    assert either.kubelet.forwarding[-1].streams == {
        1: {"streamtype": "error", **headers},
        3: {"streamtype": "data", **headers},
    }


def test_it_is_asked_for_as_kubectl_asks(talk: Talk) -> None:
    with talk.running("port-forward", "one", ":80", *V4) as process:
        line(process)
    asked = talk.kubelet.asked[-1]
    assert (asked.method, asked.target) == ("GET", PATH)
    assert asked.header("sec-websocket-protocol") == "SPDY/3.1+portforward.k8s.io"
    assert asked.header("kubectl-command") == "kctl port-forward"
    pod_path = "GET /api/v1/namespaces/default/pods/one"
    assert talk.kubelet.requests[-3:] == [pod_path, pod_path, f"GET {PATH}"]


def test_spdy_is_asked_for_where_a_websocket_is_refused(talk: Talk) -> None:
    fake = FakeKubelet(speaks=("spdy",))
    fake.start()
    with Talk(fake, talk.directory).running("port-forward", "one", ":80", *V4) as process:
        line(process)
    assert fake.requests[-2:] == [f"GET {PATH}", f"POST {PATH}"]
    assert fake.asked[-1].all_headers("x-stream-protocol-version") == ["portforward.k8s.io"]
    fake.stop()


@pytest.mark.parametrize(
    ("arguments", "remotes"),
    [
        (("one", ":http"), [80]),
        (("pod/one", "0:80", ":81"), [80, 81]),
        (("svc/web", ":http"), [80]),
        (("svc/web", ":8080", ":plain"), [80, 81]),
        (("deploy/web", ":5432"), [5432]),
    ],
)
def test_which_ports_are_meant(talk: Talk, arguments: tuple[str, ...], remotes: list[int]) -> None:
    with talk.running("port-forward", *arguments, *V4) as process:
        lines = [line(process) for _ in remotes]
        assert [int(one.rpartition(" ")[2]) for one in lines] == remotes
        assert interrupted(process) == Outcome(0, "", "")


@pytest.mark.parametrize(
    ("flags", "addresses"),
    [
        ((), ["127.0.0.1", "[::1]"]),
        (("--address=::1,127.0.0.1",), ["127.0.0.1", "[::1]"]),
        (("--address=0.0.0.0",), ["0.0.0.0"]),
    ],
)
def test_addresses_share_a_port(talk: Talk, flags: tuple[str, ...], addresses: list[str]) -> None:
    with talk.running("port-forward", "one", ":80", *flags) as process:
        lines = [line(process) for _ in addresses]
        number = port(lines[0])
        assert lines == [f"Forwarding from {address}:{number} -> 80\n" for address in addresses]


def test_a_port_of_ones_own_is_used(talk: Talk) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        number = busy.getsockname()[1]
        problem = (
            f"Unable to listen on port {number}: Listeners failed to create with the following errors: [unable to "
            f"create listener: Error listen tcp4 127.0.0.1:{number}: bind: address already in use]\n"
        )
        nothing = f"error: unable to listen on any of the requested ports: [{{{number} 80}}]\n"
        assert talk("port-forward", "one", f"{number}:80", *V4) == Outcome(1, "", problem + nothing)
    with talk.running("port-forward", "one", f"{number}:80", *V4) as process:
        assert line(process) == f"Forwarding from 127.0.0.1:{number} -> 80\n"


def test_a_port_where_nobody_listens_ends_it(either: Talk) -> None:
    with either.running("port-forward", "one", ":81", *V4) as process:
        number = port(line(process))
        with connect(number) as connection:
            connection.settimeout(20)
            assert connection.recv(100) == b""
        _, err = process.communicate(timeout=20)
        assert masked(err) == (
            'E<log> portforward.go:549] "An error occurred forwarding" err="connection refused inside of the pod" '
            f"localPort={number} remotePort=81\nerror: lost connection to pod\n"
        )
        assert process.returncode == 1


def test_a_server_that_hangs_up_ends_it(either: Talk) -> None:
    with either.running("port-forward", "one", ":80", *V4) as process:
        line(process)
        either.kubelet.hang_up()
        assert process.communicate(timeout=20) == ("", "error: lost connection to pod\n")
        assert process.returncode == 1


def test_the_first_pod_is_waited_for(talk: Talk) -> None:
    refused = talk("port-forward", "deploy/none", "80", "--pod-running-timeout=300ms")
    assert refused == Outcome(1, "", "error: timed out waiting for the condition\n")
    with talk.running("port-forward", "deploy/none", ":80", "--pod-running-timeout=1m", *V4) as process:
        while "watch=true" not in talk.kubelet.requests[-1]:
            pass
        talk.kubelet.add(pod("late", "main", app="none"))
        assert line(process).endswith(" -> 80\n")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("one",), f"TYPE/NAME and list of ports are required for port-forward\n{HELP}"),
        (("one", "nope"), "Pod 'one' does not have a named port 'nope'\n"),
        (("one", "8080:"), "Pod 'one' does not have a named port ''\n"),
        (("one", "80:0"), "remote port must be > 0\n"),
        (
            ("one", "99999"),
            "error parsing local port '99999': strconv.ParseUint: parsing \"99999\": value out of range\n",
        ),
        (("one", "x:80"), "error parsing local port 'x': strconv.ParseUint: parsing \"x\": invalid syntax\n"),
        (("one", "80", "--address=nonsense"), "nonsense is not a valid IP\n"),
        (("svc/web", "80"), "Service web does not have a service port 80\n"),
        (("svc/web", "nope"), "Service 'web' does not have a named port 'nope'\n"),
        (("svc/web", "dns"), "UDP protocol is not supported for dns\n"),
        (("waiting", "80"), "unable to forward port because pod is not running. Current status=Pending\n"),
        (("one", "80", "--pod-running-timeout=0s"), f"--pod-running-timeout must be higher than zero\n{HELP}"),
    ],
)
def test_refusals(talk: Talk, arguments: tuple[str, ...], problem: str) -> None:
    assert talk("port-forward", *arguments) == Outcome(1, "", f"error: {problem}")


def test_neither_protocol_is_said_in_the_servers_words(talk: Talk) -> None:
    fake = FakeKubelet(speaks=())
    fake.start()
    said_no = "error: error upgrading connection: unable to upgrade connection: no ports here\n"
    assert Talk(fake, talk.directory)("port-forward", "one", "80") == Outcome(1, "", said_no)
    fake.stop()
