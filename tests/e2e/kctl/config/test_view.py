"""`kctl config view`: the files as one, without secrets unless they are asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.conftest import Kctl
from tests.e2e.kctl.config.conftest import FILE, Config

OTHER = """\
apiVersion: v1
kind: Config
current-context: c9
clusters:
- name: cl1
  cluster: {server: "https://other"}
- name: cl9
  cluster: {server: "https://nine", certificate-authority: ca.crt}
contexts:
- name: c9
  context: {cluster: cl9, user: u9}
users:
- name: u9
  user: {token: nine}
"""
EMPTY = 'apiVersion: v1\nclusters: null\ncontexts: null\ncurrent-context: ""\nkind: Config\nusers: null\n'


def hidden(text: str) -> str:
    for secret, shown in (("YWJj", "DATA+OMITTED"), ("t0", "REDACTED"), ("secret", "REDACTED")):
        text = text.replace(f": {secret}\n", f": {shown}\n")
    return text


def test_secrets_are_hidden_unless_raw_shows_them(config: Config) -> None:
    assert config.run("view") == Outcome(0, hidden(FILE), "")
    assert config.run("view", "--raw") == Outcome(0, FILE, "")


def test_minify_keeps_what_one_context_needs(config: Config) -> None:
    shown = config.run("view", "--minify", "-o", "jsonpath={.contexts[*].name} {.clusters[*].name} {.users[*].name}")
    assert shown.stdout == "c1 cl1 u1"
    other = config.run("view", "--minify", "--context=c2", "-o", "jsonpath={.current-context} {.clusters[*].name}")
    assert other.stdout == "c2 cl2"
    assert config.run("view", "--minify", "--context=c9").stderr == "error: cannot locate context c9\n"
    everything = config.run("view", "--context=c2", "-o", "jsonpath={.current-context} {.clusters[*].name}")
    assert everything.stdout == "c1 cl1 cl2"


def test_flatten_puts_files_in_the_place_of_paths(config: Config) -> None:
    config.file.write_text(OTHER)
    missing = config.run("view", "--flatten")
    assert missing == Outcome(1, "", f"error: open {config.file.parent}/ca.crt: no such file or directory\n")
    (config.file.parent / "ca.crt").write_text("hello ca")
    shown = config.run("view", "--flatten").stdout
    assert "certificate-authority-data: aGVsbG8gY2E=\n" in shown
    assert "certificate-authority:" not in shown
    assert "token: nine" in shown


def test_every_format_shows_the_same(config: Config) -> None:
    as_json = config.run("view", "-o", "json").stdout
    assert as_json.startswith('{\n    "kind": "Config",\n    "apiVersion": "v1",\n    "clusters": [\n')
    assert json.loads(as_json)["users"][1]["user"] == {"username": "bob", "password": "REDACTED"}
    assert config.run("view", "-o", "kyaml").stdout.startswith('---\n{\n  kind: "Config",\n  apiVersion: "v1",\n')
    assert config.run("view", "-o", "name").stdout == "config/<unknown>\n"
    assert config.run("view", "-o", "go-template={{range .users}}{{.name}} {{end}}").stdout == "u1 u2 "
    assert config.run("view", "--template={{.kind}}").stdout == "Config"
    assert config.run("view", "-o", "jsonpath={.nope}").stdout == ""
    strict = config.run("view", "-o", "jsonpath={.nope}", "--allow-missing-template-keys=false")
    assert (strict.code, strict.stdout) == (1, "")
    assert strict.stderr.startswith('error: error executing jsonpath "{.nope}": Error executing template: nope is not')
    assert config.run("view", "-o", "yaml", "--show-managed-fields").stdout == hidden(FILE)


def test_another_format_is_an_error(config: Config) -> None:
    assert config.refused("view", "-o", "wide") == (
        'error: unable to match a printer suitable for the output format "wide", allowed formats are: go-template,'
        "go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml\n"
    )


def test_without_merge_a_file_must_be_named(run_kctl: Kctl, config: Config) -> None:
    assert run_kctl("config", "view", "--merge=false", KUBECONFIG=str(config.file)) == Outcome(
        1, "", "error: if merge==false a precise file must be specified\n"
    )
    assert config.run("view", "--merge=false").stdout == hidden(FILE)


def test_an_argument_is_one_too_many(config: Config) -> None:
    assert config.refused("view", "foo", "bar") == (
        "error: unexpected arguments: [foo bar]\nSee 'kctl config view -h' for help and examples\n"
    )


def test_of_two_files_the_first_counts(config: Config, run_kctl: Kctl, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text(OTHER)
    path = "jsonpath={.current-context} {.clusters[*].name} {.clusters[0].cluster.server}"
    both = run_kctl("config", "view", "-o", path, KUBECONFIG=f"{config.file}:{other}")
    assert both.stdout == "c1 cl1 cl2 cl9 https://one.example.com"
    turned = run_kctl("config", "view", "-o", path, KUBECONFIG=f"{other}:{config.file}:{other}")
    assert turned.stdout == "c9 cl1 cl2 cl9 https://other"


def test_a_file_that_is_not_there_is_an_empty_one(run_kctl: Kctl, tmp_path: Path) -> None:
    done = run_kctl("config", "view", KUBECONFIG="nofile")
    assert (done.code, done.stdout) == (0, EMPTY)
    assert done.stderr.endswith("] Config not found: nofile\n")
    assert run_kctl("config", "view", "--kubeconfig", "nofile") == Outcome(0, EMPTY, "")
    assert run_kctl("config", "view") == Outcome(0, EMPTY, "")
    (tmp_path / "empty").touch()
    assert run_kctl("config", "view", KUBECONFIG="empty") == Outcome(0, EMPTY, "")


BROKEN = [
    ("a: b: c\n", "yaml: mapping values are not allowed in this context"),
    (
        "kind: Pod\napiVersion: v1\n",
        (
            'no kind "Pod" is registered for version "v1" in scheme '
            '"k8s.io/client-go/tools/clientcmd/api/latest/latest.go:50"'
        ),
    ),
    ("clusters: foo\n", "json: cannot unmarshal string into Go struct field Config.clusters of type []v1.NamedCluster"),
    (
        "clusters: [{name: x, cluster: {server: 5}}]\n",
        ("json: cannot unmarshal number into Go struct field Cluster.clusters.cluster.server of type string"),
    ),
    ("users: [{name: x, user: {client-key-data: '%%%'}}]\n", "illegal base64 data at input byte 0"),
    (
        "clusters: [{name: x, cluster: {server: a}}, {name: x}]\n",
        (
            "error converting *[]NamedCluster into "
            '*map[string]*api.Cluster: duplicate name "x" in list: [{x {a  false  []  false []}} '
            "{x {  false  []  false []}}]"
        ),
    ),
    (
        "- a\n",
        (
            "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type "
            'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
        ),
    ),
]


@pytest.mark.parametrize(("text", "problem"), BROKEN, ids=[text for text, _ in BROKEN])
def test_a_broken_file_is_told_in_gos_words(text: str, problem: str, run_kctl: Kctl, tmp_path: Path) -> None:
    (tmp_path / "broken").write_text(text)
    assert run_kctl("config", "view", KUBECONFIG="broken") == Outcome(
        1, "", f'error: error loading config file "broken": {problem}\n'
    )


def test_two_broken_files_are_two_lines(run_kctl: Kctl, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("clusters: foo\n")
    (tmp_path / "b").mkdir()
    done = run_kctl("config", "view", KUBECONFIG="a:b")
    assert done == Outcome(
        1,
        "",
        'error loading config file "a": json: cannot unmarshal string into Go struct field Config.clusters of type '
        '[]v1.NamedCluster\nerror loading config file "b": read b: is a directory\n',
    )


def test_what_nobody_knows_is_not_shown(config: Config) -> None:
    config.file.write_text(FILE.replace("kind: Config\n", "kind: Config\nmine: kept\npreferences:\n  colors: true\n"))
    assert config.run("view", "--raw").stdout == FILE.replace(
        "kind: Config\n", "kind: Config\npreferences:\n  colors: true\n"
    )
