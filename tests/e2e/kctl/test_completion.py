"""`kctl completion`, the `kctl __complete` that its scripts ask, and the scripts in real shells."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command_line import ROOT, Outcome, environment
from tests.e2e.kctl.conftest import Read
from tests.e2e.kctl.desk import Desk
from tests.e2e.terminal import Terminal, needs_tmux
from tests.e2e.up.machine import Machine, until

DEFAULT = (":0\n", "Completion ended with directive: ShellCompDirectiveDefault\n")
NO_FILES = (":4\n", "Completion ended with directive: ShellCompDirectiveNoFileComp\n")
NO_SPACE = (":2\n", "Completion ended with directive: ShellCompDirectiveNoSpace\n")
NEITHER = (":6\n", "Completion ended with directive: ShellCompDirectiveNoSpace, ShellCompDirectiveNoFileComp\n")
ENDINGS = (":8\n", "Completion ended with directive: ShellCompDirectiveFilterFileExt\n")
FOLDERS = (":16\n", "Completion ended with directive: ShellCompDirectiveFilterDirs\n")
JSON = "json jsonpath jsonpath-as-json jsonpath-file"
OFFERED = [
    ("desc", "describe", NO_FILES),
    ("rollout re", "restart resume", NO_FILES),
    ("create secret t", "tls", NO_FILES),
    ("get configm", "configmaps", NO_FILES),
    ("get pods,configm", "pods,configmaps", NO_FILES),
    ("get cm ''", "apple carrot kube-root-ca.crt pear", NO_FILES),
    ("get cm -n nowhere ''", "", NO_FILES),
    ("get cm apple p", "pear", NO_FILES),
    ("get cm apple kube-root-ca.crt ''", "carrot pear", NO_FILES),
    ("get cm/a", "cm/apple", NO_FILES),
    ("get cm/apple cm/kube-root-ca.crt cm/", "cm/carrot cm/pear", NO_FILES),
    ("get cm/apple secre", "secrets/", NEITHER),
    ("get deployments.apps,secrets ''", "web key", NO_FILES),
    ("get nosuch ''", "", NO_FILES),
    ("rollout status d", "deployment daemonset", NO_FILES),
    ("rollout status deployment ''", "web", NO_FILES),
    ("rollout status deployment web ''", "", NO_FILES),
    ("rollout status deployment/web d", "", NO_FILES),
    ("scale d", "deployment", NO_FILES),
    ("scale ''", "--replicas deployment replicaset replicationcontroller statefulset", NO_FILES),
    ("scale --replicas=1 ''", "deployment replicaset replicationcontroller statefulset", NO_FILES),
    ("scale -", "--replicas", NO_FILES),
    ("logs dep", "deployments/", NEITHER),
    ("logs deployments/", "deployments/web", NO_FILES),
    ("cp kube-p", "kube-public/", NO_SPACE),
    ("cp ./", "", NO_SPACE),
    ("port-forward svc/kubernetes -n default ''", "443:443", NO_FILES),
    ("port-forward svc/kubernetes -n default 8443:", "8443:443", NO_FILES),
    ("get -n sho", "shop", NO_FILES),
    ("get --namespace=sho", "shop", NO_FILES),
    ("-n sho", "shop", NO_FILES),
    ("get -o js", JSON, NO_FILES),
    ("get --output=js", JSON, NO_FILES),
    ("get -Ao js", JSON, NO_FILES),
    ("apply -o js", JSON, NO_FILES),
    ("get --show-k", "--show-kind", NO_FILES),
    ("get --show-labels --show-l", "", NO_FILES),
    ("get -l a --filena", "--filename", NO_FILES),
    ("cordon --dry-run=c", "client", NO_FILES),
    ("edit --subresource ''", "status scale resize", NO_FILES),
    ("wait --for ''", "condition= create delete jsonpath=", NEITHER),
    ("apply -f ''", "json yaml yml", ENDINGS),
    ("apply -k ''", "", FOLDERS),
    ("create clusterrolebinding x --clusterrole=cluster-a", "cluster-admin", NO_FILES),
    ("create token d", "default", NO_FILES),
    ("completion f", "fish", NO_FILES),
    ("help rollout s", "status", NO_FILES),
    ("explain cronj", "cronjobs.batch", NO_FILES),
    ("explain cm.", "cm.apiVersion cm.binaryData cm.data cm.immutable cm.kind cm.metadata", NEITHER),
    ("explain cronjobs.batch.spec.jobTemplate.sp", "cronjobs.batch.spec.jobTemplate.spec", NEITHER),
    ("explain pods.spec.containers.env.valueFrom.s", "pods.spec.containers.env.valueFrom.secretKeyRef", NEITHER),
    ("explain nosuch.sp", "", NEITHER),
    ("explain --api-version=batch", "batch/v1", NO_FILES),
    ("get --help ''", "", NO_FILES),
    ("get cm -- p", "pear", NO_FILES),
    ("get cm -- --", "", NO_FILES),
    ("config view ''", "", DEFAULT),
    ("get --server ''", "", DEFAULT),
    ("up --ephe", "--ephemeral", NO_FILES),
    ("etcd ''", "install path repair", NO_FILES),
    ("get cm --server http://127.0.0.1:1 ''", "", NO_FILES),
]


@pytest.mark.parametrize(("line", "words", "end"), OFFERED, ids=[line for line, _, _ in OFFERED])
def test_what_fits_is_offered(line: str, words: str, end: tuple[str, str], shop: Machine) -> None:
    """In the namespace of the current context, unless the line says otherwise."""
    given = shlex.split(line)
    if "-n" not in given and "--namespace" not in line:
        given = ["-n", "shop", *given]
    done = shop.kctl("__completeNoDesc", *given)
    assert done == Outcome(0, "".join(f"{word}\n" for word in words.split()) + end[0], end[1])


def test_descriptions_are_shown_unless_nobody_wants_them(read: Read, shop: Machine) -> None:
    (verb, end), stderr = shop.kctl("__complete", "desc").stdout.splitlines(), NO_FILES[1]
    assert (verb.partition("\t")[0], bool(verb.partition("\t")[2]), end) == ("describe", True, ":4")
    quiet = Outcome(0, "describe\n:4\n", stderr)
    assert shop.kctl("__complete", "desc", COBRA_COMPLETION_DESCRIPTIONS="0") == quiet
    assert shop.kctl("__completeNoDesc", "desc") == quiet


def test_flags_are_offered_with_their_letters_those_of_all_verbs_first(shop: Machine) -> None:
    words = shop.kctl("__completeNoDesc", "get", "-").stdout.splitlines()
    everybodys, own = words[: words.index("--all-namespaces")], words[words.index("--all-namespaces") : -1]
    assert everybodys[0] == "--as"
    assert everybodys[everybodys.index("--namespace") + 1] == "-n"
    assert own[:2] == ["--all-namespaces", "-A"]
    long = [word for word in own if word.startswith("--")]
    assert long == sorted(long)


PROBLEMS = [
    (
        "nosuch ''",
        (
            "[Debug] Cleared global flags for plugin completion\n"
            "[Debug] [Error] unable to find a command for arguments: [nosuch]\n"
        ),
    ),
    ("get --nosuch ''", "[Debug] [Error] Error while parsing flags from args [--nosuch]: unknown flag: --nosuch\n"),
    ("get --nosuch=", "[Debug] [Error] Subcommand 'get' does not support flag 'nosuch'\n"),
]


@pytest.mark.parametrize(("line", "stderr"), PROBLEMS, ids=[line for line, _ in PROBLEMS])
def test_why_nothing_is_offered_is_said_to_people_only(line: str, stderr: str, shop: Machine) -> None:
    assert shop.kctl("__complete", *shlex.split(line)) == Outcome(0, DEFAULT[0], stderr + DEFAULT[1])


def test_containers_are_offered(desk: Desk) -> None:
    spec = '{"spec":{"automountServiceAccountToken":false,"initContainers":[{"name":"first","image":"i"}]}}'
    desk.run("run", "web", "--image=nginx", "--port=80", f"--overrides={spec}")
    complete = ["__completeNoDesc", "-n", desk.namespace]
    assert desk.machine.kctl(*complete, "exec", "web", "-c", "") == Outcome(0, "first\nweb\n:4\n", NO_FILES[1])
    assert desk.machine.kctl(*complete, "logs", "pods/web", "w") == Outcome(0, "web\n:4\n", NO_FILES[1])
    assert desk.machine.kctl(*complete, "port-forward", "web", "") == Outcome(0, "80:80\n:4\n", NO_FILES[1])


def _program(file: Path, body: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{body}\n")
    file.chmod(0o755)


def test_plugins_complete_themselves(shop: Machine, tmp_path: Path) -> None:
    _program(tmp_path / "kubectl-get_all", "true")
    _program(tmp_path / "kubectl-paint-walls", "true")
    _program(tmp_path / "kubectl_complete-paint-walls", 'echo "$*"; echo red; echo :4')

    def complete(*words: str) -> Outcome:
        return shop.kctl("__complete", *words, PATH=str(tmp_path))

    about = "The command {0} is a plugin installed by the user"
    assert complete("get-") == Outcome(0, f"get-all\t{about.format('get-all')}\n:4\n", NO_FILES[1])
    cleared = "[Debug] Cleared global flags for plugin completion\n"
    looked = "[Debug] About to look for: kubectl_complete-"
    missing = "[Debug] Plugin kubectl-paint does not provide a matching completion executable\n"
    expected = Outcome(0, f"walls\t{about.format('walls')}\n:0\n", f"{cleared}{looked}paint\n{missing}{DEFAULT[1]}")
    assert complete("paint", "w") == expected
    called = f"{looked}paint-walls\n[Debug] About to call: {tmp_path}/kubectl_complete-paint-walls blue --x\n"
    assert complete("paint", "walls", "blue", "--x") == Outcome(
        0, "blue --x\nred\n:4\n", f"{cleared}{called}{NO_FILES[1]}"
    )


HINT = "See 'kctl completion -h' for help and examples\n"
REFUSED = [
    ("completion", f"error: Shell not specified.\n{HINT}"),
    ("completion bash zsh", f"error: Too many arguments. Expected only the shell type.\n{HINT}"),
    ("completion tcsh", f'error: Unsupported shell type "tcsh".\n{HINT}'),
    ("__complete", "error: requires at least 1 arg(s), only received 0\n"),
]


@pytest.mark.parametrize(("line", "stderr"), REFUSED, ids=[line for line, _ in REFUSED])
def test_other_shells_are_refused(line: str, stderr: str, shop: Machine) -> None:
    assert shop.kctl(*line.split()) == Outcome(1, "", stderr)


@pytest.mark.parametrize(("shell", "file"), [("bash", "kctl.bash"), ("zsh", "_kctl"), ("fish", "kctl.fish")])
def test_a_script_is_printed(shell: str, file: str, shop: Machine) -> None:
    assert shop.kctl("completion", shell) == Outcome(0, (ROOT / "completions" / file).read_text(), "")


# In real shells.

SCRIPTS = ROOT / "completions"


@pytest.fixture(scope="module")
def around(shop: Machine, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A `kctl` on the PATH, and the shop's namespace."""
    directory = tmp_path_factory.mktemp("shells")
    _program(directory / "kctl", f'exec {shlex.quote(sys.executable)} -m kctl "$@"')
    config = directory / "config"
    config.write_text(shop.kubeconfig.read_text())
    more = {"KUBECONFIG": str(config), "PATH": f"{directory}:/usr/bin:/bin"}
    subprocess.run(
        ["kctl", "config", "set-context", "--current", "--namespace=shop"],
        env=environment(shop.home, more),
        check=True,
        capture_output=True,
    )
    return environment(shop.home, more)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A directory with a few files."""
    for file in ("a.yaml", "b.json", "c.txt"):
        (tmp_path / file).write_text("")
    (tmp_path / "sub").mkdir()
    return tmp_path


BASH = """\
source "$1"
shift
COMP_LINE="$1" COMP_POINT=${#1}
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_kctl
printf '%s\\n' "${COMPREPLY[@]}"
"""
IN_BASH = [
    ("kctl desc", "kctl|desc", "describe"),
    ("kctl get cm p", "kctl|get|cm|p", "pear"),
    ("kctl get --output=jsonpath-", "kctl|get|--output|=|jsonpath-", "jsonpath-as-json jsonpath-file"),
    ("kctl api-resources  --output=", "kctl|api-resources|--output|=", "json kyaml name wide yaml"),
    (
        "kctl create clusterrolebinding x --clusterrole=system:kube-s",
        "kctl|create|clusterrolebinding|x|--clusterrole|=|system|:|kube-s",
        "kube-scheduler",
    ),
    ("kctl apply -f ", "kctl|apply|-f|", "a.yaml b.json sub"),
    ("kctl apply --filename=a", "kctl|apply|--filename|=|a", "a.yaml"),
    ("kctl apply -k ", "kctl|apply|-k|", "sub"),
]


@pytest.mark.parametrize(("line", "words", "found"), IN_BASH, ids=[line for line, _, _ in IN_BASH])
def test_bash_completes(line: str, words: str, found: str, around: dict[str, str], here: Path) -> None:
    command = ["bash", "-c", BASH, "bash", str(SCRIPTS / "kctl.bash"), line, *words.split("|")]
    done = subprocess.run(command, env=around, cwd=here, capture_output=True, text=True, check=True, timeout=60)
    assert sorted(done.stdout.split()) == found.split()


IN_FISH = [
    ("kctl desc", "describe"),
    ("kctl get cm p", "pear"),
    ("kctl get --output=jsonpath-", "--output=jsonpath-as-json --output=jsonpath-file"),
    ("kctl apply -f ", "a.yaml b.json sub/"),
    ("kctl apply --filename=a", "--filename=a.yaml"),
    ("kctl apply -k ", "sub/"),
    ("kctl config view ", "a.yaml b.json c.txt sub/"),
]


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish")
@pytest.mark.parametrize(("line", "found"), IN_FISH, ids=[line for line, _ in IN_FISH])
def test_fish_completes(line: str, found: str, around: dict[str, str], here: Path) -> None:
    command = ["fish", "-c", f"source {SCRIPTS / 'kctl.fish'}; complete -C {shlex.quote(line)}"]
    done = subprocess.run(command, env=around, cwd=here, capture_output=True, text=True, check=True, timeout=60)
    assert sorted(row.split("\t")[0] for row in done.stdout.splitlines()) == found.split()


@pytest.fixture
def zsh(around: dict[str, str], here: Path) -> Iterator[Terminal]:
    if shutil.which("zsh") is None:
        pytest.skip("there is no zsh")
    (here / ".zshrc").write_text(f"autoload -U compinit; compinit -u; source {SCRIPTS / '_kctl'}; PS1='ready> '\n")
    terminal = Terminal(here, {**around, "ZDOTDIR": str(here)})
    terminal.start(width=120, height=24)
    terminal.type(f"cd {here} && zsh -i", "Enter")
    until(lambda: "\nready>" in terminal.text)
    yield terminal
    terminal.end()


IN_ZSH = [
    ("kctl desc", "kctl describe"),
    ("kctl get cm p", "kctl get cm pear"),
    ("kctl get --output=jsonpath-f", "kctl get --output=jsonpath-file"),
    ("kctl apply -f a", "kctl apply -f a.yaml"),
    ("kctl apply -k s", "kctl apply -k sub/"),
    ("kctl port-forward svc/kubernetes -n default 80:", "kctl port-forward svc/kubernetes -n default 80:443"),
]


@needs_tmux
def test_zsh_completes(zsh: Terminal) -> None:
    for line, completed in IN_ZSH:
        zsh.type(line, "Tab")
        until(lambda completed=completed: completed in zsh.text)  # type: ignore[misc]  # bound here, not later
        zsh.type("C-u")
