"""What kctl sends to a server that is not ours: paths, queries, headers and bodies are kubectl's.

Where kubectl asks for protobuf and JSON, or for JSON and anything, kctl asks for JSON; where kubectl sends a new object
as protobuf, kctl sends JSON. It does not ask for the server's OpenAPI only to see whether it validates fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import Kctl
from tests.e2e.kctl.foreign_server import Asked, ForeignServer, serving
from tests.e2e.kctl.tunnel import tunnelling

JSON = "application/json"
TABLE = f"{JSON};as=Table;v=v1;g=meta.k8s.io,{JSON};as=Table;v=v1beta1;g=meta.k8s.io,{JSON}"
AGGREGATED = f"{JSON};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,{JSON}"
MERGE, STRATEGIC, JSON_PATCH = (
    f"application/{kind}+json" for kind in ("merge-patch", "strategic-merge-patch", "json-patch")
)
APPLY = "application/apply-patch+yaml"
V1 = "/api/v1/namespaces/default"
CM, PO, SVC = f"{V1}/configmaps", f"{V1}/pods", f"{V1}/services"
APPS = "/apis/apps/v1/namespaces/default/deployments"
HPA = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
CSR = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\ndata:\n  x: "2"\n'
STRICT = "fieldValidation=Strict"
OF_A = "%2C".join(
    f"involvedObject.{name}%3D{value}"
    for name, value in (("kind", "ConfigMap"), ("name", "a"), ("namespace", "default"), ("uid", "uid-a"))
)
GONE = '{"propagationPolicy":"Background"}'

READS: tuple[tuple[str, list[str]], ...] = (
    ("get cm", [f"GET {CM}?limit=500"]),
    ("get cm a", [f"GET {CM}/a"]),
    ("get cm a -o yaml", [f"GET {CM}/a"]),
    ("get cm none", [f"GET {CM}/none"]),
    ("get cm none -n other", ["GET /api/v1/namespaces/other/configmaps/none", "GET /api/v1/namespaces/other"]),
    ("get cm,po -l a=b", [f"GET {CM}?labelSelector=a%3Db&limit=500", f"GET {PO}?labelSelector=a%3Db&limit=500"]),
    (
        "get po -A --field-selector=status.phase=Running",
        ["GET /api/v1/pods?fieldSelector=status.phase%3DRunning&limit=500"],
    ),
    ("get po --chunk-size=0 -o json", [f"GET {PO}"]),
    ("get deploy web --subresource=scale", [f"GET {APPS}/web/scale"]),
    ("get --raw /api/v1/pods?limit=1&fieldSelector=x%3Dy", ["GET /api/v1/pods?fieldSelector=x%3Dy&limit=1"]),
    ("get -f old.yaml", [f"GET {CM}/a"]),
    ("get cm --request-timeout=5s", [f"GET {CM}?limit=500&timeout=5s"]),
    ("events", [f"GET {V1}/events?limit=500"]),
    ("version", ["GET /version?timeout=32s"]),
    ("logs p", [f"GET {PO}/p", f"GET {PO}/p/log?container=c"]),
    (
        "describe cm a",
        [
            f"GET {CM}/a",
            f"GET {CM}/a",
            f"GET {V1}/events?fieldSelector={OF_A}&limit=500",
        ],
    ),
)
WRITES: tuple[tuple[str, list[str]], ...] = (
    ("create -f new.yaml", [f"POST {CM}?fieldManager=kubectl-create&{STRICT} {JSON}"]),
    ("create cm b --from-literal=a=b", [f"POST {CM}?fieldManager=kubectl-create&{STRICT} {JSON}"]),
    ("create cm b --dry-run=server", [f"POST {CM}?dryRun=All&fieldManager=kubectl-create&{STRICT} {JSON}"]),
    ("apply -f new.yaml", [f"GET {CM}/b", f"POST {CM}?fieldManager=kubectl-client-side-apply&{STRICT} {JSON}"]),
    ("apply -f old.yaml --server-side", [f"PATCH {CM}/a?fieldManager=kubectl&{STRICT}&force=false {APPLY}"]),
    (
        "apply -f old.yaml --server-side --force-conflicts",
        [f"PATCH {CM}/a?fieldManager=kubectl&{STRICT}&force=true {APPLY}"],
    ),
    ("replace -f old.yaml", [f"GET {CM}/a", f"PUT {CM}/a?fieldManager=kubectl-replace&{STRICT} {JSON}"]),
    ("patch cm a -p {}", [f"GET {CM}/a", f"PATCH {CM}/a?fieldManager=kubectl-patch {STRATEGIC}"]),
    ("patch cm a --type=json -p []", [f"GET {CM}/a", f"PATCH {CM}/a?fieldManager=kubectl-patch {JSON_PATCH}"]),
    (
        "patch deploy web --type=merge --subresource=scale -p {}",
        [f"GET {APPS}/web/scale", f"PATCH {APPS}/web/scale?fieldManager=kubectl-patch {MERGE}"],
    ),
    ("label cm a x=y", [f"GET {CM}/a", f"PATCH {CM}/a?fieldManager=kubectl-label {MERGE}"]),
    ("annotate cm a x=y", [f"GET {CM}/a", f"PATCH {CM}/a?fieldManager=kubectl-annotate {MERGE}"]),
    ("scale deploy web --replicas=3", [f"GET {APPS}/web", f"PATCH {APPS}/web/scale {MERGE}"]),
    ("rollout restart deploy web", [f"GET {APPS}/web", f"PATCH {APPS}/web?fieldManager=kubectl-rollout {STRATEGIC}"]),
    ("rollout pause deploy web", [f"GET {APPS}/web", f"PATCH {APPS}/web?fieldManager=kubectl-rollout {STRATEGIC}"]),
    ("set image deploy/web c=x", [f"GET {APPS}/web", f"PATCH {APPS}/web?fieldManager=kubectl-set {STRATEGIC}"]),
    ("set env deploy/web A=B", [f"GET {APPS}/web", f"PATCH {APPS}/web?fieldManager=kubectl-set {STRATEGIC}"]),
    ("expose deploy web --port=80", [f"GET {APPS}/web", f"POST {SVC}?fieldManager=kubectl-expose {JSON}"]),
    ("autoscale deploy web --max=3", [f"GET {APPS}/web", f"POST {HPA}?fieldManager=kubectl-autoscale {JSON}"]),
    ("run r --image=nginx", [f"POST {PO}?fieldManager=kubectl-run {JSON}"]),
    ("delete cm a", [f"DELETE {CM}/a {JSON}", f"GET {CM}/a"]),
    ("delete cm a --wait=false", [f"DELETE {CM}/a {JSON}"]),
    ("delete cm --all", [f"GET {CM}", f"DELETE {CM}/a {JSON}", f"GET {CM}/a"]),
    ("cordon n", ["GET /api/v1/nodes/n", f"PATCH /api/v1/nodes/n {STRATEGIC}"]),
    (
        "taint node n a=b:NoSchedule",
        ["GET /api/v1/nodes/n", f"PATCH /api/v1/nodes/n?fieldManager=kubectl-taint&{STRICT} {STRATEGIC}"],
    ),
    ("certificate approve r", [f"GET {CSR}/r", f"GET {CSR}/r", f"PUT {CSR}/r/approval {JSON}"]),
    ("auth can-i get pods -A", [f"POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews {JSON}"]),
    ("auth whoami", [f"POST /apis/authentication.k8s.io/v1/selfsubjectreviews {JSON}"]),
)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ForeignServer]:
    (tmp_path / "old.yaml").write_text(CONFIG_MAP.format("a"))
    (tmp_path / "new.yaml").write_text(CONFIG_MAP.format("b"))
    with serving() as server:
        yield server


def after_discovery(server: ForeignServer) -> list[Asked]:
    return [one for one in server.seen if not one.target.startswith(("/api?", "/apis?"))]


@pytest.mark.parametrize(("line", "expected"), READS, ids=[line for line, _ in READS])
def test_what_is_asked_for(line: str, expected: list[str], server: ForeignServer, run_kctl: Kctl) -> None:
    run_kctl(*line.split(" "), "-s", server.url)
    assert [str(one) for one in after_discovery(server)] == expected


@pytest.mark.parametrize(("line", "expected"), WRITES, ids=[line for line, _ in WRITES])
def test_what_is_changed(line: str, expected: list[str], server: ForeignServer, run_kctl: Kctl) -> None:
    done = run_kctl(*line.split(" "), "-s", server.url)
    assert done.code == 0, done.stderr
    asked = after_discovery(server)
    shown = [f"{one} {one.headers.get('Content-Type', '')}".strip() for one in asked]
    assert shown == expected
    command = " ".join(
        ["kctl", *line.split(" ")[: 2 if line.startswith(("rollout", "set", "auth", "certificate")) else 1]]
    )
    for one in asked:
        assert one.headers["Kubectl-Command"].startswith(command)
        assert one.headers["Accept"] == JSON


@pytest.mark.parametrize(
    ("line", "body"),
    [
        ("delete cm a", GONE),
        ("delete cm a --cascade=orphan --wait=false", '{"propagationPolicy":"Orphan"}'),
        ("delete po p --force --wait=false", '{"gracePeriodSeconds":0,"propagationPolicy":"Background"}'),
        ("delete cm a --dry-run=server", '{"propagationPolicy":"Background","dryRun":["All"]}'),
        ("label cm a x=y", '{"metadata":{"labels":{"x":"y"}}}'),
        ("scale deploy web --replicas=3", '{"spec":{"replicas":3}}'),
        ("cordon n", '{"spec":{"unschedulable":true}}'),
        ('patch cm a -p {"data":{"z":"1"}}', '{"data":{"z":"1"}}'),
    ],
)
def test_a_body_says_what_kubectls_says(line: str, body: str, server: ForeignServer, run_kctl: Kctl) -> None:
    run_kctl(*line.split(" "), "-s", server.url)
    assert next(one.body for one in server.seen if one.body) == body


def test_a_table_is_asked_for_where_one_is_shown(server: ForeignServer, run_kctl: Kctl) -> None:
    done = run_kctl("get", "po", "-s", server.url)
    again = run_kctl("get", "pods", "-o", "json", "-s", server.url)
    assert (done.stdout, done.stderr) == ("NAME\np\n", "Warning: mind the gap\n")
    assert again.code == 0
    assert server.seen[0].headers["Accept"] == server.seen[1].headers["Accept"] == AGGREGATED
    headers = server.seen[2].headers
    assert headers["Accept"] == TABLE
    assert headers["User-Agent"].startswith("kubectl/v1.37.0+kctl.")
    assert headers["Kubectl-Command"] == "kctl get"
    assert len(headers["Kubectl-Session"]) == 36
    assert headers["Kubectl-Session"] == server.seen[0].headers["Kubectl-Session"]
    assert headers["Accept-Encoding"] == "gzip"
    assert server.seen[3].headers["Accept"] == JSON
    assert server.seen[3].headers["Kubectl-Session"] != headers["Kubectl-Session"]


@pytest.mark.parametrize(
    ("flags", "header", "value"),
    [
        (("--as", "jane"), "Impersonate-User", "jane"),
        (("--as", "jane", "--as-group", "g"), "Impersonate-Group", "g"),
        (("--as", "jane", "--as-uid", "7"), "Impersonate-Uid", "7"),
        (("--as", "jane", "--as-user-extra", "k=v"), "Impersonate-Extra-k", "v"),
        (("--disable-compression",), "Accept-Encoding", "identity"),
    ],
)
def test_a_global_flag_is_sent(flags: tuple[str, ...], header: str, value: str, run_kctl: Kctl) -> None:
    with serving() as server:
        assert run_kctl(*flags, "get", "po", "-s", server.url).code == 0
    assert {key.lower(): one for key, one in server.seen[-1].headers.items()}[header.lower()] == value


def test_warnings_can_be_errors(run_kctl: Kctl) -> None:
    with serving() as server:
        done = run_kctl("get", "pods", "--warnings-as-errors", "-s", server.url)
    assert (done.code, done.stderr) == (1, "Warning: mind the gap\nerror: 1 warning received\n")


def test_nobody_there_is_said_in_kubectls_words(run_kctl: Kctl) -> None:
    done = run_kctl("get", "pods", "-s", "http://127.0.0.1:1")
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr == (
        "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\n"
    )


def test_a_timeout_that_is_none_is_refused(run_kctl: Kctl) -> None:
    assert run_kctl("get", "pods", "--request-timeout=abc").stderr.startswith("error: Invalid timeout value.")


def test_a_proxy_is_asked_for_a_tunnel(run_kctl: Kctl) -> None:
    with serving() as server, tunnelling() as proxy:
        done = run_kctl("get", "po", "-s", server.url, "--proxy-url", proxy.url)
    assert done.stdout == "NAME\np\n"
    assert proxy.asked == [server.url.removeprefix("http://")]
