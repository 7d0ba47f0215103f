"""`kctl config set-cluster`, `set-context` and `set-credentials`: each flag changes its own field."""

from __future__ import annotations

import stat

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.conftest import Kctl
from tests.e2e.kctl.config.conftest import Config

CLUSTERS = [
    ("cl1 --server https://new", "-    server: https://one.example.com\n+    server: https://new"),
    (
        "cl2 --server https://new",
        (
            "-    insecure-skip-tls-verify: true\n-    server: https://two.example.com:6443\n"
            "-    tls-server-name: foo\n+    server: https://new"
        ),
    ),
    ("cl1 --tls-server-name bar", "+    tls-server-name: bar"),
    (
        "cl1 --insecure-skip-tls-verify",
        "-    certificate-authority-data: YWJj\n+    insecure-skip-tls-verify: true",
    ),
    ("cl2", "-    insecure-skip-tls-verify: true"),
    ("cl1 --proxy-url http://p", "+    proxy-url: http://p"),
    (
        "cl1 --certificate-authority ca.crt",
        "-    certificate-authority-data: YWJj\n+    certificate-authority: ca.crt",
    ),
    (
        "cl1 --certificate-authority /elsewhere/ca.crt",
        "-    certificate-authority-data: YWJj\n+    certificate-authority: /elsewhere/ca.crt",
    ),
    (
        "cl1 --certificate-authority ca.crt --embed-certs",
        "-    certificate-authority-data: YWJj\n+    certificate-authority-data: aGVsbG8=",
    ),
    ("new", '+- cluster:\n+    server: ""\n+  name: new'),
]


@pytest.fixture(autouse=True)
def _files(config: Config) -> None:
    (config.file.parent / "ca.crt").write_text("hello")
    (config.file.parent / "x.key").write_text("key")


@pytest.mark.parametrize(("line", "change"), CLUSTERS, ids=[line for line, _ in CLUSTERS])
def test_a_cluster_is_changed_where_a_flag_says_so(line: str, change: str, config: Config) -> None:
    name, *flags = line.split()
    assert config.changed("set-cluster", name, *flags, said=f'Cluster "{name}" set.\n') == change


CONTEXTS = [
    ("c1 --namespace green", "modified", "+    namespace: green"),
    ("c1 -n green", "modified", "+    namespace: green"),
    ("c1 --cluster cl2 --user u2", "modified", "-    cluster: cl1\n-    user: u1\n+    cluster: cl2\n+    user: u2"),
    ("c2 --namespace=", "modified", "-    namespace: blue"),
    ("c3 --user u1", "created", '+- context:\n+    cluster: ""\n+    user: u1\n+  name: c3'),
]


@pytest.mark.parametrize(("line", "said", "change"), CONTEXTS, ids=[line for line, _, _ in CONTEXTS])
def test_a_context_is_changed_where_a_flag_says_so(line: str, said: str, change: str, config: Config) -> None:
    name, *flags = line.split()
    assert config.changed("set-context", name, *flags, said=f'Context "{name}" {said}.\n') == change


def test_the_current_context_can_be_meant_without_its_name(config: Config, run_kctl: Kctl) -> None:
    changed = config.changed("set-context", "--current", "--namespace=green", said='Context "c1" modified.\n')
    assert changed == "+    namespace: green"
    assert run_kctl("config", "set-context", "--current") == Outcome(1, "", "error: no current context is set\n")


USERS = [
    ("u1 --token t1", "-    token: t0\n+    token: t1"),
    ("u1 --username a --password b", "-    token: t0\n+    password: b\n+    username: a"),
    ("u2 --token t1", "-    password: secret\n-    username: bob\n+    token: t1"),
    ("u2 --password p", "-    password: secret\n+    password: p"),
    ("u1 --client-certificate ca.crt --client-key x.key", "+    client-certificate: ca.crt\n+    client-key: x.key"),
    (
        "u1 --client-certificate ca.crt --client-key x.key --embed-certs",
        "+    client-certificate-data: aGVsbG8=\n+    client-key-data: a2V5",
    ),
    (
        "u1 --auth-provider oidc --auth-provider-arg a=b,c=d --auth-provider-arg e=f",
        "+    auth-provider:\n+      config:\n+        a: b\n+        c: d\n+        e: f\n+      name: oidc",
    ),
    ("u1 --auth-provider-arg a=b --exec-arg x", ""),
    (
        "u1 --exec-command plug --exec-api-version client.authentication.k8s.io/v1",
        (
            "+    exec:\n+      apiVersion: client.authentication.k8s.io/v1\n+      args: null\n+      command: plug\n"
            "+      env: null\n+      provideClusterInfo: false"
        ),
    ),
    (
        (
            "u1 --exec-command plug --exec-arg a,b --exec-arg c --exec-env A=b,c --exec-env X=z "
            "--exec-interactive-mode Never --exec-provide-cluster-info"
        ),
        (
            "+    exec:\n+      args:\n+      - a\n+      - b\n+      - c\n+      command: plug\n+      env:\n"
            "+      - name: A\n+        value: b,c\n+      - name: X\n+        value: z\n"
            "+      interactiveMode: Never\n+      provideClusterInfo: true"
        ),
    ),
]


@pytest.mark.parametrize(("line", "change"), USERS, ids=[line for line, _ in USERS])
def test_a_user_is_changed_where_a_flag_says_so(line: str, change: str, config: Config) -> None:
    name, *flags = line.split()
    assert config.changed("set-credentials", name, *flags, said=f'User "{name}" set.\n') == change


def test_a_plugins_command_begins_anew_and_its_variables_come_and_go(config: Config) -> None:
    config.changed("set-credentials", "u", "--exec-command=plug", "--exec-arg=a", "--exec-env=A=b", "--exec-env=C=d")
    assert config.changed("set-credentials", "u", "--exec-command=./other") == (
        "-      args:\n-      - a\n-      command: plug\n+      args: null\n+      command: other"
    )
    assert config.changed("set-credentials", "u", "--exec-env=A=new", "--exec-env=C-") == (
        "-        value: b\n-      - name: C\n-        value: d\n+        value: new"
    )
    config.changed("set-credentials", "u", "--auth-provider=oidc", "--auth-provider-arg=a=b")
    assert config.changed("set-credentials", "u", "--auth-provider-arg=a-", "--auth-provider-arg=c=d") == (
        "-        a: b\n+        c: d"
    )


REFUSED = [
    ("set-cluster x --embed-certs", "you must specify a --certificate-authority to embed"),
    (
        "set-cluster x --embed-certs --certificate-authority nofile",
        "could not stat certificate-authority file nofile: stat nofile: no such file or directory",
    ),
    (
        "set-cluster x --certificate-authority ca.crt --insecure-skip-tls-verify",
        "you cannot specify a certificate authority and insecure mode at the same time",
    ),
    ("set-context", "you must specify a non-empty context name or --current"),
    ("set-context x --current", "you cannot specify both a context name and --current"),
    (
        "set-credentials x --token=a --username=b",
        "you cannot specify more than one authentication method at the same time: --token, --username/--password",
    ),
    ("set-credentials x --embed-certs", "you must specify a --client-certificate or --client-key to embed"),
    (
        "set-credentials x --embed-certs --client-key nofile",
        "could not stat client-key file nofile: stat nofile: no such file or directory",
    ),
    (
        "set-credentials x --exec-command a --exec-interactive-mode Bogus",
        "invalid interactive mode type, can be only IfAvailable, Never, Always",
    ),
]


@pytest.mark.parametrize(("line", "said"), REFUSED, ids=[line for line, _ in REFUSED])
def test_what_can_not_be_is_refused_and_nothing_is_written(line: str, said: str, config: Config) -> None:
    assert config.refused(*line.split()) == f"error: {said}\n"


def test_pairs_that_are_none_show_the_help(config: Config) -> None:
    done = config.run("set-credentials", "x", "--exec-env", "bogus", "--exec-env", "-")
    assert done == Outcome(
        1, config.run("set-credentials", "--help").stdout, "error: invalid exec-env format: bogus, -\n"
    )
    done = config.run("set-credentials", "a", "b")
    assert done == Outcome(1, config.run("set-credentials", "--help").stdout, "error: unexpected args: [a b]\n")


def test_a_file_is_made_for_its_owner_alone(config: Config, run_kctl: Kctl) -> None:
    config.file.unlink()
    assert config.run("set-cluster", "x", "--server=https://x").stdout == 'Cluster "x" set.\n'
    assert config.file.read_text() == (
        "apiVersion: v1\nclusters:\n- cluster:\n    server: https://x\n  name: x\ncontexts: null\n"
        'current-context: ""\nkind: Config\nusers: null\n'
    )
    assert stat.S_IMODE(config.file.stat().st_mode) == 0o600
    assert run_kctl("config", "set-context", "x", KUBECONFIG="deep/er/k").stdout == 'Context "x" created.\n'
    assert stat.S_IMODE((config.file.parent / "deep/er/k").stat().st_mode) == 0o600
