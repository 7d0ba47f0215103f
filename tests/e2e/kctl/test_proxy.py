"""`kctl proxy`: what it passes on, to whom, and what it serves itself."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.e2e.command_line import KCTL, Outcome, environment
from tests.e2e.streaming.talking import Talk, masked

HELP = "See 'kctl proxy --help' for usage.\n"


class Echo(BaseHTTPRequestHandler):
    """Answers with what it was asked."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = {"method": self.command, "path": self.path, "headers": headers, "body": body}
        answer = json.dumps(asked).encode()
        self.send_response(404 if "missing" in self.path else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def do_POST(self) -> None:
        self.do_GET()

    def do_DELETE(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its parent's name
        """Nobody reads it."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as echo:
        thread = threading.Thread(target=echo.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{echo.server_address[1]}"
        echo.shutdown()
        thread.join()


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: str

    @property
    def asked(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.body)
        return document


class Proxy:
    def __init__(self, process: subprocess.Popen[str], directory: Path) -> None:
        assert process.stdout is not None
        self.process = process
        self.said = process.stdout.readline()
        where = self.said.strip().rpartition(" ")[2]
        self.address: Any = str(directory / where) if ":" not in where else ("127.0.0.1", int(where.rpartition(":")[2]))

    def ask(self, path: str, method: str = "GET", body: str = "", **headers: str) -> Answer:
        given = {"Host": "localhost", **{name.replace("_", "-"): value for name, value in headers.items()}}
        connection = http.client.HTTPConnection("localhost", timeout=20)
        connection.sock = socket.socket(socket.AF_UNIX if isinstance(self.address, str) else socket.AF_INET)
        connection.sock.connect(self.address)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in given.items():
            connection.putheader(name, value)
        if body:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body.encode())
        answer = connection.getresponse()
        found = Answer(answer.status, dict(answer.getheaders()), answer.read().decode())
        connection.close()
        return found


@pytest.fixture
def www(tmp_path: Path) -> Path:
    (tmp_path / "www" / "sub").mkdir(parents=True)
    (tmp_path / "www" / "a.txt").write_text("hi\n")
    (tmp_path / "www" / "sub" / "index.html").write_text("<p>")
    (tmp_path / "secret").write_text("secret")
    return tmp_path / "www"


@contextmanager
def proxying(directory: Path, *arguments: str) -> Iterator[Proxy]:
    process = subprocess.Popen(
        [*KCTL, "proxy", *arguments],
        cwd=directory,
        env=environment(directory, {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Proxy(process, directory)
    finally:
        process.kill()
        process.communicate()


def test_requests_are_passed_on_as_they_are(server: str, tmp_path: Path) -> None:
    with proxying(tmp_path, "-s", server, "--port=0") as proxy:
        assert proxy.said.startswith("Starting to serve on 127.0.0.1:")
        asked = proxy.ask("/api/v1/pods?b=1&a=2").asked
        assert (asked["method"], asked["path"]) == ("GET", "/api/v1/pods?b=1&a=2")
        assert asked["headers"]["x-forwarded-for"] == "127.0.0.1"
        assert asked["headers"]["user-agent"].startswith("kubectl/v1.37.0+kctl.")
        assert "kubectl-command" not in asked["headers"]
        posted = proxy.ask("/apis/x", "POST", "body", Authorization="Bearer theirs", User_Agent="me").asked
        assert (posted["method"], posted["body"]) == ("POST", "body")
        assert (posted["headers"]["authorization"], posted["headers"]["user-agent"]) == ("Bearer theirs", "me")
        assert proxy.ask("/missing").status == 404


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ((), {"/k8s/api/x": "/k8s/api/x", "/": "/", "//x/../y": 307}),
        (("--api-prefix=/k8s",), {"/k8s/api/x": "/api/x", "/k8s": 307, "/api/x": 404}),
        (("--api-prefix=/api",), {"/api/x": "/api/x", "/apis/x": 404}),
        (("--append-server-path",), {"/api/x": "/pre/api/x"}),
    ],
)
def test_where_a_path_leads(server: str, tmp_path: Path, flags: tuple[str, ...], expected: dict[str, Any]) -> None:
    with proxying(tmp_path, "-s", f"{server}/pre", "-p", "0", *flags) as proxy:
        answers = {path: proxy.ask(path) for path in expected}
        assert {
            path: one.asked["path"] if one.status == 200 else one.status for path, one in answers.items()
        } == expected


@pytest.mark.parametrize(
    ("flags", "forbidden"),
    [
        ((), {"exec", "attach", "host"}),
        (("--disable-filter",), set()),
        (("--reject-paths=^/version$",), {"version", "host"}),
        (("--accept-paths=^/version$",), {"exec", "attach", "pods", "delete", "host"}),
        (("--accept-hosts=^evil",), {"exec", "attach", "version", "pods", "delete"}),
        (("--reject-methods=DELETE,PUT",), {"exec", "attach", "delete", "host"}),
    ],
)
def test_who_is_let_through(server: str, tmp_path: Path, flags: tuple[str, ...], forbidden: set[str]) -> None:
    with proxying(tmp_path, "-s", server, "--port=0", *flags) as proxy:
        answers = {
            "exec": proxy.ask("/api/v1/namespaces/a/pods/b/exec"),
            "attach": proxy.ask("/api/v1/namespaces/a/pods/b/attach"),
            "version": proxy.ask("/version"),
            "pods": proxy.ask("/api/v1/pods"),
            "delete": proxy.ask("/api/v1/pods", "DELETE"),
            "host": proxy.ask("/version", Host="evil.example.com"),
        }
        assert {name for name, one in answers.items() if one.status == 403} == forbidden
        assert {one.body for one in answers.values() if one.status == 403} <= {"Forbidden\n"}


def test_files_are_served_beside_the_api(server: str, tmp_path: Path, www: Path) -> None:
    with proxying(tmp_path, "-s", server, "--port=0", f"--www={www}", "--www-prefix=/files") as proxy:
        assert proxy.ask("/files/a.txt").body == "hi\n"
        assert proxy.ask("/files/").body == (
            '<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n'
            '<a href="a.txt">a.txt</a>\n<a href="sub/">sub/</a>\n</pre>\n'
        )
        assert proxy.ask("/files/sub/").body == "<p>"
        moved = {path: proxy.ask(path).headers["Location"] for path in ("/files/sub", "/files/sub/index.html")}
        assert moved == {"/files/sub": "sub/", "/files/sub/index.html": "./"}
        for path in ("/files/none", "/files/%2e%2e/secret", "/files/..%2fsecret"):
            assert proxy.ask(path).status in (307, 404)
        assert proxy.ask("/static/a.txt").asked["path"] == "/static/a.txt"
    with proxying(tmp_path, "-s", server, "-p=0", "-w", str(www), "-P", "/other/") as proxy:
        assert proxy.ask("/other/a.txt").body == "hi\n"


def test_a_socket_is_for_its_owner_and_replaces_one_that_was_left(server: str, tmp_path: Path) -> None:
    for flag in ("--unix-socket=api.sock", "-uapi.sock"):
        with proxying(tmp_path, "-s", server, flag) as proxy:
            assert proxy.said == "Starting to serve on api.sock\n"
            assert (tmp_path / "api.sock").stat().st_mode & 0o777 == 0o700
            assert proxy.ask("/version").asked["path"] == "/version"
        assert (tmp_path / "api.sock").is_socket()


@pytest.mark.parametrize(("address", "shown"), [("127.0.0.2", "127.0.0.2:"), ("[::1]", "[::1]:"), ("0.0.0.0", "[::]:")])
def test_an_address_is_listened_on(server: str, tmp_path: Path, address: str, shown: str) -> None:
    with proxying(tmp_path, "-s", server, "--port=0", f"--address={address}") as proxy:
        assert proxy.said.startswith(f"Starting to serve on {shown}")


def test_commands_run_through_it_where_that_is_allowed(talk: Talk) -> None:
    """WebSockets and SPDY pass through; --keepalive is what the system is told for such connections."""
    flags = ("--port=0", "--reject-paths=^$", "--keepalive=2s")
    with proxying(talk.directory, "-s", talk.kubelet.url, *flags) as proxy:
        through = ("-s", f"http://127.0.0.1:{proxy.address[1]}", "one", "--", "sh", "-c")
        for environ in ({}, {"KUBECTL_REMOTE_COMMAND_WEBSOCKETS": "false"}):
            done = subprocess.run(
                [*KCTL, "exec", "-i", *through, "cat; exit 4"],
                input="through",
                env=environment(talk.directory, environ),
                capture_output=True,
                text=True,
                check=False,
                timeout=60,
            )
            outcome = Outcome(done.returncode, done.stdout, done.stderr)
            assert outcome == Outcome(4, "through", "command terminated with exit code 4\n")
        with subprocess.Popen(
            [*KCTL, "exec", *through, "echo ready; exec sleep 30"],
            env=environment(talk.directory, {}),
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            assert 0 < soonest_probe(talk.kubelet.port) <= 2.5
            process.kill()


def soonest_probe(port: int) -> float:
    """In how many seconds the system will ask whether this server is still there. Linux: proc_net_tcp."""
    expected = []
    for row in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = row.split()
        timer, when = fields[5].split(":")
        if fields[2].endswith(f":{port:04X}") and timer == "02":
            expected.append(int(when, 16) / 100)
    return min(expected, default=-1.0)


@pytest.mark.parametrize(
    ("flags", "code", "said"),
    [
        (("--port=9", "-u", "x"), 1, "error: cannot set --unix-socket and --port at the same time\n"),
        (("--port=99999",), 1, "error: listen tcp: address 99999: invalid port\n"),
        (("--address=::1",), 1, "error: listen tcp: address ::1:8001: too many colons in address\n"),
        (
            ("--reject-paths=(",),
            255,
            "E<log> proxy_server.go:83] Error compiling re: error parsing regexp: missing closing ): `(`\n",
        ),
        (
            ("--keepalive=x",),
            1,
            'error: invalid argument "x" for "--keepalive" flag: time: invalid duration "x"\n' + HELP,
        ),
    ],
)
def test_refusals(talk: Talk, flags: tuple[str, ...], code: int, said: str) -> None:
    assert talk("proxy", *flags) == Outcome(code, "", said)


def test_a_port_that_is_busy_is_said(talk: Talk) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        number = busy.getsockname()[1]
        said = f"error: listen tcp 127.0.0.1:{number}: bind: address already in use\n"
        assert talk("proxy", f"--port={number}") == Outcome(1, "", said)


def test_what_is_dangerous_is_warned_of(server: str, tmp_path: Path) -> None:
    for flags, line, text in (
        (("--disable-filter",), 177, "Request filter disabled, your proxy is vulnerable to XSRF attacks, please be "),
        (("--reject-methods=",), 182, "Request filter has been relaxed, your proxy may be vulnerable to attacks, "),
        (("--www=none",), 203, "Failed to stat static file directory none: stat none: no such file or directory"),
    ):
        with proxying(tmp_path, "-s", server, "--port=0", *flags) as proxy:
            assert proxy.process.stderr is not None
            assert masked(proxy.process.stderr.readline()).startswith(f"W<log> proxy.go:{line}] {text}")
