"""`kctl ui`: who is let in, what is passed on, and what its flags do. What the page does is in `tests/e2e/ui`."""

from __future__ import annotations

import http.client
import json
import os
import pty
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kctl.ui.gate import HEADERS
from tests.e2e.command_line import KCTL, environment
from tests.e2e.up.machine import Machine, until

SAME = {"X-Kctl-Ui": "1", "Sec-Fetch-Site": "same-origin"}
CONFIG_MAPS = "k8s/api/v1/namespaces/default/configmaps"


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> str:
        return str(json.loads(self.body)["message"])


@dataclass(slots=True)
class Console:
    """One that runs, and the browser of its user."""

    link: str
    said: str = ""
    cookie: str = ""
    room: str = ""
    more: dict[str, str] = field(default_factory=dict)

    @property
    def host(self) -> str:
        return urlsplit(self.link).netloc

    def ask(self, path: str, method: str = "GET", body: str | None = None, **headers: str) -> Answer:
        """Below the room unless it begins with a slash; a header that is empty is not sent."""
        given = {
            "Host": self.host,
            "Cookie": self.cookie,
            **SAME,
            **{k.replace("_", "-"): v for k, v in headers.items()},
        }
        if method not in ("GET", "HEAD"):
            given.setdefault("Origin", f"http://{self.host}")
        address, _, port = self.host.rpartition(":")
        with closing(http.client.HTTPConnection(address, int(port), timeout=60)) as connection:
            connection.putrequest(method, path if path.startswith("/") else self.room + path, skip_host=True)
            for name, value in given.items():
                if value:
                    connection.putheader(name, value)
            content = (body or "").encode()
            if body is not None:
                connection.putheader("Content-Length", str(len(content)))
            connection.endheaders(content or None)
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())

    def enter(self) -> Answer:
        parts = urlsplit(self.link)
        answer = self.ask(f"{parts.path}?{parts.query}", X_Kctl_Ui="", Sec_Fetch_Site="cross-site")
        if answer.status == 200:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
            self.room = re.findall(r"url=(/[^\"]+)", answer.body.decode())[0]
        return answer


@contextmanager
def started(plane: Machine, *arguments: str) -> Iterator[Console]:
    process = subprocess.Popen(
        [*KCTL, "ui", *arguments],
        cwd=plane.home,
        env=environment(plane.home, plane.environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        process.stdout.readline()
        yield Console(process.stdout.readline().strip(), said)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def console(plane: Machine) -> Iterator[Console]:
    with started(plane, "--no-open") as here:
        entered = here.enter()
        assert entered.status == 200
        yield here


def test_the_link_lets_in_once(console: Console) -> None:
    """The cookie is for scripts of nobody, for no other site, and for a path that nobody else knows."""
    again = Console(console.link).enter()
    assert (again.status, again.headers.get("set-cookie")) == (403, None)
    assert again.message.startswith("This link has been used")
    guess = Console(f"http://{console.host}/?key=guess").enter()
    assert guess.status == 403
    assert re.fullmatch(r"/[\w-]{20,}/", console.room)


def test_the_cookie_is_out_of_reach(plane: Machine) -> None:
    with started(plane, "--no-open") as fresh:
        attributes = fresh.enter().headers["set-cookie"].split("; ")[1:]
        assert attributes == [f"Path={fresh.room}", "HttpOnly", "SameSite=Strict"]


def test_every_answer_keeps_pages_apart(console: Console) -> None:
    answers = [console.ask(path) for path in ("", "assets/main.js", "about", "assets/none", f"{CONFIG_MAPS}?limit=1")]
    answers.append(console.ask("/", Cookie=""))
    for answer in answers:
        assert {name: answer.headers.get(name.lower()) for name in HEADERS} == dict(HEADERS)
        assert "access-control-allow-origin" not in answer.headers
    assert [answer.status for answer in answers] == [200, 200, 200, 404, 200, 401]


PATHS = ("", "assets/main.js", "about", "kinds", "counts", "search?q=a", "family?uid=a", "watch", CONFIG_MAPS)


@pytest.mark.parametrize("path", PATHS)
def test_another_user_of_the_machine_gets_nothing(console: Console, path: str) -> None:
    """Who knows neither the cookie nor the path, and who knows one of them."""
    assert console.ask(path, Cookie="").status == 401
    assert console.ask(path, Cookie="kctl-ui=guess").status == 401
    assert console.ask(f"/{path}").status == 401
    assert console.ask(f"/guess/{path}").status == 401


ATTACKS = {
    "a name that leads here": {"Host": "evil.example:80"},
    "another name of this machine": {"Host": "localhost"},
    "no host": {"Host": ""},
    "a page of another site": {"Origin": "https://evil.example"},
    "a page without an origin": {"Origin": "null"},
    "a page on another port of this machine": {"Sec_Fetch_Site": "same-site"},
    "a page that the browser says is another's": {"Sec_Fetch_Site": "cross-site"},
    "a form or an image": {"X_Kctl_Ui": ""},
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_page_that_is_not_ours_gets_nothing_although_the_browser_sends_the_cookie(
    console: Console, attack: str
) -> None:
    answer = console.ask(CONFIG_MAPS, **ATTACKS[attack])
    assert answer.status in (400, 403, 421)
    assert b"items" not in answer.body
    body = json.dumps({"metadata": {"name": "attacked"}})
    assert console.ask(CONFIG_MAPS, "POST", body, **ATTACKS[attack]).status in (400, 403, 421)
    assert console.ask(f"{CONFIG_MAPS}/attacked").status == 404


def test_a_change_says_where_it_comes_from(console: Console) -> None:
    body = json.dumps({"metadata": {"name": "unsigned"}})
    assert console.ask(CONFIG_MAPS, "POST", body, Origin="").status == 403
    assert console.ask(f"{CONFIG_MAPS}/unsigned").status == 404


def test_no_browser_may_ask_for_leave_to_ask(console: Console) -> None:
    answer = console.ask(CONFIG_MAPS, "OPTIONS", Origin="https://evil.example", Access_Control_Request_Method="POST")
    assert (answer.status, [name for name in answer.headers if name.startswith("access-control")]) == (403, [])


UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec_WebSocket_Version": "13",
    "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


def test_a_websocket_of_another_page_is_refused(console: Console) -> None:
    assert console.ask("watch", **UPGRADE, Origin="https://evil.example").status == 403
    assert console.ask("watch", **UPGRADE).status == 403  # a program that says nothing of where it comes from
    assert console.ask("watch", **UPGRADE, Origin=f"http://{console.host}", Cookie="").status == 401
    assert console.ask("k8s/api/v1/namespaces/default/pods/a/exec?command=id", **UPGRADE).status == 403


def test_objects_are_made_read_and_deleted_in_the_users_name(console: Console) -> None:
    body = json.dumps({"metadata": {"name": "own"}, "data": {"a": "b"}})
    assert (
        console.ask(f"{CONFIG_MAPS}?fieldManager=kctl-ui", "POST", body, Content_Type="application/json").status == 201
    )
    found = json.loads(console.ask(f"{CONFIG_MAPS}/own", Impersonate_User="nobody").body)
    assert (found["data"], found["metadata"]["managedFields"][0]["manager"]) == ({"a": "b"}, "kctl-ui")
    counted = json.loads(console.ask("counts?namespace=default").body)
    assert counted["configmaps"] >= 1
    assert json.loads(console.ask("search?q=own+configmap").body)["found"][0]["name"] == "own"
    assert console.ask(f"{CONFIG_MAPS}/own", "DELETE").status == 200
    assert console.ask("k8s/api/v1/namespaces/default/pods/a/exec").status == 403
    assert console.ask("k8s/api/v1/namespaces/default/pods/a/log/..%2fexec").status == 400
    assert console.ask("about", "POST").status == 405
    assert console.ask("assets/../server.py").status == 404
    assert console.ask("assets/%2e%2e/server.py").status == 404


def test_what_a_deletion_takes_with_it(console: Console) -> None:
    """What has another owner that stays is not among it; nor does what was deleted count."""

    def made(name: str, *owners: dict[str, str]) -> dict[str, str]:
        references = [{"apiVersion": "v1", "kind": "ConfigMap", **owner} for owner in owners]
        body = json.dumps({"metadata": {"name": name, "ownerReferences": references}})
        answer = console.ask(CONFIG_MAPS, "POST", body, Content_Type="application/json")
        return {"name": name, "uid": json.loads(answer.body)["metadata"]["uid"]}

    root, other = made("root"), made("other-root")
    child = made("child", root)
    made("shared", root, other)
    made("grandchild", child)
    family = json.loads(console.ask(f"family?uid={root['uid']}").body)
    assert sorted(one["name"] for one in family["goes"]) == ["child", "grandchild"]
    assert sorted(one["name"] for one in family["members"]) == ["child", "grandchild", "root", "shared"]
    for name in ("shared", "grandchild", "child", "root", "other-root"):
        console.ask(f"{CONFIG_MAPS}/{name}", "DELETE")


def test_a_form_to_fill_in(console: Console) -> None:
    text = json.loads(console.ask("skeleton?group=apps&version=v1&resource=deployments").body)["text"]
    assert text.startswith("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n")
    assert console.ask("skeleton?group=none&version=v1&resource=nothing").status in (404, 502)


def test_read_only_changes_nothing(plane: Machine) -> None:
    with started(plane, "--no-open", "--read-only") as reading:
        reading.enter()
        assert json.loads(reading.ask("about").body)["readOnly"] is True
        assert reading.ask(CONFIG_MAPS).status == 200
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            for path in (CONFIG_MAPS, f"{CONFIG_MAPS}/a", "k8s/apis/apps/v1/namespaces/default/deployments/a/scale"):
                answer = reading.ask(f"{path}?dryRun=All", method, "{}")
                assert (answer.status, answer.message) == (
                    403,
                    "this console only reads: it was started with --read-only",
                )
        assert reading.ask("k8s/localplane/v1/faults", "DELETE").status == 403


def test_port_and_context_are_as_asked_for(plane: Machine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    current = plane.kctl("config", "current-context").stdout.strip()
    assert plane.kctl("config", "set-context", "other", "--cluster", current, "--user", current).code == 0
    with started(plane, "--no-open", "--port", str(port), "--context", "other") as there:
        assert (there.host, there.said) == (f"127.0.0.1:{port}", "The console of other:\n")
        taken = plane.kctl("ui", "--no-open", "--port", str(port))
        assert taken.code == 1
        assert taken.stderr == (
            f"error: can't listen on port {port}: address already in use; choose another --port, or 0 for any that is "
            "free\n"
        )
    assert plane.kctl("config", "delete-context", "other").code == 0


@pytest.mark.parametrize("arguments", [(), ("--no-open",)])
def test_a_browser_is_led_in_by_a_file_that_nobody_else_can_read(
    plane: Machine, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    """On a terminal with a screen. The link is not in the browser's command line, where everybody could read it."""
    browser, shown = tmp_path / "browser", tmp_path / "shown"
    browser.write_text(f"""#!/bin/sh
PATH=/usr/bin:/bin
f="${{1#file://}}"
{{ stat -c %a "$f"; echo "$@"; cat "$f"; }} > {shown}.part && mv {shown}.part {shown}
""")
    browser.chmod(0o755)
    ours, theirs = pty.openpty()
    more = {"DISPLAY": ":0", "BROWSER": f"{browser} %s"}
    process = subprocess.Popen(
        [*KCTL, "ui", *arguments],
        cwd=plane.home,
        env=environment(plane.home, {**plane.environ, **more}),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    try:
        said = _read_until(ours, b"ends the console")
        link = re.findall(r"http://\S+", said)[0]
        if arguments:
            os.write(ours, b"\n")  # which it hears when it has not opened a browser
        else:
            until(shown.exists)
            mode, words, page = shown.read_text().split("\n", 2)
            assert (mode, link in words, link in page) == ("600", False, True)
            os.write(ours, b"\n")
        another = re.findall(r"http://\S+", _read_until(ours, b"ends the console"))[0]
        assert another != link
        assert shown.exists() is (not arguments)
        assert Console(another).enter().status == 200
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _read_until(terminal: int, words: bytes) -> str:
    said = b""
    while words not in said:
        said += os.read(terminal, 4096)
    return said.decode()


def test_what_can_not_be_is_said_in_a_sentence(plane: Machine, tmp_path: Path) -> None:
    assert plane.kctl("ui", "--port", "70000").stderr == "error: --port is a number from 0 to 65535, not 70000\n"
    with socket.create_server(("127.0.0.1", 0)) as free:
        server = f"127.0.0.1:{free.getsockname()[1]}"
    gone = plane.kctl("ui", "--server", f"http://{server}")
    assert (gone.code, gone.stdout) == (1, "")
    assert gone.stderr == (
        f"The connection to the server {server} was refused - did you specify the right host or port?\n"
    )
    done = plane.kctl("ui", "pods")
    assert (done.code, done.stderr.splitlines()[0]) == (1, 'error: "pods" is too much: the console shows everything')
