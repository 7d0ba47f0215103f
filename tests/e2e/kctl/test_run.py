"""`kctl run`: the pod that is made, and staying with it while it runs."""

from __future__ import annotations

import json
import shlex
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.create.words import with_flags
from tests.e2e.kctl.desk import Desk
from tests.e2e.streaming.fake_starting import StartingKubelet
from tests.e2e.streaming.talking import Talk
from tests.e2e.up.machine import Machine

RECORDED = (
    "All commands and output from this session will be recorded in container logs, including credentials and "
    "sensitive information passed through the command prompt.\n"
    "If you don't see a command prompt, try pressing enter.\n"
)


@pytest.fixture(scope="module")
def room(plane: Machine, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A namespace in which pods can be made."""
    desk = Desk(plane, f"run-{uuid.uuid4().hex[:8]}", tmp_path_factory.mktemp("run"))
    plane.kctl("create", "namespace", desk.namespace)
    desk.run("create", "serviceaccount", "default")  # if nobody has been faster
    return desk


MADE = [
    (
        "run p --image=x",
        """\
apiVersion: v1
kind: Pod
metadata:
  labels:
    run: p
  name: p
  namespace: <ns>
spec:
  containers:
  - image: x
    name: p
    resources: {}
  dnsPolicy: ClusterFirst
  restartPolicy: Always
status: {}
""",
    ),
    (
        "run p --image=x --env=A=b --env=C= --port=80 --labels=a=b,c=d --annotations=k=v --annotations=l=w",
        """\
apiVersion: v1
kind: Pod
metadata:
  annotations:
    k: v
    l: w
  labels:
    a: b
    c: d
  name: p
  namespace: <ns>
spec:
  containers:
  - env:
    - name: A
      value: b
    - name: C
    image: x
    name: p
    ports:
    - containerPort: 80
    resources: {}
  dnsPolicy: ClusterFirst
  restartPolicy: Always
status: {}
""",
    ),
    (
        "run p --image=x --restart=Never --image-pull-policy=Always --privileged -- a b",
        """\
apiVersion: v1
kind: Pod
metadata:
  labels:
    run: p
  name: p
  namespace: <ns>
spec:
  containers:
  - args:
    - a
    - b
    image: x
    imagePullPolicy: Always
    name: p
    resources: {}
    securityContext:
      privileged: true
  dnsPolicy: ClusterFirst
  restartPolicy: Never
status: {}
""",
    ),
    (
        "run p --image=x --restart=OnFailure -l a=b --command -- sh -c 'x y'",
        """\
apiVersion: v1
kind: Pod
metadata:
  labels:
    a: b
  name: p
  namespace: <ns>
spec:
  containers:
  - command:
    - sh
    - -c
    - x y
    image: x
    name: p
    resources: {}
  dnsPolicy: ClusterFirst
  restartPolicy: OnFailure
status: {}
""",
    ),
    (
        "run p --image=x -it --attach=false --restart=",
        """\
apiVersion: v1
kind: Pod
metadata:
  labels:
    run: p
  name: p
  namespace: <ns>
spec:
  containers:
  - image: x
    name: p
    resources: {}
    stdin: true
    stdinOnce: true
    tty: true
  dnsPolicy: ClusterFirst
  restartPolicy: OnFailure
status: {}
""",
    ),
    (
        "run p --image=x --stdin --leave-stdin-open --attach=false",
        """\
apiVersion: v1
kind: Pod
metadata:
  labels:
    run: p
  name: p
  namespace: <ns>
spec:
  containers:
  - image: x
    name: p
    resources: {}
    stdin: true
  dnsPolicy: ClusterFirst
  restartPolicy: Always
status: {}
""",
    ),
    (
        "run p --image=x --tty -i --attach=false -q",
        """\
apiVersion: v1
kind: Pod
metadata:
  labels:
    run: p
  name: p
  namespace: <ns>
spec:
  containers:
  - image: x
    name: p
    resources: {}
    stdin: true
    stdinOnce: true
    tty: true
  dnsPolicy: ClusterFirst
  restartPolicy: Always
status: {}
""",
    ),
    (
        "run p --image=x --port=80 --expose -l a=b",
        """\
apiVersion: v1
kind: Pod
metadata:
  labels:
    a: b
  name: p
  namespace: <ns>
spec:
  containers:
  - image: x
    name: p
    ports:
    - containerPort: 80
    resources: {}
  dnsPolicy: ClusterFirst
  restartPolicy: Always
status: {}
---
apiVersion: v1
kind: Service
metadata:
  labels:
    a: b
  name: p
  namespace: <ns>
spec:
  ports:
  - port: 80
    protocol: TCP
    targetPort: 80
  selector:
    a: b
status:
  loadBalancer: {}
""",
    ),
    (
        'run p --image=x --overrides=\'{"spec":{"hostNetwork":true,"odd":1}}\'',
        """\
apiVersion: v1
kind: Pod
metadata:
  labels:
    run: p
  name: p
  namespace: <ns>
spec:
  containers:
  - image: x
    name: p
    resources: {}
  dnsPolicy: ClusterFirst
  hostNetwork: true
  restartPolicy: Always
status: {}
""",
    ),
    (
        (
            'run p --image=x --env=A=1 --overrides=\'{"spec":{"containers":[{"name":"p","env":[{"name":"B"}]}]}}\' '
            "--override-type=strategic"
        ),
        """\
apiVersion: v1
kind: Pod
metadata:
  labels:
    run: p
  name: p
  namespace: <ns>
spec:
  containers:
  - env:
    - name: B
    - name: A
      value: "1"
    image: x
    name: p
    resources: {}
  dnsPolicy: ClusterFirst
  restartPolicy: Always
status: {}
""",
    ),
    (
        'run p --image=x --overrides=\'[{"op":"add","path":"/spec/nodeName","value":"n"}]\' --override-type=json',
        """\
apiVersion: v1
kind: Pod
metadata:
  labels:
    run: p
  name: p
  namespace: <ns>
spec:
  containers:
  - image: x
    name: p
    resources: {}
  dnsPolicy: ClusterFirst
  nodeName: "n"
  restartPolicy: Always
status: {}
""",
    ),
    (
        "run p --image=x --cascade=orphan --force --grace-period=5 --timeout=3s --wait -k x -R",
        """\
apiVersion: v1
kind: Pod
metadata:
  labels:
    run: p
  name: p
  namespace: <ns>
spec:
  containers:
  - image: x
    name: p
    resources: {}
  dnsPolicy: ClusterFirst
  restartPolicy: Always
status: {}
""",
    ),
]


@pytest.mark.parametrize(("line", "expected"), MADE, ids=[line for line, _ in MADE])
def test_a_pod_is_made_up(room: Desk, line: str, expected: str) -> None:
    """The last line's flags are about deleting it, which is only done with --rm; files have never been read here."""
    assert room.run(*with_flags(line, "--dry-run=client", "-o", "yaml")) == Outcome(0, expected, "")


REFUSED = [
    ("run", 'error: required flag(s) "image" not set\n'),
    ("run p", 'error: required flag(s) "image" not set\n'),
    ("run --image=x", "error: NAME is required for run\n"),
    ("run p --image=", "error: --image is required\n"),
    ("run p --image=Bad:::", 'error: invalid image name "Bad:::": invalid reference format\n'),
    ("run p --image=x --env=A", "error: invalid env: A\n"),
    ("run p --image=x --env=1A=b", "error: invalid env: 1A=b\n"),
    ("run p --image=x -l a", "error: unexpected label spec: a\n"),
    ("run p --image=x --labels=a=b=c", "error: unexpected label spec: a=b=c\n"),
    ("run p --image=x --annotations=a", "error: invalid annotations format: a\n"),
    ("run p --image=x --port=x", "error: --port must be a number\n"),
    ("run p --image=x --expose", "error: --port must be set when exposing a service\n"),
    (
        "run p --image=x --restart=odd",
        "error: invalid restart policy: odd, valid values are: Always, OnFailure, Never\n",
    ),
    (
        "run p --image=x --image-pull-policy=odd",
        "error: invalid image pull policy: odd, valid values are: Always, IfNotPresent, Never\n",
    ),
    ("run p --image=x -t", "error: -i/--stdin is required for containers with -t/--tty=true\n"),
    ("run p --image=x --rm", "error: --rm should only be used for attached containers\n"),
    (
        "run p --image=x -i --dry-run=client",
        (
            "error: --dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, "
            "or --tty)\n"
        ),
    ),
    (
        "run p --image=x --attach --dry-run=server",
        (
            "error: --dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, "
            "or --tty)\n"
        ),
    ),
    ("run p --image=x --pod-running-timeout=0", "error: --pod-running-timeout must be higher than zero\n"),
    (
        "run p --image=x --cascade=odd",
        'error: invalid cascade value (odd). Must be "background", "foreground", or "orphan"\n',
    ),
    (
        "run p --image=x --grace-period=x",
        """\
error: invalid argument "x" for "--grace-period" flag: strconv.ParseInt: parsing "x": invalid syntax
See 'kctl run --help' for usage.
""",
    ),
    (
        "run p --image=x --timeout=x",
        """\
error: invalid argument "x" for "--timeout" flag: time: invalid duration "x"
See 'kctl run --help' for usage.
""",
    ),
    ("run p --image=x --dry-run=odd", 'error: Invalid dry-run value (odd). Must be "none", "server", or "client".\n'),
    ("run p --image=x --overrides='{bad'", "error: Invalid JSON Patch\n"),
    (
        "run p --image=x --overrides='[]'",
        (
            "error: couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of "
            'type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string '
            '"json:\\"kind,omitempty\\"" }\n'
        ),
    ),
    ("run p --image=x --overrides='{bad' --override-type=strategic", "error: invalid JSON document\n"),
    (
        "run p --image=x --overrides='{}' --override-type=json",
        "error: json: cannot unmarshal object into Go value of type jsonpatch.Patch\n",
    ),
    ("run p --image=x --overrides='{}' --override-type=odd", "error: invalid override type: odd\n"),
    (
        "run P --image=x",
        (
            'The Pod "P" is invalid: \n'
            '* metadata.name: Invalid value: "P": a lowercase RFC 1123 subdomain must consist of lower case '
            "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. "
            "'example.com', regex used for validation is "
            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')\n"
            '* spec.containers[0].name: Invalid value: "P": a lowercase RFC 1123 label must consist of lower '
            "case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. "
            "'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')\n"
        ),
    ),
]


@pytest.mark.parametrize(("line", "said"), REFUSED, ids=[line for line, _ in REFUSED])
def test_a_mistake_is_told_in_kubectls_words(room: Desk, line: str, said: str) -> None:
    assert room.run(*shlex.split(line)) == Outcome(1, "", said)


def test_a_file_is_not_read_and_that_is_said(room: Desk) -> None:
    why = "has been deprecated, it is ignored by kubectl run and will be removed in a future release\n"
    made = "pod/p created (dry run)\n"
    line = ("run", "p", "--image=x", "--dry-run=client")
    assert room.run(*line, "--filename=x.yaml") == Outcome(0, made, f"Flag --filename {why}")
    assert room.run(*line, "-f", "x.yaml") == Outcome(0, made, f"Flag shorthand -f {why}Flag --filename {why}")


def test_a_pod_and_its_service_are_made(room: Desk) -> None:
    line = ("run", "web", "--image=x", "--port=80", "--expose")
    assert room.run(*line, "--dry-run=server").stdout == (
        "pod/web created (server dry run)\nservice/web created (server dry run)\n"
    )
    assert room.run(*line) == Outcome(0, "pod/web created\nservice/web created\n", "")
    assert room.run(*line) == Outcome(1, "", 'Error from server (AlreadyExists): pods "web" already exists\n')
    room.run("delete", "pod", "web", "--force")
    there = 'Error from server (AlreadyExists): services "web" already exists\n'
    assert room.run(*line) == Outcome(1, "pod/web created\n", there)


def test_who_made_it_and_what_was_asked_for_is_remembered(room: Desk) -> None:
    line = "run kept --image=x --save-config --record --field-manager=me --show-managed-fields -o json"
    done = room.run(*line.split())
    assert done.stderr == "Flag --record has been deprecated, --record will be removed in the future\n"
    metadata = json.loads(done.stdout)["metadata"]
    assert [one["manager"] for one in metadata["managedFields"]] == ["me"]
    saved = json.loads(metadata["annotations"]["kubectl.kubernetes.io/last-applied-configuration"])
    assert list(saved["spec"]) == ["containers", "restartPolicy", "dnsPolicy"]
    assert metadata["annotations"]["kubernetes.io/change-cause"].startswith("kctl run kept --")


def test_templates_choose_what_is_shown(room: Desk) -> None:
    line = ("run", "p", "--image=x", "--dry-run=client")
    assert room.run(*line, "--template={{.kind}}{{.nope}}") == Outcome(0, "Pod<no value>", "")
    strict = room.run(*line, "-o", "jsonpath={.nope}", "--allow-missing-template-keys=false")
    assert strict.code == 1


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


def _log(name: str) -> str:
    return "".join(f"{name} {name} says {number}\n" for number in range(3))


def test_what_the_process_has_said_comes_first_and_then_what_it_says(talk: Talk) -> None:
    assert talk("run", "one", "--image=x", "--attach") == Outcome(0, f"{_log('one')}attached\n", RECORDED)
    assert [line for line in talk.kubelet.requests if "/one" in line or "%3Done" in line] == [
        "GET /api/v1/namespaces/default/pods?fieldSelector=metadata.name%3Done",
        "GET /api/v1/namespaces/default/pods/one/log?container=one",
        "GET /api/v1/namespaces/default/pods/one/attach?container=one&stderr=true&stdout=true",
    ]


def test_what_is_typed_goes_there_and_the_pod_is_gone_afterwards(talk: Talk) -> None:
    done = talk("run", "two", "--image=x", "-i", "--rm", "--restart=Never", stdin=b"typed\n")
    assert done == Outcome(0, f'{_log("two")}typed\npod "two" deleted from default namespace\n', RECORDED)
    assert "/api/v1/namespaces/default/pods/two" not in talk.kubelet.objects
    deletion = json.loads(talk.kubelet.asked[-1].body)
    assert deletion["propagationPolicy"] == "Background"


def test_the_service_goes_with_it_as_one_wants(talk: Talk) -> None:
    flags = ("--attach", "--rm", "--port=80", "--expose", "--cascade=foreground")
    done = talk("run", "three", "--image=x", *flags)
    gone = 'pod "three" deleted from default namespace\nservice "three" deleted from default namespace\n'
    assert done == Outcome(0, f"{_log('three')}attached\n{gone}", RECORDED)
    assert json.loads(talk.kubelet.asked[-1].body)["propagationPolicy"] == "Foreground"


@pytest.mark.parametrize("quiet", ["-q", "--quiet"])
def test_its_exit_code_is_ours_and_nothing_else_is_said(talk: Talk, quiet: str) -> None:
    done = talk("run", "four", "--image=fails", "-i", "--rm", quiet, "--restart=Never", stdin=b"typed\n")
    assert done == Outcome(7, f"{_log('four')}typed\n", "pod default/four terminated (Error)\nit had to be\n")


def test_a_pod_that_fails_without_a_code_is_told(talk: Talk) -> None:
    done = talk("run", "five", "--image=breaks", "--attach", "-q", "--restart=Never")
    assert done == Outcome(1, f"{_log('five')}attached\n", "error: pod default/five failed with unknown exit code\n")


@pytest.mark.parametrize("flags", [("--restart=Always",), ("--restart=Never", "--leave-stdin-open")])
def test_nobody_waits_for_a_pod_that_goes_on(talk: Talk, flags: tuple[str, ...]) -> None:
    """It failed, but that is not asked for."""
    done = talk("run", "six", "--image=fails", "-iq", *flags)
    assert done == Outcome(0, _log("six"), "")


def test_where_nobody_may_attach_the_log_has_to_do(talk: Talk) -> None:
    done = talk("run", "seven", "--image=refuses", "--attach", "-q")
    said = "warning: couldn't attach to pod/seven, falling back to streaming logs: unable to upgrade connection: "
    assert done == Outcome(0, _log("seven") * 2, f"{said}nobody may attach\n")
    assert "pods/seven/log?container=seven&sinceTime=20" in talk.kubelet.requests[-1]


def test_of_a_pod_that_is_over_only_the_log_is_left(talk: Talk) -> None:
    assert talk("run", "eight", "--image=over", "-it", "--restart=OnFailure") == Outcome(0, _log("eight"), "")


def test_a_pod_that_does_not_begin_is_not_waited_for_for_ever(talk: Talk) -> None:
    done = talk("run", "nine", "--image=waits", "--attach", "--rm", "--pod-running-timeout=200ms")
    gone = 'pod "nine" deleted from default namespace\n'
    assert done == Outcome(1, gone, "error: timed out waiting for the condition\n")


@pytest.mark.parametrize(("flags", "keys"), [((), "\x10\x11"), (("--detach-keys=ctrl-a,x",), "\x01x")])
def test_a_shell_is_left_by_its_keys(talk: Talk, flags: tuple[str, ...], keys: str) -> None:
    with talk.on_a_terminal("run", "ten", "--image=x", "-it", "--rm", "--restart=Never", *flags) as terminal:
        terminal.wait_for("pressing enter.\r\n")
        terminal.type("abc\r")
        terminal.wait_for("abc\r\nabc\r\n")
        terminal.type(keys)
        ended = "Session ended, resume using 'kctl attach ten -c ten -n default -i -t' command\n"
        assert terminal.rest().endswith(f'{ended}pod "ten" deleted from default namespace\n')
        assert terminal.exit_code() == 0


def test_the_first_of_several_containers_is_joined_and_that_is_said(talk: Talk) -> None:
    more = '{"spec":{"containers":[{"name":"a","image":"x"},{"name":"b","image":"x"}]}}'
    done = talk("run", "eleven", "--image=x", "--attach", f"--overrides={more}")
    defaulted = 'Defaulted container "a" out of: a, b\n'
    log = _log("eleven").replace("eleven eleven", "eleven a")
    assert done == Outcome(0, f"{log}attached\n", defaulted * 2 + RECORDED)
