"""Wrong command lines: kubectl's words and exit codes, whatever the verb."""

from __future__ import annotations

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.conftest import Kctl


def usage(verb: str) -> str:
    return f"See '{verb} --help' for usage.\n"


def examples(verb: str) -> str:
    return f"See '{verb} -h' for help and examples\n"


NO_SUCH_THING = [
    ("zzzzzz", 'unknown command "zzzzzz" for "kctl"\n'),
    ("versoin", 'unknown command "versoin" for "kctl"\n\nDid you mean this?\n\tversion\n'),
    ("vers", 'unknown command "vers" for "kctl"\n\nDid you mean this?\n\tversion\n'),
    ("getx", 'unknown command "getx" for "kctl"\n\nDid you mean this?\n\tset\n\tget\n'),
    ("zzzzzz --help", 'unknown command "zzzzzz" for "kctl"\n'),
    ("etcd bogus", 'unknown command "bogus"\n' + examples("kctl etcd")),
    ("config bogus", 'unknown command "bogus"\n' + examples("kctl config")),
    ("rollout bogus", 'unknown command "bogus"\n' + examples("kctl rollout")),
    ("set bogus", 'unknown command "bogus"\n' + examples("kctl set")),
    ("auth bogus more", 'unknown command "bogus more"\n' + examples("kctl auth")),
    ("plugin bogus", 'unknown command "bogus"\n' + examples("kctl plugin")),
    ("kuberc bogus", 'unknown command "bogus"\n' + examples("kctl kuberc")),
    ("--bogus", "unknown flag: --bogus\n" + usage("kctl")),
    ("--bogus=1 version", "unknown flag: --bogus\n" + usage("kctl version")),
    ("-z", "unknown shorthand flag: 'z' in -z\n" + usage("kctl")),
    ("--namespace", "flag needs an argument: --namespace\n" + usage("kctl")),
    ("-n", "flag needs an argument: 'n' in -n\n" + usage("kctl")),
    ("version --bogus", "unknown flag: --bogus\n" + usage("kctl version")),
    ("version --bo_gus", "unknown flag: --bo_gus\n" + usage("kctl version")),
    ("version -z", "unknown shorthand flag: 'z' in -z\n" + usage("kctl version")),
    ("version -zo", "unknown shorthand flag: 'z' in -zo\n" + usage("kctl version")),
    ("version -o", "flag needs an argument: 'o' in -o\n" + usage("kctl version")),
    ("get ---", "bad flag syntax: ---\n" + usage("kctl get")),
    ("get --=x", "bad flag syntax: --=x\n" + usage("kctl get")),
    ("config view --bogus", "unknown flag: --bogus\n" + usage("kctl config view")),
    ("create configmap a --bogus", "unknown flag: --bogus\n" + usage("kctl create configmap")),
    ("etcd install --bogus=1", "unknown flag: --bogus\n" + usage("kctl etcd install")),
    ("etcd path --etcd", "flag needs an argument: --etcd\n" + usage("kctl etcd path")),
    ("version more", "extra arguments: [more]\n"),
    ("options --bogus", "unknown flag: --bogus\nRun 'kctl options' without flags.\n"),
]


@pytest.mark.parametrize(("line", "said"), NO_SUCH_THING, ids=[line for line, _ in NO_SUCH_THING])
def test_what_does_not_exist_is_an_error_in_kubectls_words(line: str, said: str, run_kctl: Kctl) -> None:
    assert run_kctl(*line.split()) == Outcome(1, "", f"error: {said}")


def test_flags_before_what_is_no_verb_are_a_plugins_mistake(run_kctl: Kctl) -> None:
    for words in (["-n", "x", "bogus"], ["--namespace=x", "bogus"], ["--bogus", "get", "pods"]):
        said = f"Error: flags cannot be placed before plugin name: {words[0]}\n"
        assert run_kctl(*words) == Outcome(1, "", said)


VALUES = [
    ("--watch=x", 'invalid argument "x" for "-w, --watch" flag: strconv.ParseBool: parsing "x": invalid syntax'),
    ("--chunk-size=x", 'invalid argument "x" for "--chunk-size" flag: strconv.ParseInt: parsing "x": invalid syntax'),
    (
        "--chunk-size=99999999999999999999",
        (
            'invalid argument "99999999999999999999" for "--chunk-size" flag: strconv.ParseInt: parsing '
            '"99999999999999999999": value out of range'
        ),
    ),
    ("-v=x", 'invalid argument "x" for "-v, --v" flag: strconv.ParseInt: parsing "x": invalid syntax'),
    (
        '--label-columns=a"b',
        (
            'invalid argument "a\\"b" for "-L, --label-columns" flag: parse error on line 1, column 2: bare " in '
            "non-quoted-field"
        ),
    ),
    ("--log-flush-frequency=5", 'invalid argument "5" for "--log-flush-frequency" flag: parse error'),
    (
        "--vmodule=a",
        'invalid argument "a" for "--vmodule" flag: syntax error: expect comma-separated list of filename=N',
    ),
    ("--vmodule=a=-1", 'invalid argument "a=-1" for "--vmodule" flag: negative value for vmodule level'),
]


@pytest.mark.parametrize(("flag", "said"), VALUES, ids=[flag for flag, _ in VALUES])
def test_a_value_of_the_wrong_kind_is_told_in_gos_words(flag: str, said: str, run_kctl: Kctl) -> None:
    assert run_kctl("get", "pods", flag) == Outcome(1, "", f"error: {said}\n{usage('kctl get')}")


def test_a_duration_says_what_is_wrong_with_it(run_kctl: Kctl) -> None:
    said = 'error: invalid argument "5" for "--timeout" flag: time: missing unit in duration "5"\n'
    assert run_kctl("delete", "pods", "x", "--timeout=5") == Outcome(1, "", said + usage("kctl delete"))


def test_diff_tells_a_wrong_flag_by_its_exit_code(run_kctl: Kctl) -> None:
    assert run_kctl("diff", "--bogus").code > 1


def test_underscores_are_dashes_in_a_flags_name(run_kctl: Kctl) -> None:
    wrong = run_kctl("get", "pods", "--chunk_size=x")
    assert wrong.stderr.startswith('error: invalid argument "x" for "--chunk-size" flag:')


def test_a_verb_may_stand_behind_flags_and_their_values(run_kctl: Kctl) -> None:
    assert run_kctl("--namespace", "get", "version", "--client").code == 0
    assert run_kctl("-n", "get", "--v=0", "version", "--client").code == 0
    assert run_kctl("--", "version").stdout == run_kctl("--help").stdout
