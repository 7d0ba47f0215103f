"""`kctl up -d`, and what its companions say and do."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command_line import KCTL, Outcome, environment
from tests.e2e.up.machine import WITHIN, Machine, is_gone, machine, until

OWN = """\
apiVersion: v1
kind: Config
current-context: prod
clusters: [{name: prod, cluster: {server: "https://prod.example.com"}}]
contexts: [{name: prod, context: {cluster: prod, user: prod}}]
users: [{name: prod, user: {token: t}}]
"""


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """One plane for all who only look at it, with a kubeconfig that was there before."""
    home = tmp_path_factory.mktemp("home")
    (home / ".kube").mkdir()
    (home / ".kube" / "config").write_text(OWN)
    with machine(home) as found:
        found.up("--storage", "sqlite")
        yield found


def kubectl(program: str, where: Machine, *arguments: str) -> str:
    """With the kubeconfig of the user, as it is."""
    environ = {"HOME": str(where.home), "PATH": os.defpath}
    done = subprocess.run([program, *arguments], env=environ, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_when_it_says_ready_it_is(there: Machine, kubectl_program: str) -> None:
    assert "namespace/kube-system" in kubectl(kubectl_program, there, "get", "namespaces", "-o", "name")
    kubectl(kubectl_program, there, "create", "configmap", "a")


def test_status_tells_people(there: Machine) -> None:
    done = there.kctl("status")
    assert (done.code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "default is up"
    names = ["server", "context", "uptime", "version", "store", "pids", "memory", "objects", "data"]
    assert [line.split()[0] for line in lines[1:]] == names
    assert "kctl-default (current)" in lines[2]


def test_status_tells_programs(there: Machine) -> None:
    [status] = json.loads(there.kctl("status", "-o", "json").stdout)
    assert status == {**status, "name": "default", "state": "up", "context": "kctl-default"}
    assert status["url"].startswith("https://127.0.0.1:")
    assert status["dataDir"] == str(there.state / "default")
    assert status["versions"]["kubernetes"].startswith("v1.")
    assert status["objects"] > 0
    assert status["memoryBytes"]["server"] > 1_000_000
    assert not is_gone(status["pids"]["server"])
    assert there.status().keys() == status.keys()


def test_what_it_wrote_is_its_owners_alone(there: Machine) -> None:
    status = there.status()
    for path in (status["kubeconfig"], status["log"], there.kubeconfig, there.state / ".planes/default/run.json"):
        assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600, path
    for path in (there.state, there.state / ".planes", there.state / ".planes" / "default", there.state / "default"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700, path
    keys = list((there.state / "default" / "pki").iterdir())
    assert keys
    assert {stat.S_IMODE(path.stat().st_mode) for path in keys} == {0o600}


def test_nothing_secret_is_told(there: Machine) -> None:
    secret = json.loads(Path(there.status()["kubeconfig"]).read_bytes())["users"][0]["user"]["token"]
    pid = there.status()["pids"]["server"]
    told = [
        Path(f"/proc/{pid}/cmdline").read_text(),
        Path(f"/proc/{pid}/environ").read_text(),
        there.kctl("status").stdout,
        there.kctl("status", "-o", "json").stdout,
        there.kctl("status", "--logs").stdout,
        there.kctl("env").stdout,
    ]
    assert all(secret not in text for text in told)


def test_env_is_what_a_shell_evaluates(there: Machine) -> None:
    path = there.status()["kubeconfig"]
    expected = {
        "": f"export KUBECONFIG={path}\n",
        "--shell bash": f"export KUBECONFIG={path}\n",
        "--shell zsh": f"export KUBECONFIG={path}\n",
        "--shell fish": f"set -gx KUBECONFIG '{path}'\n",
        "--shell powershell": f"$Env:KUBECONFIG = '{path}'\n",
        "--shell dotenv": f"KUBECONFIG={path}\n",
    }
    for line, output in expected.items():
        assert there.kctl("env", *line.split()) == Outcome(0, output, ""), line
    assert there.kctl("env", SHELL="/usr/bin/fish").stdout == f"set -gx KUBECONFIG '{path}'\n"
    unknown = 'error: there is no --shell "nu": it is one of sh, bash, zsh, fish, powershell, dotenv\n'
    assert there.kctl("env", "--shell", "nu") == Outcome(1, "", unknown)
    assert there.kctl("env", "--name", "other") == Outcome(
        1, "", 'error: plane "other" is not up: start it with `kctl up -d --name other`\n'
    )


def test_the_log_tells_when_it_was_up(there: Machine) -> None:
    done = there.kctl("status", "--logs")
    assert re.search(r"INFO default is up at https://127\.0\.0\.1:\d+ with sqlite .*, ready in \d+ ms\n", done.stdout)
    assert there.kctl("status", "--logs", "--name", "other") == Outcome(
        1, "", 'error: plane "other" has no log: it was never up, or has ended and kept nothing\n'
    )


def test_up_again_is_an_error_in_the_foreground_and_none_in_the_background(there: Machine) -> None:
    status = there.status()
    pid = status["pids"]["server"]
    assert there.kctl("up", "-d") == Outcome(
        0, f"default is up already at {status['url']} (process {pid}, context kctl-default)\n", ""
    )
    assert there.kctl("up") == Outcome(
        1,
        "",
        f'error: plane "default" is already up at {status["url"]} (process {pid}): '
        "stop it with `kctl down`, or start another one with --name\n",
    )


def test_a_second_one_runs_beside_it(there: Machine) -> None:
    report = there.up("--name", "second").stdout.splitlines()
    assert report[0] == "second is up"
    assert report[2].split(maxsplit=1)[1] == "kctl-second (current; was kctl-default)"
    assert re.fullmatch(r"Ready in \d+ ms\. kctl down --name second stops it\.", report[-1])
    both = json.loads(there.kctl("status", "-o", "json").stdout)
    assert [one["name"] for one in both] == ["default", "second"]
    assert both[0]["url"] != both[1]["url"]
    again = "The current context is kctl-default again."
    assert there.kctl("down", "--name", "second") == Outcome(0, f"second has stopped.\n{again}\n", "")
    assert there.user_config()["current-context"] == "kctl-default"
    assert is_gone(both[1]["pids"]["server"])
    assert there.kctl("down", "--name", "second") == Outcome(0, "second is not up. Up are: default.\n", "")


def test_reset_empties_one_that_is_up_and_everything_goes_on_working(there: Machine, kubectl_program: str) -> None:
    kubectl(kubectl_program, there, "create", "configmap", "gone-soon")
    before = there.status()
    assert there.kctl("reset") == Outcome(0, "default is empty.\n", "")
    after = there.status()
    assert (after["url"], after["pids"], after["kubeconfig"]) == (before["url"], before["pids"], before["kubeconfig"])
    assert "gone-soon" not in kubectl(kubectl_program, there, "get", "configmaps", "-o", "name")
    refused = there.kctl("reset", "--data-dir", "x")
    assert refused == Outcome(1, "", "error: --data-dir is for a plane that is down, and default is up\n")


def test_from_up_to_down_and_back(here: Machine, kubectl_program: str) -> None:
    here.kubeconfig.parent.mkdir()
    here.kubeconfig.write_text(OWN)
    here.up("--storage", "sqlite", "--switch-context", "always")
    kubectl(kubectl_program, here, "create", "configmap", "kept")
    pid = here.status()["pids"]["server"]

    again = "The current context is prod again."
    assert here.kctl("down") == Outcome(0, f"default has stopped.\n{again}\n", "")
    assert is_gone(pid)
    config = here.user_config()
    assert (config["current-context"], [entry["name"] for entry in config["contexts"]]) == ("prod", ["prod"])
    assert here.kctl("status") == Outcome(1, "No plane is up. Start one with `kctl up`.\n", "")
    assert here.kctl("status", "--name", "default") == Outcome(1, "default is down\n", "")
    assert json.loads(here.kctl("status", "-o", "json").stdout) == []
    assert here.kctl("down") == Outcome(0, "default is not up.\n", "")
    assert here.kctl("down", "--all") == Outcome(0, "No plane is up.\n", "")

    here.up("--storage", "sqlite")
    assert "configmap/kept" in kubectl(kubectl_program, here, "get", "configmaps", "-o", "name")
    here.kctl("down", "--all")
    assert here.kctl("reset") == Outcome(0, f"{here.state / 'default'} is deleted.\n", "")
    assert not (here.state / "default").exists()
    assert here.kctl("reset") == Outcome(0, "default is down and keeps no data.\n", "")


def test_whoever_follows_the_log_is_told_the_end(here: Machine) -> None:
    here.up()
    follower = subprocess.Popen(
        [*KCTL, "status", "--logs", "--follow"],
        env=environment(here.home, {}),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert follower.stdout is not None
    assert " is up at " in follower.stdout.readline()
    here.kctl("down")
    rest, _ = follower.communicate(timeout=WITHIN)
    assert (follower.returncode, "stopping: SIGTERM" in rest) == (0, True)


def test_no_wait_returns_at_once_and_status_tells_the_rest(here: Machine) -> None:
    assert here.up("--no-wait").stdout == "default is starting: see `kctl status --name default`\n"
    # Starting it again waits for the first one.
    assert "default is up already at https://127.0.0.1:" in here.up().stdout
    until(lambda: here.status()["state"] == "up")


@pytest.mark.parametrize(
    ("line", "stderr"),
    [
        ("down --name a --all", "error: --name and --all contradict one another\nSee 'kctl down --help' for usage.\n"),
        ("down --timeout 5", 'error: invalid argument "5" for "--timeout" flag: time: missing unit in duration "5"\n'),
        ("status --follow", "error: --follow is for --logs\nSee 'kctl status --help' for usage.\n"),
        ("status --logs -o json", "error: --logs and --output contradict one another\n"),
        ("status -o yaml", "error: --output must be 'json'\n"),
        ("status --name .x", 'error: ".x" can\'t be the name of a plane: '),
        ("up --bogus", "error: unknown flag: --bogus\nSee 'kctl up --help' for usage.\n"),
        ("up more", "error: extra arguments: [more]\nSee 'kctl up --help' for usage.\n"),
    ],
)
def test_wrong_command_lines(line: str, stderr: str, here: Machine) -> None:
    done = here.kctl(*line.split())
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr.startswith(stderr)
