"""What a kubeconfig says about a server and a user is what the server sees."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.conftest import Kctl
from tests.e2e.kctl.api_server import Server, api_server, encoded, kubeconfig, proxy

RAW = ("get", "--raw", "/api/v1/x")
V1 = "client.authentication.k8s.io/v1"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with api_server(tmp_path) as found:
        yield found


class Client:
    """kctl with a kubeconfig for this user."""

    def __init__(self, server: Server, directory: Path, run: Kctl) -> None:
        self.server = server
        self.directory = directory
        self._run = run

    def ask(
        self, user: dict[str, Any], *arguments: str, cluster: dict[str, Any] | None = None, **environ: str
    ) -> Outcome:
        file = kubeconfig(self.directory / "k", cluster or self.server.cluster, user)
        return self._run(*(arguments or RAW), KUBECONFIG=file, **environ)

    def failure(self, user: dict[str, Any], cluster: dict[str, Any] | None = None, **environ: str) -> str:
        done = self.ask(user, cluster=cluster, **environ)
        assert (done.code, done.stdout) == (1, "")
        return done.stderr

    def program(self, name: str, body: str) -> str:
        path = self.directory / name
        path.write_text(f"#!{sys.executable}\nimport json, os, sys\n{body}\n")
        path.chmod(0o755)
        return str(path)

    def plugin(self, status: Any = None, *, version: str = V1, more: str = "") -> dict[str, Any]:
        document = {"kind": "ExecCredential", "apiVersion": version, "status": status or {"token": "from-plugin"}}
        path = self.program("plugin", f"{more}\nprint({json.dumps(json.dumps(document))})")
        return {"command": path, "apiVersion": version, "interactiveMode": "Never"}


@pytest.fixture
def client(server: Server, tmp_path: Path, run_kctl: Kctl) -> Client:
    return Client(server, tmp_path, run_kctl)


def test_a_token_is_sent_and_so_is_one_from_a_file(client: Client) -> None:
    assert client.ask({"token": "t"}).code == 0
    assert client.server.last.headers["authorization"] == "Bearer t"
    file = client.directory / "token"
    for token in ("one", "two"):
        file.write_text(f"{token}\n")
        assert client.ask({"tokenFile": "token", "token": "ignored"}).code == 0
        assert client.server.last.headers["authorization"] == f"Bearer {token}"
    file.unlink()
    assert client.failure({"tokenFile": "token"}) == f"error: open {file}: no such file or directory\n"


def test_a_name_and_password_are_sent(client: Client) -> None:
    assert client.ask({"username": "a", "password": "b"}).code == 0
    assert client.server.last.headers["authorization"] == f"Basic {encoded(b'a:b')}"


def test_a_client_certificate_is_shown_from_data_and_from_files(client: Client) -> None:
    pair = client.server.issue("me")
    data = {"client-certificate-data": encoded(pair.certificate), "client-key-data": encoded(pair.key)}
    assert client.ask(data).code == 0
    assert client.server.last.certificate == "me"
    (client.directory / "sub").mkdir()
    (client.directory / "sub/me.crt").write_bytes(pair.certificate)
    (client.directory / "sub/me.key").write_bytes(pair.key)
    client.server.asked.clear()
    assert client.ask({"client-certificate": "sub/me.crt", "client-key": "sub/me.key"}).code == 0
    assert client.server.last.certificate == "me"


CONTRADICTIONS: list[tuple[dict[str, Any], str]] = [
    (
        {"client-certificate": "no", "client-key": "no"},
        (
            "Error in configuration: \n* unable to read client-cert {dir}/no for u due to open {dir}/no: "
            "no such file or directory\n* unable to read client-key {dir}/no for u due to open {dir}/no: "
            "no such file or directory\n"
        ),
    ),
    (
        {"client-certificate-data": "YWJj"},
        "error: client-key-data or client-key must be specified for u to use the clientCert authentication method.\n",
    ),
    (
        {"client-certificate-data": "YWJj", "client-key-data": "YWJj"},
        "error: tls: failed to find any PEM data in certificate input\n",
    ),
    (
        {"token": "t", "username": "a"},
        "error: more than one authentication method found for u; found [token basicAuth], only one is allowed\n",
    ),
    ({"as-groups": ["g"]}, "error: requesting uid, groups or user-extra for u without impersonating a user\n"),
    (
        {"auth-provider": {"name": "gcp"}},
        (
            'error: The gcp auth plugin has been removed.\nPlease use the "gke-gcloud-auth-plugin" kubectl/client-go '
            "credential plugin instead.\nSee https://cloud.google.com/blog/products/containers-kubernetes/"
            "kubectl-auth-changes-in-gke for further details\n"
        ),
    ),
    ({"auth-provider": {"name": "mine"}}, 'error: no Auth Provider found for name "mine"\n'),
    ({"auth-provider": {"name": "oidc"}}, "error: Must provide idp-issuer-url\n"),
    (
        {"auth-provider": {"name": "oidc", "config": {"idp-issuer-url": "x", "client-id": "y"}}},
        "error: No valid id-token, and cannot refresh without refresh-token\n",
    ),
]


@pytest.mark.parametrize(("user", "said"), CONTRADICTIONS, ids=[" ".join(user) for user, _ in CONTRADICTIONS])
def test_a_user_that_can_not_be_is_refused(user: dict[str, Any], said: str, client: Client) -> None:
    assert client.failure(user) == said.replace("{dir}", str(client.directory))
    assert client.server.asked == []


def test_an_id_token_of_openid_connect_is_used_while_it_is_good(client: Client) -> None:
    claims = encoded(json.dumps({"exp": 9_999_999_999}).encode()).rstrip("=")
    config = {"idp-issuer-url": "https://x", "client-id": "y", "id-token": f"a.{claims}.b"}
    assert client.ask({"auth-provider": {"name": "oidc", "config": config}}).code == 0
    assert client.server.last.headers["authorization"] == f"Bearer a.{claims}.b"


def test_somebody_else_can_be_acted_as(client: Client) -> None:
    user = {"token": "t", "as": "joe", "as-uid": "7", "as-groups": ["g", "h"], "as-user-extra": {"k/l": ["v"]}}
    assert client.ask(user).code == 0
    headers = client.server.last.headers
    assert (headers["impersonate-user"], headers["impersonate-uid"]) == ("joe", "7")
    assert headers["impersonate-extra-k%2fl"] == "v"


def test_whoever_says_nothing_about_himself_is_asked(client: Client) -> None:
    assert client.ask({}) == Outcome(1, "Please enter Username: ", "error: EOF\n")
    assert client.server.asked == []


@pytest.mark.parametrize("version", [V1, "client.authentication.k8s.io/v1beta1"])
def test_a_credential_plugin_is_run_for_a_token(version: str, client: Client) -> None:
    assert client.ask({"exec": client.plugin(version=version)}).code == 0
    assert client.server.last.headers["authorization"] == "Bearer from-plugin"


def test_a_credential_plugin_may_give_a_certificate(client: Client) -> None:
    pair = client.server.issue("plugged")
    status = {"clientCertificateData": pair.certificate.decode(), "clientKeyData": pair.key.decode()}
    assert client.ask({"exec": client.plugin(status)}).code == 0
    assert client.server.last.certificate == "plugged"


def test_a_credential_plugin_is_told_what_it_may_know(client: Client) -> None:
    more = "open('told', 'w').write(' '.join([*sys.argv[1:], os.environ['A'], os.environ['KUBERNETES_EXEC_INFO']]))"
    plugin = client.plugin(more=more) | {"args": ["x", "y"], "env": [{"name": "A", "value": "b"}]}
    assert client.ask({"exec": plugin}).code == 0
    assert (client.directory / "told").read_text() == (
        f'x y b {{"kind":"ExecCredential","apiVersion":"{V1}","spec":{{"interactive":false}}}}\n'
    )
    extension = {"name": "client.authentication.k8s.io/exec", "extension": {"hello": "plugin"}}
    cluster = client.server.cluster | {"extensions": [extension]}
    assert client.ask({"exec": plugin | {"provideClusterInfo": True}}, cluster=cluster).code == 0
    told = json.loads((client.directory / "told").read_text().partition(" b ")[2])
    assert told["spec"]["cluster"]["server"] == client.server.url
    assert told["spec"]["cluster"]["config"] == {"hello": "plugin"}


def test_a_credential_plugin_is_run_once_for_several_requests(client: Client) -> None:
    more = "open('runs', 'a').write('.')"
    client.ask({"exec": client.plugin(more=more)}, "get", "configmaps", "a", "b")
    assert len(client.server.asked) > 1
    assert (client.directory / "runs").read_text() == "."


GETTING = "Unable to connect to the server: getting credentials: "
HELP = (
    "\n\nIt looks like you are trying to use a client-go credential plugin that is not installed.\n\n"
    "To learn more about this feature, consult the documentation available at:\n      https://kubernetes.io/docs/reference/"
    "access-authn-authz/authentication/#client-go-credential-plugins"
)
PLUGINS: list[tuple[str, dict[str, Any], str]] = [
    ("sys.exit(4)", {}, "exec: executable {program} failed with exit code 4"),
    (
        "print('junk')",
        {},
        (
            "decoding stdout: couldn't get version/kind; json parse error: json: cannot unmarshal string into "
            'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; '
            'Kind string "json:\\"kind,omitempty\\"" }'
        ),
    ),
    (
        """print('{"kind":"Pod","apiVersion":"v1"}')""",
        {},
        (
            'decoding stdout: no kind "Pod" is registered for version "v1" in scheme '
            '"k8s.io/client-go/plugin/pkg/client/auth/exec/exec.go:64"'
        ),
    ),
    (
        f"""print('{{"kind":"ExecCredential","apiVersion":"{V1}"}}')""",
        {},
        "exec plugin didn't return a status field",
    ),
    (
        f"""print('{{"kind":"ExecCredential","apiVersion":"{V1}","status":{{}}}}')""",
        {},
        "exec plugin didn't return a token or cert/key pair",
    ),
    (
        f"""print('{{"kind":"ExecCredential","apiVersion":"{V1}beta1"}}')""",
        {},
        f"exec plugin is configured to use API version {V1}, plugin returned version {V1}beta1",
    ),
    (
        "",
        {"interactiveMode": "Always"},
        "exec plugin cannot support interactive mode: standard input is not a terminal",
    ),
    ("", {"command": "./nowhere"}, "exec: fork/exec {dir}/nowhere: no such file or directory"),
    ("", {"command": "nowhere", "installHint": "Get it."}, f"exec: executable nowhere not found{HELP}\n\nGet it."),
]


@pytest.mark.parametrize(("body", "change", "said"), PLUGINS, ids=[said[:40] for _, _, said in PLUGINS])
def test_a_credential_plugin_that_fails_says_why(
    body: str, change: dict[str, Any], said: str, *, client: Client
) -> None:
    program = client.program("plugin", body)
    plugin = {"command": "./plugin", "apiVersion": V1, "interactiveMode": "Never", **change}
    told = said.replace("{program}", program).replace("{dir}", str(client.directory))
    assert client.failure({"exec": plugin}) == f"{GETTING}{told}\n"


def test_a_plugin_that_can_not_be_is_refused(client: Client) -> None:
    must = "must be specified for u to use exec authentication plugin"
    assert client.failure({"exec": {"command": "x", "apiVersion": V1}}) == f"error: interactiveMode {must}\n"
    assert client.failure({"exec": {"command": "x", "apiVersion": "bogus", "interactiveMode": "Never"}}) == (
        'error: exec plugin: invalid apiVersion "bogus"\n'
    )


def test_a_refused_token_is_told(client: Client) -> None:
    client.server.status = 401
    assert client.failure({"token": "t"}) == (
        "error: You must be logged in to the server (the server has asked for the client to provide credentials)\n"
    )


def test_who_the_server_has_to_be(client: Client) -> None:
    user, cluster = {"token": "t"}, client.server.cluster
    named = cluster | {"tls-server-name": "server.example.com"}
    assert client.ask(user, cluster=named).code == 0
    failed = "Unable to connect to the server: tls: failed to verify certificate: x509: certificate "
    wrong = client.failure(user, cluster | {"tls-server-name": "other.example.com"})
    assert wrong == f"{failed}is valid for server.example.com, not other.example.com\n"
    stranger = {"server": client.server.url}
    assert client.failure(user, stranger) == f"{failed}signed by unknown authority\n"
    assert client.ask(user, cluster=stranger | {"insecure-skip-tls-verify": True}).code == 0
    both = client.failure(user, cluster | {"insecure-skip-tls-verify": True})
    assert both == "error: specifying a root certificates file with the insecure flag is not allowed\n"
    (client.directory / "ca.crt").write_text("no certificate")
    assert client.failure(user, stranger | {"certificate-authority": "ca.crt"}) == (
        "error: unable to load root certificates: unable to parse bytes as PEM block\n"
    )


def test_answers_may_be_compressed_unless_the_cluster_says_no(client: Client) -> None:
    client.ask({"token": "t"})
    assert client.server.last.headers["accept-encoding"] == "gzip"
    client.ask({"token": "t"}, cluster=client.server.cluster | {"disable-compression": True})
    assert client.server.last.headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("kind", ["http", "socks5"])
def test_a_proxy_of_the_kubeconfig_is_gone_through(kind: str, client: Client) -> None:
    with proxy(kind) as (url, asked):
        assert client.ask({"token": "t"}, cluster=client.server.cluster | {"proxy-url": url}).code == 0
    assert asked == [client.server.url.removeprefix("https://")]


def test_the_proxy_of_the_environment_is_not_for_this_machine(client: Client) -> None:
    assert client.ask({"token": "t"}, HTTPS_PROXY="http://127.0.0.1:1").code == 0
    elsewhere = {"server": "https://elsewhere.invalid"}
    assert client.failure({"token": "t"}, elsewhere, HTTPS_PROXY="http://127.0.0.1:1") == (
        "The connection to the server elsewhere.invalid was refused - did you specify the right host or port?\n"
    )
    excepted = client.failure({"token": "t"}, elsewhere, HTTPS_PROXY="http://127.0.0.1:1", NO_PROXY=".invalid")
    assert excepted.startswith("Unable to connect to the server: dial tcp: lookup elsewhere.invalid")


@pytest.mark.parametrize("url", ["bogus://x", "x:1"])
def test_a_proxy_that_can_not_be_is_refused(url: str, client: Client) -> None:
    why = {"bogus://x": 'unsupported scheme "bogus", must be http, https, or socks5', "x:1": "could not parse: x:1"}
    said = client.failure({"token": "t"}, client.server.cluster | {"proxy-url": url})
    if url == "x:1":
        assert said.startswith('error: invalid \'proxy-url\' "x:1" for cluster "cl": ')
    else:
        assert said == f'error: invalid \'proxy-url\' "{url}" for cluster "cl": {why[url]}\n'


def test_a_server_that_is_no_address_is_told(client: Client) -> None:
    unable = "Unable to connect to the server: "
    assert client.failure({}, {"server": "http://x:port"}) == f'{unable}invalid port ":port" after host\n'
    assert client.failure({}, {"server": "ftp://x"}) == f'{unable}unsupported protocol scheme "ftp"\n'


def test_nothing_configured_means_this_machine(run_kctl: Kctl) -> None:
    refused = "The connection to the server {} was refused - did you specify the right host or port?\n"
    assert run_kctl(*RAW, KUBERNETES_MASTER="http://127.0.0.1:1").stderr == refused.format("127.0.0.1:1")
