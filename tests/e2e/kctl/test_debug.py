"""`kctl debug`: containers in pods that run, copies of pods, pods on nodes."""

from __future__ import annotations

import json
import re
import shlex
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk
from tests.e2e.streaming.fake_starting import StartingKubelet
from tests.e2e.streaming.talking import Talk
from tests.e2e.up.machine import Machine

FILES = {
    "web.yaml": """\
apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web}
  annotations: {note: x}
spec:
  nodeName: somewhere
  serviceAccountName: default
  automountServiceAccountToken: false
  initContainers:
  - name: setup
    image: setup:1
  containers:
  - name: web
    image: web:1
    args: [serve]
    livenessProbe: {tcpSocket: {port: 80}}
    readinessProbe: {tcpSocket: {port: 81}}
    startupProbe: {tcpSocket: {port: 82}}
  - name: side
    image: side:1
    securityContext: {runAsUser: 5, capabilities: {add: [KILL]}}
""",
    "user.yaml": """\
apiVersion: v1
kind: Pod
metadata:
  name: user
spec:
  serviceAccountName: default
  automountServiceAccountToken: false
  securityContext: {runAsUser: 1000}
  containers:
  - name: web
    image: web:1
""",
    "custom.yaml": """\
env:
- name: CUSTOM
  value: "1"
securityContext:
  runAsUser: 0
""",
    "named.json": '{"name":"x"}\n',
    "list.json": "[1]\n",
    "broken.yaml": "a: b: c\n",
}
RECORDED = (
    "All commands and output from this session will be recorded in container logs, including credentials and "
    "sensitive information passed through the command prompt.\n"
    "If you don't see a command prompt, try pressing enter.\n"
)
NOT_ROOT = (
    "Warning: Non-root user is configured for the entire target Pod, and some capabilities granted by debug profile "
    'may not work. Please consider using "--custom" with a custom profile that specifies '
    '"securityContext.runAsUser: 0".\n'
)


@pytest.fixture(scope="module")
def sick(plane: Machine, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """Two pods that something is wrong with."""
    desk = Desk(plane, f"debug-{uuid.uuid4().hex[:8]}", tmp_path_factory.mktemp("debug"))
    plane.kctl("create", "namespace", desk.namespace)
    for name, text in FILES.items():
        desk.write(name, text)
    desk.run("create", "serviceaccount", "default")  # if nobody has been faster
    for line in ("create -f web.yaml -f user.yaml", "create configmap settings"):
        done = desk.run(*line.split())
        assert done.code == 0, done.stderr
    return desk


REFUSED = [
    ("debug", "error: you must specify --image when not using --copy-to.\n"),
    ("debug web", "error: you must specify --image when not using --copy-to.\n"),
    ("debug --image=x", "error: NAME or filename is required for debug\n"),
    ("debug web --image=Bad:::", 'error: invalid image name "Bad:::": invalid reference format\n'),
    ("debug web --image=x -t", "error: -i/--stdin is required for containers with -t/--tty=true\n"),
    (
        "debug web --attach",
        "error: you must specify --container or create a new container using --image in order to attach.\n",
    ),
    ("debug web --replace --image=x", "error: --replace may only be used with --copy-to.\n"),
    ("debug web --same-node --image=x", "error: --same-node may only be used with --copy-to.\n"),
    ("debug web --set-image=a=b --image=x", "error: --set-image may only be used with --copy-to.\n"),
    ("debug web --copy-to=c", "error: you must specify --image, --set-image or command arguments.\n"),
    (
        "debug web --copy-to=c -- sh",
        "error: you must specify an existing container or a new image when specifying args.\n",
    ),
    (
        "debug web --copy-to=c --set-image=a=Bad:::",
        'error: invalid image name "Bad:::" for container "a": invalid reference format\n',
    ),
    (
        "debug web --copy-to=c --set-image=a",
        """\
error: invalid argument "a" for "--set-image" flag: a must be formatted as key=value
See 'kctl debug --help' for usage.
""",
    ),
    (
        "debug web --copy-to=c --image=x --target=web",
        "error: --target is incompatible with --copy-to. Use --share-processes instead.\n",
    ),
    ("debug web --copy-to=c -c nope -- sh", "error: you must specify image when creating new container\n"),
    ("debug web --image=x --image-pull-policy=odd", "error: invalid image pull policy: odd\n"),
    ("debug web --image=x --profile=odd", "error: unknown profile: odd\n"),
    (
        "debug web --image=x --env=A",
        """\
error: invalid argument "A" for "--env" flag: A must be formatted as key=value
See 'kctl debug --help' for usage.
""",
    ),
    (
        "debug web --image=x --custom=nope",
        ("error: must pass a container spec json file for custom profile: open nope: no such file or directory\n"),
    ),
    (
        "debug web --image=x --custom=named.json",
        "error: name, command, image, lifecycle and volume devices are not modifiable via custom profile\n",
    ),
    (
        "debug web --image=x --custom=list.json",
        (
            "error: list.json does not contain a valid container spec: error unmarshaling JSON: while decoding "
            "JSON: json: cannot unmarshal array into Go value of type v1.Container\n"
        ),
    ),
    (
        "debug web --image=x --custom=broken.yaml",
        (
            "error: broken.yaml does not contain a valid container spec: error converting YAML to JSON: yaml: "
            "mapping values are not allowed in this context\n"
        ),
    ),
    ("debug nope --image=x", 'Error from server (NotFound): pods "nope" not found\n'),
    ("debug cm/settings --image=x", 'error: "/v1, Kind=ConfigMap" not supported by debug\n'),
    ("debug odd/x --image=x", 'error: the server doesn\'t have a resource type "odd"\n'),
    ("debug -f nope.yaml --image=x", 'error: the path "nope.yaml" does not exist\n'),
    (
        "debug web --image=x -c web",
        'The Pod "web" is invalid: spec.ephemeralContainers[0].name: Duplicate value: "web"\n',
    ),
    (
        "debug web --image=x -c Bad_Name",
        (
            'The Pod "web" is invalid: spec.ephemeralContainers[0].name: Invalid value: "Bad_Name": a lowercase '
            "RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end "
            "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')\n"
        ),
    ),
]


@pytest.mark.parametrize(("line", "said"), REFUSED, ids=[line for line, _ in REFUSED])
def test_a_mistake_is_told_in_kubectls_words(sick: Desk, line: str, said: str) -> None:
    assert sick.run(*shlex.split(line)) == Outcome(1, "", said)


def _container(desk: Desk, name: str, *, pod: str = "web", part: str = "ephemeralContainers") -> dict[str, Any]:
    spec = json.loads(desk.run("get", "pod", pod, "-o", "json").stdout)["spec"]
    found: dict[str, Any] = next(one for one in spec[part] if one["name"] == name)
    for default in ("terminationMessagePath", "terminationMessagePolicy", "resources"):
        del found[default]
    return found


TRACING = {"capabilities": {"add": ["SYS_PTRACE"]}}
RESTRICTED = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        ("", {"securityContext": TRACING}),
        ("-- sh -c x", {"securityContext": TRACING, "command": ["sh", "-c", "x"]}),
        ("--arguments-only -- a b", {"securityContext": TRACING, "args": ["a", "b"]}),
        ("--env=A=b", {"securityContext": TRACING, "env": [{"name": "A", "value": "b"}]}),
        ("-it --attach=false", {"securityContext": TRACING, "stdin": True, "tty": True}),
        ("--image-pull-policy=Never", {"securityContext": TRACING, "imagePullPolicy": "Never"}),
        ("--profile=legacy", {}),
        ("--profile=baseline", {}),
        ("--profile=restricted", {"securityContext": RESTRICTED}),
        ("--profile=netadmin", {"securityContext": {"capabilities": {"add": ["NET_ADMIN", "NET_RAW"]}}}),
        ("--profile=sysadmin", {"securityContext": {"privileged": True}}),
        (
            "--custom=custom.yaml",
            {"securityContext": {**TRACING, "runAsUser": 0}, "env": [{"name": "CUSTOM", "value": "1"}]},
        ),
    ],
)
def test_a_container_is_added_to_a_pod_that_runs(sick: Desk, words: str, fields: dict[str, Any]) -> None:
    name = f"d{uuid.uuid4().hex[:8]}"
    done = sick.run("debug", "web", "--image=x", "-c", name, *words.split())
    said = "" if "legacy" not in words else "--profile=legacy is deprecated and planned to be removed in v1.39. "
    assert (done.code, done.stdout, done.stderr[: len(said)]) == (0, "", said)
    expected = {"name": name, "image": "x", "imagePullPolicy": "Always", **fields}
    assert _container(sick, name) == expected


def test_processes_of_another_container_are_shared(sick: Desk) -> None:
    said = (
        'Targeting container "web". If you don\'t see processes from this container it may be because the container '
        "runtime doesn't support this feature.\n"
    )
    assert sick.run("debug", "web", "--image=x", "-c", "sharing", "--target=web") == Outcome(0, said, "")
    assert _container(sick, "sharing")["targetContainerName"] == "web"
    quiet = sick.run("debug", "web", "--image=x", "--container=quiet", "--target=web", "-q")
    assert quiet == Outcome(0, "", "")


def test_a_container_without_a_name_gets_one(sick: Desk) -> None:
    done = sick.run("debug", "-f", "web.yaml", "--image=x")
    assert re.fullmatch(r"Defaulting debug container name to debugger-[b-z2-9]{5}\.\n", done.stdout)
    assert sick.run("debug", "--filename=web.yaml", "--image=x", "--quiet") == Outcome(0, "", "")


def test_capabilities_that_do_not_help_are_warned_of(sick: Desk) -> None:
    line = ("debug", "user", "--image=x")
    assert sick.run(*line, "-c", "one") == Outcome(0, "", NOT_ROOT)
    assert sick.run(*line, "-c", "two", "--profile=baseline") == Outcome(0, "", "")
    assert sick.run(*line, "-c", "three", "--custom=custom.yaml") == Outcome(0, "", "")
    assert sick.run(*line, "-c", "four", "--copy-to=user-copy") == Outcome(0, "", NOT_ROOT)


def _copy(desk: Desk, *words: str) -> dict[str, Any]:
    name = f"copy-{uuid.uuid4().hex[:8]}"
    done = desk.run("debug", "web", f"--copy-to={name}", *words)
    assert done == Outcome(0, "", "")
    pod: dict[str, Any] = json.loads(desk.run("get", "pod", name, "-o", "json").stdout)
    return pod


PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def test_a_copy_has_another_container_and_nothing_that_finds_or_ends_it(sick: Desk) -> None:
    pod = _copy(sick, "--image=x", "-c", "dbg")
    assert "labels" not in pod["metadata"]
    assert "annotations" not in pod["metadata"]
    spec = pod["spec"]
    assert [one["name"] for one in spec["containers"]] == ["web", "side", "dbg"]
    assert not any(probe in one for one in spec["containers"] for probe in PROBES)
    assert (spec["shareProcessNamespace"], "nodeName" in spec, "ephemeralContainers" in spec) == (True, False, False)
    assert [one["name"] for one in spec["initContainers"]] == ["setup"]
    assert spec["containers"][2]["securityContext"] == TRACING


@pytest.mark.parametrize(
    ("flag", "path", "value"),
    [
        ("--keep-labels", ("metadata", "labels"), {"app": "web"}),
        ("--keep-annotations", ("metadata", "annotations"), {"note": "x"}),
        ("--same-node", ("spec", "nodeName"), "somewhere"),
        ("--share-processes=false", ("spec", "shareProcessNamespace"), False),
        ("--keep-init-containers=false", ("spec", "initContainers"), None),
    ],
)
def test_what_a_copy_keeps_is_up_to_its_flags(sick: Desk, flag: str, path: tuple[str, str], value: Any) -> None:
    assert _copy(sick, "--image=x", "-c", "dbg", flag)[path[0]].get(path[1]) == value


@pytest.mark.parametrize(
    ("flag", "probe"),
    [
        ("--keep-liveness", "livenessProbe"),
        ("--keep-readiness", "readinessProbe"),
        ("--keep-startup", "startupProbe"),
    ],
)
def test_a_copy_may_keep_one_kind_of_probe(sick: Desk, flag: str, probe: str) -> None:
    web = _copy(sick, "--image=x", "-c", "dbg", flag)["spec"]["containers"][0]
    assert [name for name in PROBES if name in web] == [probe]


def test_a_container_of_the_copy_is_changed(sick: Desk) -> None:
    web = _copy(sick, "-c", "web", "--env=A=b", "--image-pull-policy=Never", "--", "sh")["spec"]["containers"][0]
    assert (web["command"], "args" in web, web["env"]) == (["sh"], False, [{"name": "A", "value": "b"}])
    assert (web["image"], web["imagePullPolicy"]) == ("web:1", "Never")
    web = _copy(sick, "-c", "web", "--arguments-only", "-i", "--attach=false", "--", "x")["spec"]["containers"][0]
    assert (web["args"], web["stdin"]) == (["x"], True)


def test_images_of_a_copy_are_set_and_then_all_else_stays(sick: Desk) -> None:
    pod = _copy(sick, "--set-image=*=all:1,side=one:1")
    assert [one["image"] for one in pod["spec"]["containers"]] == ["all:1", "one:1"]
    assert pod["metadata"]["labels"] == {"app": "web"}
    assert "livenessProbe" in pod["spec"]["containers"][0]


def test_a_profile_reaches_into_a_container_of_the_copy(sick: Desk) -> None:
    own = _copy(sick, "-c", "side", "--image=x")["spec"]["containers"][1]["securityContext"]
    assert own == {"runAsUser": 5, "capabilities": {"add": ["KILL", "SYS_PTRACE"]}}
    cut = _copy(sick, "-c", "side", "--image=x", "--profile=restricted")["spec"]["containers"][1]
    assert cut["securityContext"] == RESTRICTED


def test_a_copy_takes_the_place_of_the_original(sick: Desk) -> None:
    sick.run("debug", "user", "--copy-to=old", "--set-image=*=x")
    assert sick.run("debug", "old", "--copy-to=new", "--set-image=*=x", "--replace") == Outcome(0, "", "")
    assert sick.run("get", "pods", "old").stderr == 'Error from server (NotFound): pods "old" not found\n'


@pytest.mark.parametrize(
    ("profile", "host", "mounts"),
    [("general", True, True), ("sysadmin", True, True), ("netadmin", True, False), ("restricted", False, False)],
)
def test_a_pod_on_a_node_sees_the_node(sick: Desk, profile: str, host: bool, mounts: bool) -> None:  # noqa: FBT001 - given by name above
    node = f"node-{uuid.uuid4().hex[:8]}"
    sick.write("node.yaml", f"apiVersion: v1\nkind: Node\nmetadata:\n  name: {node}\n")
    sick.run("create", "-f", "node.yaml")
    done = sick.run("debug", f"node/{node}", "--image=x", f"--profile={profile}", "--env=A=b", "--", "sh")
    said = re.fullmatch(
        rf"Creating debugging pod (node-debugger-{node}-\w+) with container debugger on node {node}\.\n", done.stdout
    )
    assert said, done
    pod = json.loads(sick.run("get", "pod", said[1], "-o", "json").stdout)
    spec, container = pod["spec"], pod["spec"]["containers"][0]
    assert pod["metadata"]["labels"] == {"app.kubernetes.io/managed-by": "kubectl-debug"}
    assert (spec["nodeName"], spec["restartPolicy"]) == (node, "Never")
    assert {"operator": "Exists"} in spec["tolerations"]
    assert [spec.get(name, False) for name in ("hostNetwork", "hostPID", "hostIPC")] == [host] * 3
    assert (container["command"], container["env"]) == (["sh"], [{"name": "A", "value": "b"}])
    assert ({"mountPath": "/host", "name": "host-root"} in container.get("volumeMounts", [])) == mounts
    sick.run("delete", "node", node)


# Staying with it.


@pytest.fixture(scope="module")
def starting() -> Iterator[StartingKubelet]:
    fake = StartingKubelet()
    fake.start()
    yield fake
    fake.stop()


@pytest.fixture
def talk(starting: StartingKubelet, tmp_path: Path) -> Talk:
    return Talk(starting, tmp_path)


def test_what_is_typed_goes_to_the_new_container(talk: Talk) -> None:
    done = talk("debug", "one", "--image=x", "-c", "dbg", "--stdin", stdin=b"typed\n")
    assert done == Outcome(0, "typed\n", RECORDED)
    attach = "GET /api/v1/namespaces/default/pods/one/attach?container=dbg&stderr=true&stdin=true&stdout=true"
    assert talk.kubelet.requests[-1] == attach
    patch = next(one for one in talk.kubelet.asked if one.method == "PATCH")
    assert patch.header("content-type") == "application/strategic-merge-patch+json"
    assert [one["name"] for one in json.loads(patch.body)["spec"]["ephemeralContainers"]] == ["dbg"]


def test_what_it_says_is_heard_without_typing(talk: Talk) -> None:
    assert talk("debug", "two", "--image=x", "-c", "dbg", "--attach", "-q") == Outcome(0, "attached\n", "")


def test_of_a_container_that_has_ended_only_the_log_is_left(talk: Talk) -> None:
    done = talk("debug", "two", "--image=over", "-c", "short", "-i")
    assert done == Outcome(0, "".join(f"two short says {number}\n" for number in range(3)), "")


def test_a_copy_is_joined(talk: Talk) -> None:
    assert talk("debug", "one", "--copy-to=twin", "--image=x", "-c", "dbg", "-iq", stdin=b"x") == Outcome(0, "x", "")
    assert "pods/twin/attach?container=dbg&" in talk.kubelet.requests[-1]


@pytest.mark.parametrize("flags", [("-it",), ("-i", "--tty")])
def test_a_shell_beside_the_processes(talk: Talk, flags: tuple[str, ...]) -> None:
    name = f"shell{len(flags)}"
    with talk.on_a_terminal("debug", "one", "--image=x", "-c", name, *flags) as terminal:
        terminal.wait_for("pressing enter.\r\n")
        terminal.type("abc\r")
        terminal.wait_for("abc\r\nabc\r\n")
        terminal.type("\x04")
        assert terminal.rest().endswith(
            "Session ended, the ephemeral container will not be restarted but may be reattached using "
            f"'kctl attach one -c {name} -n default -i -t' if it is still running\n"
        )
