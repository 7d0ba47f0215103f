"""`kctl config`, `ctx`: kubeconfig files, shown and changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.conftest import Kctl

TWO = """\
apiVersion: v1
kind: Config
current-context: c1
clusters:
- {name: cl1, cluster: {server: "https://one.example.com", certificate-authority-data: YWJj}}
users:
- {name: u1, user: {token: t0}}
contexts:
- {name: c1, context: {cluster: cl1, user: u1}}
- {name: c2, context: {cluster: cl1, user: u1, namespace: blue}}
mine: kept
"""
CONTEXTS = "CURRENT   NAME   CLUSTER   AUTHINFO   NAMESPACE\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "k"
    file.write_text(TWO)
    return file


def test_contexts_are_listed_and_the_current_one_is_marked(run_kctl: Kctl, file: Path) -> None:
    shown = f"{CONTEXTS}*         c1     cl1       u1         \n          c2     cl1       u1         blue\n"
    assert run_kctl("config", "get-contexts", KUBECONFIG=str(file)) == Outcome(0, shown, "")
    assert run_kctl("config", "get-contexts", "-o", "name", f"--kubeconfig={file}").stdout == "c1\nc2\n"
    assert run_kctl("ctx", KUBECONFIG=str(file)).stdout == "* c1\n  c2\n"


def test_secrets_are_hidden_unless_they_are_asked_for(run_kctl: Kctl, file: Path) -> None:
    hidden = run_kctl("config", "view", KUBECONFIG=str(file)).stdout
    assert "token: REDACTED" in hidden
    assert "certificate-authority-data: DATA+OMITTED" in hidden
    raw = run_kctl("config", "view", "--raw", KUBECONFIG=str(file)).stdout
    assert "token: t0" in raw
    assert "certificate-authority-data: YWJj" in raw


def test_minify_keeps_what_the_current_context_needs(run_kctl: Kctl, file: Path) -> None:
    shown = run_kctl("config", "view", "--minify", "-o", "jsonpath={.contexts[*].name}", KUBECONFIG=str(file))
    assert shown.stdout == "c1"
    other = run_kctl("config", "view", "--minify", "--context=c2", "-o", "jsonpath={..namespace}", KUBECONFIG=str(file))
    assert other.stdout == "blue"


def test_a_change_keeps_what_nobody_knows_and_the_mode_of_a_secret(run_kctl: Kctl, file: Path) -> None:
    assert run_kctl("config", "use-context", "c2", KUBECONFIG=str(file)).stdout == 'Switched to context "c2".\n'
    assert run_kctl("config", "current-context", KUBECONFIG=str(file)).stdout == "c2\n"
    assert "mine: kept" in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600


def test_an_entry_is_changed_in_the_file_that_it_is_in(run_kctl: Kctl, file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("apiVersion: v1\nkind: Config\ncontexts:\n- name: c9\n  context: {cluster: x, user: y}\n")
    both = f"{file}:{other}"
    assert run_kctl("config", "set-context", "c9", "-n", "green", KUBECONFIG=both).stdout == 'Context "c9" modified.\n'
    assert "green" in other.read_text()
    assert (
        run_kctl("config", "set-cluster", "new", "--server=https://n", KUBECONFIG=both).stdout == 'Cluster "new" set.\n'
    )
    assert "https://n" in file.read_text()
    assert run_kctl("config", "delete-context", "c9", KUBECONFIG=both).code == 0
    assert "c9" not in other.read_text()


CHANGES = [
    (
        "set clusters.cl1.server https://x",
        'Property "clusters.cl1.server" set.\n',
        "{.clusters[0].cluster.server}",
        "https://x",
    ),
    ("set clusters.a.b.c.server https://y", 'Property "clusters.a.b.c.server" set.\n', "{.clusters[0].name}", "a.b.c"),
    ("unset contexts.c2.namespace", 'Property "contexts.c2.namespace" unset.\n', "{..namespace}", ""),
    ("unset users", 'Property "users" unset.\n', "{.users}", "null"),
    (
        "set-credentials u1 --username=a --password=b",
        'User "u1" set.\n',
        "{.users[0].user}",
        '{"password":"b","username":"a"}',
    ),
    ("rename-context c1 c0", 'Context "c1" renamed to "c0".\n', "{.current-context}", "c0"),
    ("delete-user u1", "deleted user u1 from {file}\n", "{.users}", "null"),
]


@pytest.mark.parametrize("change", CHANGES, ids=[line for line, _, _, _ in CHANGES])
def test_a_change_is_written_and_said(change: tuple[str, str, str, str], run_kctl: Kctl, file: Path) -> None:
    line, said, path, value = change
    done = run_kctl("config", *line.split(), KUBECONFIG=str(file))
    assert done == Outcome(0, said.replace("{file}", str(file)), "")
    shown = run_kctl("config", "view", "--raw", "-o", f"jsonpath={path}", KUBECONFIG=str(file))
    assert shown.stdout == value


REFUSED = [
    ("use-context none", 'error: no context exists with the name: "none"\n'),
    ("delete-cluster none", "error: cannot delete cluster none, not in {file}\n"),
    ("set a.b.c d", "error: unable to parse a.b.c after [] at api.Config\n"),
    ("set-context", "error: you must specify a non-empty context name or --current\n"),
    ("set-cluster x --embed-certs", "error: you must specify a --certificate-authority to embed\n"),
    (
        "set-credentials x --token=a --username=b",
        (
            "error: you cannot specify more than one authentication method at the same time: --token, "
            "--username/--password\n"
        ),
    ),
    ("view --merge=false", "error: if merge==false a precise file must be specified\n"),
]


@pytest.mark.parametrize(("line", "stderr"), REFUSED, ids=[line for line, _ in REFUSED])
def test_what_can_not_be_is_refused_and_nothing_is_written(line: str, stderr: str, run_kctl: Kctl, file: Path) -> None:
    done = run_kctl("config", *line.split(), KUBECONFIG=str(file))
    assert done == Outcome(1, "", stderr.replace("{file}", str(file)))
    assert file.read_text() == TWO


def test_a_dash_is_the_context_before(run_kctl: Kctl, file: Path) -> None:
    assert run_kctl("ctx", "c2", KUBECONFIG=str(file)).stdout == 'Switched to context "c2".\n'
    assert run_kctl("ctx", "-", KUBECONFIG=str(file)).stdout == 'Switched to context "c1".\n'
    assert run_kctl("ctx", "none", KUBECONFIG=str(file)).code == 1
