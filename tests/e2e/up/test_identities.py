"""Who is let in, who is asked, and in whose name tokens are signed: one plane that is told all of it by its flags.

A server of the test's own plays OpenID provider and both webhooks.
"""

from __future__ import annotations

import base64
import json
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from localplane.apiserver.authentication.jwt import PrivateKey, SigningKey, parse
from tests.e2e.envtest.suite import TinyCA, User, free_port, private_pem
from tests.e2e.up.machine import Machine, machine


def _pem(key: PrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


@dataclass(slots=True)
class Outsider:
    """Answers reviews, and publishes keys. `reviews` are those that it was asked."""

    url: str
    reviews: list[dict[str, Any]] = field(default_factory=list)
    provider: SigningKey = field(
        default_factory=lambda: SigningKey(rsa.generate_private_key(public_exponent=65537, key_size=2048))
    )

    def published(self, path: str) -> dict[str, Any]:
        if path == "/.well-known/openid-configuration":
            return {"issuer": self.url, "jwks_uri": f"{self.url}/keys"}
        return {"keys": [self.provider.public.jwk()]}

    def status(self, review: dict[str, Any]) -> dict[str, Any]:
        self.reviews.append(review)
        spec = review["spec"]
        if review["kind"] == "TokenReview":
            known = spec["token"] == "from-the-webhook"
            user = {"username": "hooked", "groups": ["hooks"], "extra": {"Team": ["a"]}}
            return {"authenticated": known, "user": user if known else {}}
        return {"allowed": spec["user"] == "hooked", "reason": "the test says so"}


@pytest.fixture(scope="module")
def authority() -> TinyCA:
    return TinyCA()


@pytest.fixture(scope="module")
def outsider(authority: TinyCA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outsider]:
    port = free_port()
    found = Outsider(f"https://127.0.0.1:{port}")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(found.published(self.path))

        def do_POST(self) -> None:
            review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._send({**review, "status": found.status(review)})

        def _send(self, document: dict[str, Any]) -> None:
            content = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - its name there
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    issued, file = authority.serving("127.0.0.1"), tmp_path_factory.mktemp("outsider") / "server.pem"
    file.write_bytes(issued.certificate + issued.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield found
    server.shutdown()
    thread.join()
    server.server_close()


def _webhook(authority: TinyCA, url: str) -> str:
    cluster = {"server": url, "certificate-authority-data": base64.b64encode(authority.pem).decode()}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "hook", "cluster": cluster}],
            "users": [{"name": "hook", "user": {}}],
            "contexts": [{"name": "hook", "context": {"cluster": "hook", "user": "hook"}}],
            "current-context": "hook",
        }
    )


@dataclass(frozen=True, slots=True)
class Plane:
    machine: Machine
    url: str
    authority: TinyCA
    clients: TinyCA
    signer: SigningKey
    older: SigningKey

    def user(self, token: str = "") -> User:
        return User(self.url, ssl.create_default_context(cadata=self.authority.pem.decode()), token)

    def certified(self, name: str, *groups: str) -> User:
        user = self.user()
        issued, path = self.clients.client(name, groups), self.machine.home / f"{name}.pem"
        path.write_bytes(issued.certificate + issued.key)
        user.context.load_cert_chain(path)
        return user


@pytest.fixture(scope="module")
def plane(outsider: Outsider, authority: TinyCA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plane]:
    home = tmp_path_factory.mktemp("identities")
    clients, serving = TinyCA(), authority.serving("127.0.0.1")
    key, older = ec.generate_private_key(ec.SECP256R1()), rsa.generate_private_key(public_exponent=65537, key_size=2048)
    for name, content in {
        "server.crt": serving.certificate,
        "server.key": serving.key,
        "clients.crt": clients.pem,
        "provider.crt": authority.pem,
        "tokens.csv": b's3cret,tom,1,"cats,system:masters"\n',
        "signer.key": private_pem(key),
        "older.pub": older.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        "hook.kubeconfig": _webhook(authority, outsider.url).encode(),
    }.items():
        (home / name).write_bytes(content)
    with machine(home) as here:
        here.up(
            *("--controllers", "none", "--bind-address", "127.0.0.1", "--advertise-address", "10.77.0.1"),
            *("--tls-cert-file", "server.crt", "--tls-private-key-file", "server.key"),
            *("--client-ca-file", "clients.crt", "--token-auth-file", "tokens.csv"),
            *("--authentication-token-webhook-config-file", "hook.kubeconfig"),
            *("--authorization-mode", "RBAC,Webhook", "--authorization-webhook-config-file", "hook.kubeconfig"),
            *("--oidc-issuer-url", outsider.url, "--oidc-client-id", "kube", "--oidc-ca-file", "provider.crt"),
            *("--oidc-username-claim", "name", "--oidc-username-prefix", "oidc:"),
            *("--oidc-groups-claim", "teams", "--oidc-groups-prefix", "team:"),
            *("--service-account-signing-key-file", "signer.key", "--service-account-key-file", "older.pub"),
            *("--service-account-issuer", "https://new", "--service-account-issuer", "https://old"),
            *("--api-audiences", "api,https://new"),
            *("--service-cluster-ip-range", "10.44.0.0/24"),
            *("--max-requests-inflight", "50", "--max-mutating-requests-inflight", "20"),
        )
        yield Plane(here, here.status()["url"], authority, clients, SigningKey(key), SigningKey(older))


def test_its_own_kubeconfig_still_works(plane: Plane) -> None:
    done = plane.machine.kctl("get", "namespaces", "-o", "name")
    assert (done.code, done.stderr) == (0, "")
    assert "namespace/default\n" in done.stdout
    assert (
        plane.machine.kctl("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}").stdout == "kubernetes-admin"
    )


def test_a_token_file_and_an_authority_of_clients_are_believed(plane: Plane) -> None:
    assert plane.user("s3cret").ask("GET", "/api/v1/nodes").status == 200
    assert plane.user("s4cret").ask("GET", "/api/v1/nodes").status == 401
    assert plane.certified("anna", "system:masters").ask("GET", "/api/v1/nodes").status == 200
    refused = plane.certified("berta", "nobodies").ask("GET", "/api/v1/nodes")
    assert (refused.status, 'User "berta"' in refused.body["message"]) == (403, True)


def test_a_webhook_knows_tokens_and_another_says_what_they_may_do(plane: Plane, outsider: Outsider) -> None:
    hooked = plane.user("from-the-webhook")
    assert hooked.ask("GET", "/api/v1/nodes").status == 200
    assert hooked.ask("GET", "/api/v1/nodes").status == 200
    tokens = [review for review in outsider.reviews if review["spec"].get("token") == "from-the-webhook"]
    deeds = [review["spec"] for review in outsider.reviews if review["spec"].get("user") == "hooked"]
    assert [review["spec"]["audiences"] for review in tokens] == [["api", "https://new"]]  # asked once
    assert deeds[0]["groups"] == ["hooks", "system:authenticated"]
    assert deeds[0]["extra"] == {"team": ["a"]}
    assert deeds[0]["resourceAttributes"]["resource"] == "nodes"
    rules = hooked.ask(
        "POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {"spec": {"namespace": "default"}}
    ).body["status"]
    assert rules["incomplete"]
    assert "webhook authorizer does not support user rule resolution" in rules["evaluationError"]


def test_id_tokens_are_believed(plane: Plane, outsider: Outsider) -> None:
    claims = {"iss": outsider.url, "aud": "kube", "exp": time.time() + 600, "name": "otto", "teams": ["red"]}
    review = plane.user(outsider.provider.signed(claims)).ask(
        "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}
    )
    assert review.body["status"]["userInfo"]["username"] == "oidc:otto"
    assert review.body["status"]["userInfo"]["groups"] == ["team:red", "system:authenticated"]
    late = plane.user(outsider.provider.signed({**claims, "exp": time.time() - 600}))
    assert late.ask("GET", "/api").status == 401


def test_tokens_are_signed_with_the_given_key_in_the_first_name(plane: Plane) -> None:
    admin = plane.user("s3cret")
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}}
    made = admin.ask("POST", "/api/v1/namespaces/default/serviceaccounts", account).body
    path = "/api/v1/namespaces/default/serviceaccounts/robot/token"
    token = parse(admin.ask("POST", path, {"spec": {}}).body["status"]["token"])
    assert plane.signer.public.has_signed(token)
    assert (token.claims["iss"], token.claims["aud"]) == ("https://new", ["api", "https://new"])
    older = plane.older.signed({**token.claims, "iss": "https://old", "aud": ["api"]})
    assert made["metadata"]["uid"] == token.claims["kubernetes.io"]["serviceaccount"]["uid"]
    assert plane.user(older).ask("GET", "/api").status == 200
    assert plane.user(plane.older.signed({**token.claims, "aud": ["else"]})).ask("GET", "/api").status == 401


def test_services_and_endpoints_have_the_addresses_that_were_told(plane: Plane) -> None:
    admin = plane.user("s3cret")
    service = admin.ask("GET", "/api/v1/namespaces/default/services/kubernetes").body
    assert service["spec"]["clusterIP"] == "10.44.0.1"
    slices = admin.ask("GET", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes").body
    assert slices["endpoints"][0]["addresses"] == ["10.77.0.1"]


def test_the_limits_are_shared_out(plane: Plane) -> None:
    metrics = plane.user("s3cret").ask("GET", "/metrics").body
    seats = [line for line in metrics.splitlines() if line.startswith("apiserver_flowcontrol_nominal_limit_seats{")]
    assert 70 <= sum(float(line.rpartition(" ")[2]) for line in seats) <= 70 + len(seats)


CONTRADICTIONS = [
    (["--tls-cert-file", "a"], '--tls-cert-file: there is no file "a"'),
    (["--client-ca-file", "junk"], "junk can't be used as client CA: unable to load root certificates"),
    (["--service-account-key-file", "junk"], "junk: data does not contain any valid RSA or ECDSA public keys"),
    (["--authorization-mode", "Nope"], "there is no mode 'Nope'"),
    (["--authorization-mode", "Webhook"], "authorization-mode Webhook needs --authorization-webhook-config-file"),
    (
        ["--service-cluster-ip-range", "10.0.0.0/30"],
        "--service-cluster-ip-range: 10.0.0.0/30 has fewer than 8 addresses",
    ),
    (["--advertise-address", "here"], '--advertise-address "here" is no IP address'),
    (["--max-requests-inflight", "-1"], "--max-requests-inflight -1 is less than 0"),
]


@pytest.mark.parametrize(("arguments", "sentence"), CONTRADICTIONS)
def test_what_can_t_be_had_is_one_sentence(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    (tmp_path / "junk").write_text("junk\n")
    with machine(tmp_path) as here:
        done = here.kctl("up", "-d", "--storage", "memory", "--port", "0", *arguments)
    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert sentence in done.stderr
