"""logs, exec, attach, cp, port-forward and proxy, against an API server whose containers are processes here."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.command_line import KCTL, Outcome, environment
from tests.e2e.streaming.fake_kubelet import FakeKubelet


@pytest.fixture(scope="module")
def kubelet() -> Iterator[FakeKubelet]:
    fake = FakeKubelet()
    fake.start()
    yield fake
    fake.stop()


@pytest.fixture
def kctl(kubelet: FakeKubelet, tmp_path: Path) -> Kctl:
    return Kctl(kubelet, tmp_path)


class Kctl:
    def __init__(self, kubelet: FakeKubelet, home: Path) -> None:
        self.kubelet = kubelet
        self.home = home

    def command(self, *arguments: str) -> list[str]:
        return [*KCTL, arguments[0], "-s", f"http://127.0.0.1:{self.kubelet.port}", *arguments[1:]]

    def __call__(self, *arguments: str, stdin: bytes = b"") -> Outcome:
        done = subprocess.run(
            self.command(*arguments),
            input=stdin,
            cwd=self.home,
            env=environment(self.home, {}),
            capture_output=True,
            check=False,
            timeout=30,
        )
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    @contextmanager
    def running(self, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        process = subprocess.Popen(
            self.command(*arguments),
            cwd=self.home,
            env=environment(self.home, {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            process.communicate()


def test_exec_passes_output_errors_and_the_exit_code(kctl: Kctl) -> None:
    done = kctl("exec", "one", "--", "sh", "-c", "echo out; echo err >&2; exit 7")
    assert done == Outcome(7, "out\n", "err\ncommand terminated with exit code 7\n")
    assert kctl("exec", "one", "--", "true") == Outcome(0, "", "")


def test_exec_passes_stdin_and_its_end(kctl: Kctl) -> None:
    data = bytes(range(256)) * 4000
    done = kctl("exec", "-i", "one", "--", "sh", "-c", "wc -c; echo done", stdin=data)
    assert (done.code, done.stdout.split()) == (0, [str(len(data)), "done"])
    assert kctl("exec", "one", "--", "cat", stdin=b"not without -i").stdout == ""


def test_exec_asks_as_kubectl_asks(kctl: Kctl) -> None:
    kctl("exec", "two", "-c", "side", "-i", "--", "echo", "a b")
    asked = kctl.kubelet.requests[-1]
    path = "/api/v1/namespaces/default/pods/two/exec"
    assert asked == f"GET {path}?command=echo&command=a+b&container=side&stderr=true&stdin=true&stdout=true"


def test_a_terminal_that_is_none_is_said(kctl: Kctl) -> None:
    done = kctl("exec", "-it", "one", "--", "echo", "hi")
    said = "Unable to use a TTY - input is not a terminal or the right kind of file\n"
    assert done == Outcome(0, "hi\n", said)
    assert kctl("exec", "-it", "-q", "one", "--", "echo", "hi") == Outcome(0, "hi\n", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("exec", "two", "-c", "x", "--", "ls"), "error: container x is not valid for pod two out of: main, side\n"),
        (("exec", "nobody", "--", "ls"), 'Error from server (NotFound): pods "nobody" not found\n'),
        (("exec", "one", "--", "refused"), "Error from server (Forbidden): nobody may do that\n"),
        (("exec", "one"), "error: you must specify at least one command for the container\n"),
        (("logs", "one", "-p"), "Error from server (BadRequest): previous terminated container "),
        (("logs", "one", "--all-containers", "-c", "x"), "error: --all-containers=true should not be specified with "),
        (("logs", "one", "--tail", "-2"), "error: --tail must be greater than or equal to -1\n"),
        (("port-forward", "one", "nope"), "error: Pod 'one' does not have a named port 'nope'\n"),
        (("cp", "a", "b"), "error: one of src or dest must be a remote file specification\n"),
        (("cp", "nothing", "one:/tmp/x"), "error: nothing doesn't exist in local filesystem\n"),
    ],
)
def test_refusals(kctl: Kctl, arguments: tuple[str, ...], said: str) -> None:
    done = kctl(*arguments)
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr.startswith(said)


def test_the_first_container_is_taken_and_said(kctl: Kctl) -> None:
    done = kctl("exec", "two", "--", "echo", "x")
    assert done == Outcome(0, "x\n", 'Defaulted container "main" out of: main, side\n')


def test_attach_hears_the_process(kctl: Kctl) -> None:
    done = kctl("attach", "one", "-i", "-q", stdin=b"echoed")
    assert done == Outcome(0, "echoed", "")
    assert "pods/one/attach?container=main&stderr=true&stdin=true&stdout=true" in kctl.kubelet.requests[-1]
    assert "If you don't see a command prompt" in kctl("attach", "one", "-i", stdin=b"").stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("one",), "one main says 0\none main says 1\none main says 2\n"),
        (("one", "--tail=1"), "one main says 2\n"),
        (("two", "-c", "side", "--tail=1", "--prefix"), "[pod/two/side] two side says 2\n"),
        (("two", "side", "--tail=1"), "two side says 2\n"),
        (("two", "--all-containers", "--tail=1"), "two main says 2\ntwo side says 2\n"),
        (("-l", "app=web", "--tail=1", "-c", "main"), "one main says 2\ntwo main says 2\n"),
    ],
)
def test_logs(kctl: Kctl, arguments: tuple[str, ...], expected: str) -> None:
    assert kctl("logs", *arguments) == Outcome(0, expected, "")


def test_every_flag_of_logs_is_asked_for(kctl: Kctl) -> None:
    flags = "-f --timestamps --limit-bytes=9 --since=90s --insecure-skip-tls-verify-backend --tail=5"
    kctl("logs", "one", *flags.split())
    assert kctl.kubelet.requests[-1].partition("?")[2] == (
        "container=main&follow=true&insecureSkipTLSVerifyBackend=true&limitBytes=9&sinceSeconds=90&tailLines=5"
        "&timestamps=true"
    )
    kctl("logs", "one", "--since-time=2024-08-30T06:00:00Z")
    assert kctl.kubelet.requests[-1].endswith("sinceTime=2024-08-30T06%3A00%3A00Z")


def test_several_logs_are_followed_at_once_but_not_too_many(kctl: Kctl) -> None:
    done = kctl("logs", "-f", "-l", "app=web", "--all-containers", "--prefix", "--tail=1")
    expected = {"[pod/one/main] one main says 2", "[pod/two/main] two main says 2", "[pod/two/side] two side says 2"}
    assert (done.code, set(done.stdout.splitlines())) == (0, expected)
    refused = kctl("logs", "-f", "-l", "app=web", "--all-containers", "--max-log-requests=2")
    assert refused.stderr.startswith("error: you are attempting to follow 3 log streams, but maximum allowed ")


def test_files_there_and_back(kctl: Kctl, tmp_path: Path) -> None:
    (tmp_path / "here" / "deep").mkdir(parents=True)
    (tmp_path / "here" / "a").write_bytes(bytes(range(256)) * 500)
    (tmp_path / "here" / "deep" / "b").write_text("text")
    there = tmp_path / "there"
    there.mkdir()
    assert kctl("cp", "here", f"one:{there}/copy") == Outcome(0, "", "")
    assert (there / "copy" / "a").read_bytes() == (tmp_path / "here" / "a").read_bytes()
    assert kctl("cp", "here/a", f"one:{there}").code == 0  # into a directory that is there
    assert (there / "a").exists()
    (there / "copy" / "link").symlink_to("/etc/passwd")
    back = kctl("cp", f"default/one:{there}/copy", "back")
    assert back.code == 0
    assert "skipping symlink" in back.stderr
    assert (tmp_path / "back" / "deep" / "b").read_text() == "text"
    assert not (tmp_path / "back" / "link").is_symlink()


def _port(line: str) -> int:
    found = re.search(r":(\d+)(?: -> 80)?$", line.strip())
    assert found, line
    return int(found[1])


def test_ports_lead_into_the_pod(kctl: Kctl) -> None:
    with kctl.running("port-forward", "pod/one", ":http", "--address", "127.0.0.1") as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert re.fullmatch(r"Forwarding from 127\.0\.0\.1:\d+ -> 80\n", line)
        for _ in range(2):  # one connection after another
            with socket.create_connection(("127.0.0.1", _port(line)), timeout=10) as connection:
                connection.sendall(b"hello")
                assert connection.recv(100) == b"HELLO"
            assert process.stdout.readline() == f"Handling connection for {_port(line)}\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0


def test_a_port_where_nobody_listens_is_said(kctl: Kctl) -> None:
    with kctl.running("port-forward", "one", ":81", "--address", "127.0.0.1") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        found = re.search(r":(\d+) -> 81", process.stdout.readline())
        assert found
        with socket.create_connection(("127.0.0.1", int(found[1])), timeout=10) as connection:
            assert connection.recv(100) == b""
        assert "connection refused inside of the pod" in process.stderr.readline()


def test_a_proxy_passes_on_what_it_may(kctl: Kctl) -> None:
    with kctl.running("proxy", "--port=0", "--api-prefix=/k8s") as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Starting to serve on 127.0.0.1:")
        base = f"http://127.0.0.1:{_port(line)}"
        with urllib.request.urlopen(f"{base}/k8s/api/v1/namespaces/default/pods/one/log?tailLines=1") as answer:
            assert answer.read() == b"one  says 2\n"
        for path, headers, code in (
            ("/k8s/api/v1/namespaces/default/pods/one/exec", {}, 403),
            ("/k8s/api", {"Host": "evil.example.com"}, 403),
            ("/elsewhere", {}, 404),
        ):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(urllib.request.Request(base + path, headers=headers))
            assert refused.value.code == code
            refused.value.close()
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
