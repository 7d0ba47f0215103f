"""`kctl events`: every flag, and what is printed."""

from __future__ import annotations

import json
import queue
import shlex
import subprocess
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from tests.e2e.command_line import KCTL, Outcome, environment
from tests.e2e.kctl.desk import Desk
from tests.e2e.up.machine import Machine

NAMESPACE = "eventful"


def _ago(days: int, *, micro: bool = False) -> str:
    moment = datetime.now(UTC) - timedelta(days=days)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000000Z" if micro else "%Y-%m-%dT%H:%M:%SZ")


def _event(name: str, kind: str, about: str, version: str = "v1", **fields: Any) -> JSONObject:
    return {
        "kind": "Event",
        "apiVersion": "v1",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "involvedObject": {"kind": kind, "name": about, "namespace": NAMESPACE, "apiVersion": version},
        **fields,
    }


def _events() -> list[JSONObject]:
    new = {"reportingComponent": "ctl", "reportingInstance": "i", "action": "Act"}
    return [
        _event(
            "pulled", "Pod", "web", type="Normal", reason="Pulled", message=" got it ", count=4,
            firstTimestamp=_ago(90), lastTimestamp=_ago(20),
        ),
        _event(
            "failed", "Pod", "web", type="Warning", reason="Failed", message="no\u001b[2Jway", count=1,
            firstTimestamp=_ago(30), lastTimestamp=_ago(30),
        ),
        _event(
            "scaled", "Deployment", "web", "apps/v1", type="Normal", reason="Scaled", message="up", **new,
            eventTime=_ago(80, micro=True), series={"count": 3, "lastObservedTime": _ago(25, micro=True)},
        ),
        _event(
            "made", "Deployment", "old", "apps/v1", type="Normal", reason="Made", message="made", **new,
            eventTime=_ago(70, micro=True),
        ),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def eventful(plane: Machine) -> Machine:
    assert plane.kctl("create", "namespace", NAMESPACE).code == 0
    file = plane.home / "events.json"
    file.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": _events()}))
    done = plane.kctl("create", "-f", str(file))
    assert done.code == 0, done.stderr
    return plane


HEADERS = "LAST SEEN           TYPE      REASON   OBJECT           MESSAGE\n"
MADE = "70d                 Normal    Made     Deployment/old   made\n"
FAILED = "30d                 Warning   Failed   Pod/web          no^[[2Jway\n"
SCALED = "25d (x3 over 80d)   Normal    Scaled   Deployment/web   up\n"
PULLED = "20d (x4 over 90d)   Normal    Pulled   Pod/web          got it\n"
NONE = f"No events found in {NAMESPACE} namespace.\n"

ONE = "LAST SEEN   TYPE     REASON   OBJECT           MESSAGE\n70d         Normal   Made     Deployment/old   made\n"
IN_COLUMNS = "Made     Normal\nFailed   Warning\nScaled   Normal\nPulled   Normal\n"

SHOWN = [
    ("", HEADERS + MADE + FAILED + SCALED + PULLED),
    ("--no-headers", MADE + FAILED + SCALED + PULLED),
    ("--chunk-size=1", HEADERS + MADE + FAILED + SCALED + PULLED),
    ("--for deployment/old", ONE),
    ("--for deploy.apps/old --no-headers", "70d   Normal   Made   Deployment/old   made\n"),
    ("--for deployments.v1.apps/old --no-headers", "70d   Normal   Made   Deployment/old   made\n"),
    ("--types=warning --no-headers", "30d   Warning   Failed   Pod/web   no^[[2Jway\n"),
    ("--types Normal,Warning --no-headers", MADE + FAILED + SCALED + PULLED),
    ("-o jsonpath={.items[*].reason}", "Made Failed Scaled Pulled"),
    ("-o jsonpath-as-json={.items[0].reason}", '[\n    "Made"\n]\n'),
    ("-o 'go-template={{range .items}}{{.reason}} {{end}}'", "Made Failed Scaled Pulled "),
    ("-o go-template --template='{{len .items}}'", "4"),
    # Everything goes through kubectl's columns, and nobody looks at what went wrong.
    ("-o 'jsonpath={range .items[*]}{.reason}{\"\\t\"}{.type}{\"\\n\"}{end}'", IN_COLUMNS),
    ("-o jsonpath={.none}", ""),
    ("-o jsonpath={.none} --allow-missing-template-keys=false", ""),
    ("-o jsonpath={.items[9].reason}x", ""),
]  # fmt: skip


@pytest.mark.parametrize(("line", "stdout"), SHOWN, ids=[line for line, _ in SHOWN])
def test_events_are_shown_the_oldest_first(line: str, stdout: str, eventful: Machine) -> None:
    assert eventful.kctl("-n", NAMESPACE, "events", *shlex.split(line)) == Outcome(0, stdout, "")


SAID = [
    ("--for pod/none", 0, NONE),
    ("--for pod/none -A", 0, "No events found.\n"),
    ("--types Warning --for deployment/web", 0, NONE),
    ("--types Bad", 1, "error: valid --types are Normal or Warning\n"),
    ("--for web", 1, "error: --for must be in resource/name form\n"),
    ("--for pod/a/b", 1, "error: arguments in resource/name form may not have more than one slash\n"),
    ("--for /a", 1, "error: a resource must be present, got: /, Resource=\n"),
    ("--for nosuch/a", 1, 'the server doesn\'t have a resource type "nosuch"\n'),
    (
        "-o wide",
        1,
        (
            'error: unable to match a printer suitable for the output format "wide", allowed formats are: go-template,'
            "go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml\n"
        ),
    ),
]


@pytest.mark.parametrize(("line", "code", "stderr"), SAID, ids=[line for line, _, _ in SAID])
def test_what_has_no_events_is_said(line: str, code: int, stderr: str, eventful: Machine) -> None:
    assert eventful.kctl("-n", NAMESPACE, "events", *line.split()) == Outcome(code, "", stderr)


def test_all_namespaces_have_a_column(eventful: Machine) -> None:
    done = eventful.kctl("events", "--all-namespaces", "--for", "deployment/old")
    assert done.stdout == (
        "NAMESPACE   LAST SEEN   TYPE     REASON   OBJECT           MESSAGE\n"
        "eventful    70d         Normal   Made     Deployment/old   made\n"
    )


def test_events_come_in_chunks(eventful: Machine) -> None:
    in_chunks = eventful.kctl("-n", NAMESPACE, "events", "--chunk-size=3", "-v=6")
    assert (in_chunks.stderr.count("limit=3"), in_chunks.stderr.count("continue=")) == (2, 1)


def test_a_whole_event_is_printed_as_it_is(eventful: Machine) -> None:
    line = ("-n", NAMESPACE, "events", "--for", "deployment/old", "-o", "json")
    listed = json.loads(eventful.kctl(*line).stdout)
    assert [listed["kind"], listed["apiVersion"], len(listed["items"])] == ["EventList", "v1", 1]
    assert listed["items"][0]["reason"] == "Made"
    assert "managedFields" not in listed["items"][0]["metadata"]
    managed = json.loads(eventful.kctl(*line, "--show-managed-fields").stdout)
    assert managed["items"][0]["metadata"]["managedFields"]


@pytest.mark.parametrize("flag", ["-w", "--watch"])
def test_new_events_follow(flag: str, desk: Desk) -> None:
    line = [*KCTL, "-n", desk.namespace, "events", flag, "--types=Warning"]
    home = desk.machine
    event = _event("first", "Pod", "web", type="Normal", reason="Unseen", firstTimestamp=_ago(30))
    for number in range(2):
        _create(desk, event, f"before-{number}", type="Warning", reason=f"Seen{number}")
    _create(desk, event, "quiet")
    with subprocess.Popen(
        line, cwd=home.home, env=environment(home.home, home.environ), stdout=subprocess.PIPE, text=True
    ) as watching:
        seen: queue.Queue[str] = queue.Queue()
        threading.Thread(target=_collect, args=(watching, seen), daemon=True).start()
        try:
            assert seen.get(timeout=60) == "LAST SEEN   TYPE      REASON   OBJECT    MESSAGE\n"
            assert {seen.get(timeout=60), seen.get(timeout=60)} == {
                "30d         Warning   Seen0    Pod/web   \n",
                "30d         Warning   Seen1    Pod/web   \n",
            }
            _create(desk, event, "late", type="Warning", reason="Late", message="at last")
            assert seen.get(timeout=60) == "30d         Warning   Late     Pod/web   at last\n"
        finally:
            watching.terminate()


def test_a_watch_ends_well_when_its_time_is_over(desk: Desk) -> None:
    assert desk.run("events", "--watch", "--request-timeout=1s") == Outcome(0, "", "")
    desk.run("create", "cm", "a")
    done = desk.run("get", "cm", "a", "-w", "--request-timeout=1s", "-v=5")
    assert (done.code, done.stdout.split()[0]) == (0, "NAME")
    assert 'err="context deadline exceeded (Client.Timeout or context cancellation while reading body)"' in done.stderr


def test_a_list_in_a_file_is_not_watched(desk: Desk) -> None:
    desk.run("create", "cm", "a")
    item = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    file = desk.write("list.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": [item]}))
    refused = (
        "watch is only supported on individual resources and resource collections, but a list of resources is found"
    )
    assert desk.run("get", "-f", file, "--watch") == Outcome(1, "", f"error: {refused}\n")


def _collect(process: subprocess.Popen[str], seen: queue.Queue[str]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        seen.put(line)


def _create(desk: Desk, event: JSONObject, name: str, **fields: str) -> None:
    about = {**event["involvedObject"], "namespace": desk.namespace}
    whole = {**event, **fields, "metadata": {"name": name}, "involvedObject": about}
    done = desk.run("create", "-f", desk.write(f"{name}.json", json.dumps(whole)))
    assert done.code == 0, done.stderr
