"""Suites that use envtest run on the folder that `kctl envtest` prepares: what envtest does, done to it."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from localplane.apiserver.storage.etcd.program.binary import EtcdNotFound, find_etcd
from localplane.cli.envtest import EmbeddedStorage, prepare
from tests.e2e.envtest.suite import Environment, User, free_port, running
from tests.e2e.up.machine import until

CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "crons.example.com"},
    "spec": {
        "group": "example.com",
        "names": {"plural": "crons", "kind": "Cron"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}
ADMIN = ("system:masters",)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        directory = tmp_path_factory.mktemp("cache")
        patch.setenv("XDG_CACHE_HOME", str(directory))
        yield directory


@pytest.fixture(scope="module")
def embedded(cache: Path) -> Path:
    return prepare(embedded=EmbeddedStorage.SQLITE).directory


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Environment]:
    """On a real etcd, as most suites have it."""
    try:
        etcd = find_etcd().path
    except EtcdNotFound as error:
        pytest.skip(str(error))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("assets")))
        assets = prepare(etcd=etcd).directory
    directory = tmp_path_factory.mktemp("audit")
    (directory / "policy.yaml").write_text("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n")
    with running(
        assets,
        feature_gates=["WatchList=false"],
        delete_collection_workers=["4"],
        audit_policy_file=[str(directory / "policy.yaml")],
        audit_log_path=[str(directory / "audit.log")],
    ) as started:
        yield started


@pytest.fixture(scope="module")
def admin(environment: Environment) -> User:
    return environment.add_user("admin", ADMIN)


def test_a_user_is_who_the_certificate_says_and_may_do_what_roles_say(environment: Environment, admin: User) -> None:
    joe = environment.add_user("joe", ["developers"])
    refused = joe.ask("GET", "/api/v1/namespaces/default/secrets")
    assert refused.status == 403
    assert 'User "joe" cannot list resource "secrets"' in refused.body["message"]
    version, metadata = "rbac.authorization.k8s.io/v1", {"name": "developers", "namespace": "default"}
    rules = [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["list"]}]
    role = {"apiVersion": version, "kind": "Role", "metadata": metadata, "rules": rules}
    assert admin.ask("POST", f"/apis/{version}/namespaces/default/roles", role).status == 201
    binding = {
        "apiVersion": version,
        "kind": "RoleBinding",
        "metadata": metadata,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "developers"},
        "subjects": [{"kind": "Group", "name": "developers", "apiGroup": "rbac.authorization.k8s.io"}],
    }
    assert admin.ask("POST", f"/apis/{version}/namespaces/default/rolebindings", binding).status == 201
    assert joe.ask("GET", "/api/v1/namespaces/default/secrets").status == 200


def test_tokens_are_signed_with_the_suite_s_own_key(environment: Environment, admin: User) -> None:
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}}
    assert admin.ask("POST", "/api/v1/namespaces/default/serviceaccounts", account).status == 201
    path = "/api/v1/namespaces/default/serviceaccounts/robot/token"
    token = admin.ask("POST", path, {"spec": {"expirationSeconds": 600}}).body["status"]["token"]
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}}
    status = admin.ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review).body["status"]
    assert status["user"]["username"] == "system:serviceaccount:default:robot"
    assert status["audiences"] == [f"{environment.url}/"]
    assert environment.holder_of(token).ask("GET", "/api").status == 200
    assert environment.holder_of(token[:-4] + "AAAA").ask("GET", "/api").status == 401
    keys = admin.ask("GET", "/openid/v1/jwks").body["keys"]
    assert [(key["kty"], key["crv"], key["alg"]) for key in keys] == [("EC", "P-256", "ES256")]


def test_definitions_are_served(admin: User) -> None:
    assert admin.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", CRD).status == 201
    cron = {"apiVersion": "example.com/v1", "kind": "Cron", "metadata": {"name": "a"}, "spec": {"n": 1}}
    assert admin.ask("POST", "/apis/example.com/v1/namespaces/default/crons", cron).status == 201


def test_nothing_is_made_or_finalised_behind_a_suite_s_back(admin: User) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "stays"}}
    assert admin.ask("POST", "/api/v1/namespaces", namespace).status == 201
    assert admin.ask("GET", "/api/v1/namespaces/stays/serviceaccounts").body["items"] == []
    assert admin.ask("DELETE", "/api/v1/namespaces/stays").status == 200
    assert admin.ask("GET", "/api/v1/namespaces/stays").body["status"]["phase"] == "Terminating"
    assert admin.ask("GET", "/api/v1/nodes").body["items"] == []


def test_other_servers_are_told_the_suite_s_authority(environment: Environment, admin: User) -> None:
    path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"
    told = admin.ask("GET", path).body["data"]["client-ca-file"]
    assert told.strip() == environment.user_authority.pem.decode().strip()


def test_what_has_no_effect_is_said(environment: Environment) -> None:
    assert "kube-apiserver: --feature-gates: WatchList has no effect: it is on here\n" in environment.log
    assert "kube-apiserver: --delete-collection-workers has no effect: " in environment.log


def test_what_was_asked_is_in_the_audit_log(environment: Environment) -> None:
    assert environment.add_user("auditor").ask("GET", "/api/v1/nodes?limit=7").status == 403
    [log] = environment.extra["audit-log-path"]
    until(lambda: '"requestURI":"/api/v1/nodes?limit=7"' in Path(log).read_text())


def test_kubectl_works_beside_it(environment: Environment) -> None:
    done = subprocess.run(
        [
            environment.assets / "kubectl",
            "--kubeconfig",
            environment.kubeconfig("cli", ADMIN),
            "get",
            "ns",
            "-o",
            "name",
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "namespace/kube-system\n" in done.stdout


def test_embedded_data_outlives_the_server_and_ends_with_etcd_s_directory(embedded: Path) -> None:
    with running(embedded) as environment:
        admin = environment.add_user("admin", ADMIN)
        config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kept"}}
        assert admin.ask("POST", "/api/v1/namespaces/default/configmaps", config_map).status == 201
        assert environment.stop_apiserver() == 0
        environment.start_apiserver()
        assert admin.ask("GET", "/api/v1/namespaces/default/configmaps/kept").status == 200
        assert environment.anonymous().ask("GET", "/api").status == 403
    assert not environment.directory.exists()


def failed(assets: Path, *arguments: str) -> str:
    done = subprocess.run(
        [assets / "kube-apiserver", *arguments], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr


def test_a_port_in_use_is_one_sentence(embedded: Path, cache: Path) -> None:
    stand_in = Environment(embedded)
    stand_in.start_etcd()
    try:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            said = failed(
                embedded, f"--etcd-servers={stand_in.etcd_url}", f"--secure-port={port}", "--allow-privileged"
            )
        assert said.splitlines()[-1] == f"Error: cannot listen on 127.0.0.1:{port}: Address already in use"
    finally:
        stand_in.stop()


def test_the_stand_in_s_server_takes_no_other_etcd(embedded: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    said = failed(embedded, f"--etcd-servers={url}", "--allow-privileged", "--authorization-mode=RBAC")
    assert said == (
        f"Error: --etcd-servers {url} is no stand-in for etcd: this kube-apiserver goes with the etcd beside it, both "
        "made by `kctl envtest --embedded`\n"
    )
