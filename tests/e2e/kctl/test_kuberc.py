"""kuberc: one's own aliases and defaults, `kctl kuberc view` and `set`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.command_line import KCTL, Outcome, environment
from tests.e2e.conftest import Kctl
from tests.e2e.kctl.conftest import Read
from tests.e2e.up.machine import Machine

HEAD = "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n"
PREFERENCES = (
    HEAD
    + """\
defaults:
- command: get
  options:
  - {name: output, default: name}
aliases:
- name: fruit
  command: get
  prependArgs: [configmaps]
  appendArgs: [-l, app=fruit]
  options:
  - {name: no-headers, default: "true"}
- name: runx
  command: run
  options: [{name: image, default: nginx}, {name: dry-run, default: client}, {name: output, default: name}]
"""
)


def applying(problem: str) -> str:
    return f"error occurred while applying preferences {problem}\n"


@pytest.fixture
def rc(tmp_path: Path) -> str:
    file = tmp_path / "rc"
    file.write_text(PREFERENCES)
    return str(file)


def test_a_default_counts_unless_the_flag_is_given(read: Read, rc: str) -> None:
    assert read("get", "configmaps", "apple", "--kuberc", rc) == Outcome(0, "configmap/apple\n", "")
    path = "{.metadata.name}"
    for given in ([f"-ojsonpath={path}"], ["-o", f"jsonpath={path}"], [f"--output=jsonpath={path}"]):
        assert read("get", "configmaps", "apple", f"--kuberc={rc}", *given) == Outcome(0, "apple", "")
    assert read("get", "configmaps", "apple", KUBERC=rc).stdout == "configmap/apple\n"


def test_an_alias_stands_for_a_command_with_flags_and_arguments(shop: Machine, rc: str) -> None:
    shown = shop.kctl("fruit", "--kuberc", rc, "-n", "shop", "-o", "name")
    assert shown == Outcome(0, "configmap/apple\nconfigmap/pear\n", "")
    bare = shop.kctl("fruit", "apple", "-n", "shop", KUBERC=rc)
    assert bare == Outcome(1, "", "error: name cannot be provided when a selector is specified\n")
    assert shop.kctl("runx", "p", KUBERC=rc) == Outcome(0, "pod/p\n", "")
    wrong = shop.kctl("fruit", "--bogus", KUBERC=rc)
    assert wrong == Outcome(1, "", "error: unknown flag: --bogus\nSee 'kctl fruit --help' for usage.\n")
    assert "/namespaces/shop/configmaps?" in shop.kctl("fruit", "-n", "shop", "-v=6", KUBERC=rc).stderr


def test_the_file_at_home_counts_without_being_named(run_kctl: Kctl, tmp_path: Path) -> None:
    (tmp_path / ".kube").mkdir()
    home = tmp_path / ".kube/kuberc"
    home.write_text(f"{HEAD}defaults: [{{command: version, options: [{{name: client, default: 'true'}}]}}]\n")
    assert run_kctl("version").code == 0
    assert run_kctl("version", "-s", "http://127.0.0.1:1", KUBERC="off").code == 1
    assert run_kctl("version", "-s", "http://127.0.0.1:1", KUBECTL_KUBERC="false").code == 1


def test_whoever_turns_it_off_has_neither_flag_nor_verb(run_kctl: Kctl, rc: str) -> None:
    both = run_kctl("version", "--client", "--kuberc", rc, KUBERC="off")
    assert both == Outcome(
        1,
        "",
        applying("kuberc error disabling kuberc via KUBERC=off and passing kuberc flag are mutually exclusive"),
    )
    assert run_kctl("version", "--kuberc", rc, KUBECTL_KUBERC="false").stderr.startswith(
        "error: unknown flag: --kuberc\n"
    )
    assert run_kctl("kuberc", "view", KUBECTL_KUBERC="FALSE") == Outcome(
        1, "", 'error: unknown command "kuberc" for "kctl"\n'
    )
    assert run_kctl("kuberc", "view", KUBERC="off") == Outcome(
        1, "", "error: KUBERC is disabled via KUBERC=off environment variable\n"
    )


BROKEN = [
    ("a: b: c\n", "kuberc error kuberc: no valid preferences found in rc, use --v=5 to see details"),
    ("kind: Pod\napiVersion: v1\n", "kuberc error kuberc: no valid preferences found in rc, use --v=5 to see details"),
    (f"{HEAD}defaults: foo\n", "kuberc error kuberc: no valid preferences found in rc, use --v=5 to see details"),
    (
        f"{HEAD}aliases: [{{name: a-b, command: get}}]\n",
        "invalid alias name, can only include alphabetical characters",
    ),
    (f"{HEAD}aliases: [{{name: a, command: get}}, {{name: a, command: get}}]\n", "duplicate alias name a"),
    (
        f"{HEAD}defaults: [{{command: version, options: [{{name: --client, default: x}}]}}]\n",
        "flag name --client should be in long form without dashes",
    ),
    (
        f"{HEAD}defaults: [{{command: version, options: [{{name: nope, default: x}}]}}]\n",
        "invalid flag nope for command version",
    ),
    (
        f"{HEAD}defaults: [{{command: version, options: [{{name: client, default: x}}]}}]\n",
        (
            'could not apply override value x to flag client in command version err: invalid argument "x" for '
            '"--client" flag: strconv.ParseBool: parsing "x": invalid syntax'
        ),
    ),
    (f"{HEAD}credentialPluginPolicy: Bogus\n", 'unknown plugin policy: "Bogus"'),
    (
        f"{HEAD}credentialPluginPolicy: Allowlist\n",
        'credential plugin policy set to "Allowlist", but allowlist is unspecified',
    ),
    (
        f"{HEAD}credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: []\n",
        'credential plugin policy set to "Allowlist", but allowlist is empty; use "DenyAll" policy instead',
    ),
    (
        f"{HEAD}credentialPluginPolicy: DenyAll\ncredentialPluginAllowlist: [{{command: a}}]\n",
        'misconfigured credential plugin allowlist: plugin policy is "DenyAll" but allowlist is non-nil',
    ),
    (
        f"{HEAD}credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{{}}]\n",
        "misconfigured credential plugin allowlist: empty allowlist entry #1",
    ),
    (
        f"{HEAD}credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{{command: ./a}}]\n",
        'non-normalized file path: "./a" vs "a"',
    ),
]


@pytest.mark.parametrize(("text", "problem"), BROKEN, ids=[problem for _, problem in BROKEN])
def test_a_file_that_can_not_be_applied_stops_everything(
    text: str, problem: str, run_kctl: Kctl, tmp_path: Path
) -> None:
    (tmp_path / "rc").write_text(text)
    assert run_kctl("version", "-o", "json", "--kuberc", "rc") == Outcome(1, "", applying(problem))


def test_details_are_logged_for_who_asks(run_kctl: Kctl, tmp_path: Path) -> None:
    (tmp_path / "rc").write_text("kind: Pod\napiVersion: v1\n---\n" + PREFERENCES)
    done = run_kctl("options", "-v=5", KUBERC="rc").stderr.splitlines()
    assert [one.partition("] ")[2] for one in done] == [
        'kuberc: strict decoding error for entry 1 in rc: no kind "Pod" is registered for version "v1"',
        "kuberc: using entry 2 in rc",
    ]
    assert run_kctl("options", "-v=4", KUBERC="rc").stderr == ""


def test_a_file_that_is_named_must_be_there(run_kctl: Kctl) -> None:
    missing = applying("kuberc error kuberc: open nofile: no such file or directory")
    assert run_kctl("version", "--client", "--kuberc=nofile") == Outcome(1, "", missing)
    assert run_kctl("version", "--client", KUBERC="nofile") == Outcome(1, "", missing)
    assert run_kctl("version", "--kuberc").stderr == applying("kuberc file is not found")


def test_a_broken_file_at_home_is_complained_about_and_left_out(run_kctl: Kctl, tmp_path: Path) -> None:
    (tmp_path / ".kube").mkdir()
    home = tmp_path / ".kube/kuberc"
    home.write_text("a: b: c\n")
    done = run_kctl("options", "extra")
    assert (done.code, done.stderr) == (
        0,
        f"kuberc: no preferences loaded from {home}: no valid preferences found in {home}, use --v=5 to see details",
    )
    home.write_text(f"{HEAD}funny: 1\naliases: [{{name: a, command: get, odd: 2}}]\n")
    assert run_kctl("options").stderr == (
        f'kuberc: ignoring strict decoding error in {home}: strict decoding error: unknown field "aliases[0].odd", '
        'unknown field "funny"'
    )


def test_aliases_and_defaults_of_nothing_are_told(run_kctl: Kctl, tmp_path: Path) -> None:
    (tmp_path / "rc").write_text(f"{HEAD}aliases: [{{name: bad, command: nope}}]\ndefaults: [{{command: nope}}]\n")
    assert run_kctl("bad", KUBERC="rc") == Outcome(
        1, "", applying('command "nope" not found to set alias "bad": [nope]')
    )
    assert run_kctl("version", "--client", KUBERC="rc").stderr == (
        'Warning: command "nope" not found to set kuberc override\n'
    )
    (tmp_path / "rc").write_text(f"{HEAD}aliases: [{{name: v, command: version}}]\ndefaults: [{{command: v}}]\n")
    assert run_kctl("v", "--client", KUBERC="rc") == Outcome(1, "", applying("alias v can not be overridden"))


def test_an_older_version_and_a_second_document_are_understood(run_kctl: Kctl, tmp_path: Path) -> None:
    (tmp_path / "rc").write_text(
        "apiVersion: v1\nkind: Pod\n---\napiVersion: kubectl.config.k8s.io/v1alpha1\nkind: Preference\n"
        "overrides: [{command: version, flags: [{name: client, default: 'true'}]}]\n"
    )
    assert run_kctl("version", KUBERC="rc").code == 0
    assert run_kctl("kuberc", "view", KUBERC="rc") == Outcome(
        0,
        "aliases: []\napiVersion: kubectl.config.k8s.io/v1beta1\ndefaults:\n- command: version\n  options:\n"
        '  - default: "true"\n    name: client\nkind: Preference\n',
        "",
    )


def test_view_shows_the_file_in_every_format(run_kctl: Kctl, rc: str) -> None:
    assert run_kctl("kuberc", "view", "--kuberc", rc, "-o", "jsonpath={.aliases[*].name}").stdout == "fruit runx"
    as_json = run_kctl("kuberc", "view", "--kuberc", rc, "-o", "json").stdout
    assert as_json.startswith('{\n    "kind": "Preference",\n    "apiVersion": "kubectl.config.k8s.io/v1beta1",\n')
    assert run_kctl("kuberc", "view", "--kuberc", rc, "-o", "kyaml").stdout.startswith(
        '---\n{\n  kind: "Preference",\n'
    )
    assert run_kctl("kuberc", "view", "--kuberc", rc, "--template", "{{.kind}}").stdout == "Preference"
    whole = run_kctl("kuberc", "view", "--kuberc", rc, "--show-managed-fields").stdout
    assert whole == run_kctl("kuberc", "view", "--kuberc", rc).stdout
    strict = run_kctl("kuberc", "view", "--kuberc", rc, "-o", "jsonpath={.x}", "--allow-missing-template-keys=false")
    assert strict.code == 1
    assert run_kctl("kuberc", "view", "--kuberc", "nofile").code == 1


def answered(answer: str, home: Path) -> Outcome:
    done = subprocess.run(
        [*KCTL, "kuberc", "view"],
        cwd=home,
        env=environment(home, {}),
        input=answer,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def test_where_there_is_none_one_is_offered(tmp_path: Path) -> None:
    file = tmp_path / ".kube/kuberc"
    question = (
        f"kuberc file not found at {file}\n"
        "Would you like to generate a default kuberc file with recommended options? (y/N): "
    )
    assert answered("", tmp_path) == Outcome(0, question, "")
    assert answered("n\n", tmp_path).stdout == question + (
        "aliases: []\napiVersion: kubectl.config.k8s.io/v1beta1\ndefaults: []\nkind: Preference\n"
    )
    assert not file.exists()
    assert answered("y\n", tmp_path) == Outcome(0, f"{question}Updated {file}\n", "")
    assert file.read_text() == (
        "aliases: null\napiVersion: kubectl.config.k8s.io/v1beta1\ndefaults:\n- command: apply\n  options:\n"
        '  - default: "true"\n    name: server-side\n- command: delete\n  options:\n  - default: "true"\n'
        "    name: interactive\nkind: Preference\n"
    )


def test_set_writes_defaults_aliases_and_a_policy(run_kctl: Kctl, tmp_path: Path) -> None:
    file = tmp_path / ".kube/kuberc"

    def change(*arguments: str) -> None:
        assert run_kctl("kuberc", "set", *arguments) == Outcome(0, f"Updated {file}\n", "")

    change("--section=defaults", "--command=get", "--option=output=wide", "--option=--no-headers=true")
    change("--section=defaults", "--command=get", "--option=output=json", "--overwrite")
    change("--section=defaults", "--command=set env")
    change("--section=aliases", "--name=getn", "--command=get", "--prependarg=nodes", "--appendarg=a", "--option=v=6")
    change("--section=aliases", "--name=getn", "--command=describe", "--appendarg=b", "--overwrite")
    change("--section=credentialplugin", "--policy=Allowlist", "--allowlist-entry=command=a,command=/b")
    assert file.read_text() == (
        'aliases:\n- appendArgs:\n  - b\n  command: describe\n  name: getn\n  options:\n  - default: "6"\n    name: v\n'
        "  prependArgs:\n  - nodes\napiVersion: kubectl.config.k8s.io/v1beta1\ncredentialPluginAllowlist:\n"
        "- command: a\n- command: /b\ncredentialPluginPolicy: Allowlist\ndefaults:\n- command: get\n  options:\n"
        "  - default: json\n    name: output\n- command: set env\n  options: null\nkind: Preference\n"
    )


REFUSED = [
    ("", 'required flag(s) "section" not set'),
    ("--section bogus", '--section must be "defaults", "aliases", or "credentialplugin", got: bogus'),
    ("--section aliases", "--name is required when --section=aliases"),
    ("--section defaults --name a", "--name should not be specified when --section=defaults"),
    ("--section defaults --prependarg a", "--prependarg and --appendarg are only valid for --section=aliases"),
    ("--section defaults", "--command is required when --section=aliases or --section=defaults"),
    ("--section credentialplugin", "--policy is required when --section=credentialplugin"),
    (
        "--section credentialplugin --policy x",
        ' --policy must be  "AllowAll", "DenyAll", or "Allowlist", got: x',
    ),
    (
        "--section credentialplugin --policy DenyAll --allowlist-entry command=a",
        "--allowlist-entry may only be used when --section=credentialplugin and --policy=Allowlist",
    ),
    (
        "--section credentialplugin --policy Allowlist",
        "--allowlist-entry is required when --section=credentialplugin and --policy=Allowlist",
    ),
    (
        "--section credentialplugin --policy Allowlist --allowlist-entry name=a",
        'allowlist entry field "name" is deprecated, use "command" instead',
    ),
    ("--section defaults --command a --option b", 'invalid option format "b", expected flag=value'),
    ("--section defaults --command get", 'defaults for command "get" already exist, use --overwrite to replace'),
    ("--section aliases --name fruit --command a", 'alias "fruit" already exists, use --overwrite to replace'),
]


@pytest.mark.parametrize(("line", "said"), REFUSED, ids=[line for line, _ in REFUSED])
def test_what_can_not_be_set_is_refused(line: str, said: str, run_kctl: Kctl, rc: str) -> None:
    assert run_kctl("kuberc", "set", *line.split(), "--kuberc", rc) == Outcome(1, "", f"error: {said}\n")
    assert Path(rc).read_text() == PREFERENCES


PLUGIN = f"""#!{sys.executable}
print('{{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{{"token":"x"}}}}')
"""


def test_a_policy_decides_which_credential_plugins_run(run_kctl: Kctl, tmp_path: Path) -> None:
    plugin = tmp_path / "bin/login"
    plugin.parent.mkdir()
    plugin.write_text(PLUGIN)
    plugin.chmod(0o755)
    for line in (
        "set-cluster a --server=https://127.0.0.1:1",
        (
            "set-credentials a --exec-command=login --exec-api-version=client.authentication.k8s.io/v1 "
            "--exec-interactive-mode=Never"
        ),
        "set-context a --cluster=a --user=a",
        "use-context a",
    ):
        assert run_kctl("config", *line.split()).code == 0

    def refusal(policy: str) -> str:
        (tmp_path / "rc").write_text(HEAD + policy)
        return run_kctl("get", "pods", "--kuberc", "rc").stderr

    before = "Unable to connect to the server: getting credentials: "
    assert refusal("credentialPluginPolicy: DenyAll\n") == (
        f'{before}plugin "login" not allowed: policy set to "DenyAll"\n'
    )
    listed = "credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{{command: {}}}]\n"
    assert refusal(listed.format("other")) == (
        f'{before}plugin path "{plugin}" is not permitted by the credential plugin allowlist\n'
    )
    refused = "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\n"
    assert refusal(listed.format("login")) == refused
    assert refusal(listed.format(plugin)) == refused
    assert refusal("credentialPluginPolicy: AllowAll\n") == refused
