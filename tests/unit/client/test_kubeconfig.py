"""Kubeconfig files: read, merged, resolved."""

from __future__ import annotations

import base64
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from localplane.client.errors import ConfigError, EmptyConfig
from localplane.client.kubeconfig import (
    DEFAULT_CLUSTER,
    ClientConfig,
    Cluster,
    Context,
    Impersonation,
    Kubeconfig,
    Overrides,
    User,
    default_paths,
    in_cluster_config,
    in_cluster_namespace,
    load,
    namespace,
    resolve,
)
from localplane.client.kubeconfig.decoder import parse

ROOT = Path(__file__).parents[3]

ONE = """
apiVersion: v1
kind: Config
current-context: one
clusters:
- name: one
  cluster: {server: "https://one:6443/", certificate-authority: ca.crt}
- name: shared
  cluster: {server: "https://from-one"}
users:
- name: one
  user: {client-certificate: me.crt, client-key: /abs/me.key}
contexts:
- name: one
  context: {cluster: one, user: one, namespace: team}
"""

TWO = """
current-context: two
clusters:
- name: two
  cluster: {server: "https://two"}
- name: shared
  cluster: {server: "https://from-two"}
users:
- name: two
  user: {token: secret}
contexts:
- name: two
  context: {cluster: two, user: two}
"""


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, two = tmp_path / "a" / "config", tmp_path / "b" / "config"
    one.write_text(ONE)
    two.write_text(TWO)
    for name in ("ca.crt", "me.crt"):
        (tmp_path / "a" / name).write_text("x")
    return [one, two]


def _environment(*paths: Path) -> dict[str, str]:
    return {"KUBECONFIG": ":".join(map(str, paths)), "HOME": "/nowhere"}


def test_the_environment_names_files_and_otherwise_there_is_the_home() -> None:
    assert default_paths({"KUBECONFIG": "/a::/b:/a", "HOME": "/me"}) == (Path("/a"), Path("/b"))
    assert default_paths({"HOME": "/me"}) == (Path("/me/.kube/config"),)


def test_the_first_file_that_says_something_counts(files: list[Path]) -> None:
    config = load(environment=_environment(*files))
    assert set(config.contexts) == {"one", "two"}
    assert config.current_context == "one"
    assert config.clusters["shared"].server == "https://from-one"
    backwards = load(environment=_environment(*files[::-1]))
    assert backwards.current_context == "two"
    assert backwards.clusters["shared"].server == "https://from-two"


def test_paths_are_relative_to_their_file(files: list[Path]) -> None:
    config = load(environment=_environment(*files))
    assert config.clusters["one"].certificate_authority == str(files[0].parent / "ca.crt")
    assert config.users["one"].client_certificate == str(files[0].parent / "me.crt")
    assert config.users["one"].client_key == "/abs/me.key"


def test_missing_files_are_skipped_and_a_warning_if_all_are(files: list[Path]) -> None:
    missing, heard = Path("/nowhere/config"), list[str]()
    assert load(environment=_environment(missing, files[1]), warn=heard.append).current_context == "two"
    assert heard == []
    assert load(environment=_environment(missing), warn=heard.append).is_empty
    assert heard == ["Config not found: /nowhere/config"]
    with pytest.raises(ConfigError, match="stat /nowhere/config: no such file or directory"):
        load(missing)


def test_a_file_that_was_asked_for_is_the_only_one(files: list[Path]) -> None:
    assert set(load(files[1], environment=_environment(files[0])).contexts) == {"two"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [", "yaml"),
        ("- a", "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type"),
        ("kind: Pod", 'no kind "Pod" is registered for version "v1" in scheme'),
        (
            "clusters: [{name: a, cluster: {server: 5}}]",
            r"json: cannot unmarshal number into Go struct field Cluster\.clusters\.cluster\.server of type string",
        ),
        ("users: [{name: a, user: {client-key-data: 'ab?='}}]", r"illegal base64 data at input byte 2"),
        (
            "contexts: [{name: a}, {name: a}]",
            r'duplicate name "a" in list: \[{a {   \[\]}} {a {   \[\]}}\]',
        ),
        (
            "clusters: {}",
            r"json: cannot unmarshal object into Go struct field Config\.clusters of type \[\]v1\.NamedCluster",
        ),
        (
            "users: [{name: a, user: {as-groups: [1]}}]",
            r"json: cannot unmarshal number into Go struct field AuthInfo\.users\.user\.as-groups of type string",
        ),
    ],
)
def test_a_malformed_file_says_what_and_where(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "config"
    path.write_text(text)
    with pytest.raises(ConfigError, match=problem) as caught:
        load(path)
    assert f'error loading config file "{path}"' in str(caught.value)


def test_all_that_a_user_may_say_is_read() -> None:
    key = base64.b64encode(b"key").decode()
    config = parse(
        f"""
users:
- name: a
  user:
    client-key-data: {key}
    as: boss
    as-uid: "7"
    as-groups: [x]
    as-user-extra: {{reason: [a, b]}}
    exec:
      command: get-token
      args: [--now]
      env: [{{name: A, value: b}}]
      apiVersion: client.authentication.k8s.io/v1beta1
      provideClusterInfo: true
""".encode()
    )
    user = config.users["a"]
    assert user.client_key_data == b"key"
    assert (user.impersonate, user.impersonate_groups, user.impersonate_extra) == (
        "boss",
        ("x",),
        {"reason": ("a", "b")},
    )
    assert user.exec is not None
    assert (user.exec.command, user.exec.args, user.exec.provide_cluster_info) == ("get-token", ("--now",), True)
    assert user.exec.interactive_mode == "IfAvailable", "the old protocol's default"


def test_secrets_are_not_printed() -> None:
    user = User(token="t0ken", password="passw0rd", client_key_data=b"k3y")
    config = ClientConfig("https://a", token="t0ken", password="passw0rd", client_key_data=b"k3y")
    for shown in (repr(user), repr(config)):
        assert not any(secret in shown for secret in ("t0ken", "passw0rd", "k3y"))


def _config(cluster: Cluster | None = None, user: User | None = None, *, space: str = "") -> Kubeconfig:
    return Kubeconfig(
        clusters={"c": cluster or Cluster(server="https://c")},
        users={"u": user or User(token="t")},
        contexts={"x": Context(cluster="c", user="u", namespace=space), "y": Context(cluster="c", user="u")},
        current_context="x",
    )


def test_a_context_becomes_a_connection() -> None:
    cluster = Cluster(server="https://c/base/?q#f", tls_server_name="s", proxy_url="http://p", disable_compression=True)
    found = resolve(_config(cluster, User(token="t", impersonate="me", impersonate_groups=("g",))))
    assert found == ClientConfig(
        server="https://c/base",
        tls_server_name="s",
        proxy_url="http://p",
        disable_compression=True,
        token="t",
        impersonate=Impersonation("me", groups=("g",)),
    )


def test_credentials_are_not_sent_in_the_clear() -> None:
    assert resolve(_config(Cluster(server="http://c"))).token == ""
    assert resolve(_config(Cluster(server="c:8080"))).server == "http://c:8080"


def test_the_caller_overrides_the_file() -> None:
    cluster = Cluster(server="https://c", certificate_authority_data=b"ca", tls_server_name="s")
    found = resolve(
        _config(cluster),
        Overrides(
            cluster=Cluster(server="https://other", insecure_skip_tls_verify=True),
            user=User(token="mine"),
            timeout=timedelta(seconds=3),
        ),
    )
    assert (found.server, found.token, found.timeout) == ("https://other", "mine", timedelta(seconds=3))
    assert (found.insecure_skip_tls_verify, found.certificate_authority_data) == (True, b"")
    assert found.tls_server_name == "", "the name of another server"


def test_an_override_must_exist() -> None:
    with pytest.raises(ConfigError, match='context "z" does not exist'):
        resolve(_config(), Overrides(context_name="z"))
    with pytest.raises(ConfigError, match='cluster "z" does not exist'):
        resolve(_config(), Overrides(context=Context(cluster="z")))
    with pytest.raises(ConfigError, match='auth info "z" does not exist'):
        resolve(_config(), Overrides(context=Context(user="z")))


def test_nothing_configured_is_an_error_of_its_own_unless_there_is_a_default() -> None:
    with pytest.raises(EmptyConfig, match="no configuration has been provided"):
        resolve(Kubeconfig())
    assert resolve(Kubeconfig(), Overrides(cluster_defaults=DEFAULT_CLUSTER)).server == "http://localhost:8080"


def test_the_namespace_is_the_callers_or_the_contexts_or_default() -> None:
    config = _config(space="team")
    assert (namespace(config).name, namespace(config).explicit) == ("team", False)
    assert namespace(config, Overrides(context_name="y")).name == "default"
    asked = namespace(config, Overrides(context=Context(namespace="mine")))
    assert (asked.name, asked.explicit) == ("mine", True)


@pytest.mark.parametrize(
    ("cluster", "user", "problem"),
    [
        (
            Cluster(server="https://c", certificate_authority="/no"),
            None,
            "unable to read certificate-authority /no for c due to open /no: no such file or directory",
        ),
        (Cluster(proxy_url="http://p"), None, 'no server found for cluster "c"'),
        (Cluster(server="https://c", proxy_url="ftp://p"), None, 'invalid \'proxy-url\' "ftp://p" for cluster "c"'),
        (
            None,
            User(token="t", username="n"),
            "more than one authentication method found for u; found [token basicAuth], only one is allowed",
        ),
        (None, User(client_certificate_data=b"x"), "client-key-data or client-key must be specified for u"),
        (
            None,
            User(impersonate_groups=("g",)),
            "requesting uid, groups or user-extra for u without impersonating a user",
        ),
        (None, User(auth_provider={"name": "gcp"}), "The gcp auth plugin has been removed."),
        (None, User(auth_provider={"name": "mine"}), 'no Auth Provider found for name "mine"'),
        (None, User(auth_provider={"name": "oidc"}), "Must provide idp-issuer-url"),
    ],
)
def test_contradictions_are_told_in_kubernetes_words(cluster: Cluster | None, user: User | None, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        resolve(_config(cluster, user))
    assert problem in str(caught.value)


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        resolve(_config(Cluster(proxy_url="http://p"), User(token="t", username="n")))
    assert str(caught.value).startswith("invalid configuration: [more than one")


def test_a_pod_finds_its_configuration_in_itself(tmp_path: Path) -> None:
    environment = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443"}
    with pytest.raises(ConfigError, match="in-cluster"):
        in_cluster_config(environment=environment, directory=str(tmp_path))
    (tmp_path / "token").write_text("t")
    (tmp_path / "ca.crt").write_text("c")
    found = in_cluster_config(environment=environment, directory=str(tmp_path))
    assert found.server == "https://[fd00::1]:443"
    assert (found.token_file, found.certificate_authority) == (str(tmp_path / "token"), str(tmp_path / "ca.crt"))


def test_reading_a_kubeconfig_costs_no_http_library() -> None:
    program = "import sys, localplane.client.kubeconfig; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {"aiohttp", "asyncio", "ssl", "yaml", "orjson"} & set(done.stdout.split()) == set()


def test_every_public_name_can_be_imported() -> None:
    import localplane.client

    for name in localplane.client.__all__:
        assert getattr(localplane.client, name) is not None
    assert not hasattr(localplane.client, "nope")


def test_a_pods_namespace_is_its_own(tmp_path: Path) -> None:
    assert in_cluster_namespace(environment={}, directory=str(tmp_path)) == "default"
    (tmp_path / "namespace").write_text("blue\n")
    assert in_cluster_namespace(environment={}, directory=str(tmp_path)) == "blue"
    assert in_cluster_namespace(environment={"POD_NAMESPACE": "red"}, directory=str(tmp_path)) == "red"
