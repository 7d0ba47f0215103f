"""`kctl diff`: what an apply would change, and exit codes that tell it."""

from __future__ import annotations

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk


def test_nothing_to_change_is_0_and_something_is_1(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", x="1", z="1")
    desk.run("apply", "-f", file)
    assert desk.run("diff", "-f", file) == Outcome(0, "", "")
    desk.config_map("a.yaml", "a", x="2", z="1")
    done = desk.run("diff", "-f", file)
    assert (done.code, done.stderr) == (1, "")
    assert done.stdout.splitlines()[3:] == [
        "@@ -1,6 +1,6 @@",
        " apiVersion: v1",
        " data:",
        '-  x: "1"',
        '+  x: "2"',
        '   z: "1"',
        " kind: ConfigMap",
        " metadata:",
    ]
    assert desk.run("get", "cm", "a", "-o", "jsonpath={.data.x}").stdout == "1"


def test_a_new_object_is_all_addition(desk: Desk) -> None:
    done = desk.run("diff", "-f", desk.config_map("a.yaml", "a", x="1"))
    assert done.code == 1
    assert [line for line in done.stdout.splitlines() if not line.startswith(("+", "diff", "---", "@@"))] == []
    assert desk.run("get", "cm", "a").code == 1


def test_secrets_are_masked_unless_asked_for(desk: Desk) -> None:
    text = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {k: b25l, same: b25l}\n"
    file = desk.write("s.yaml", text)
    desk.run("create", "-f", file)
    desk.write("s.yaml", text.replace("k: b25l", "k: dHdv"))
    masked = desk.run("diff", "-f", file).stdout
    assert "-  k: '*** (before)'\n+  k: '*** (after)'\n   same: '***'\n" in masked
    assert "b25l" not in masked
    assert "-  k: b25l\n+  k: dHdv\n" in desk.run("diff", "-f", file, "--show-secrets").stdout


def test_the_users_own_program_compares_and_ends_as_it_ends(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a")
    program = desk.program("print(len(sys.argv) - 1, *sys.argv[3:]); sys.exit(int(sys.argv[3]))")
    assert desk.run("diff", "-f", file, KUBECTL_EXTERNAL_DIFF=f"{program} 0 $HOME") == Outcome(0, "3 0\n", "")
    failed = desk.run("diff", "-f", file, KUBECTL_EXTERNAL_DIFF=f"{program} 7")
    assert failed == Outcome(7, "3 7\n", f'error: failed to run "{program}": exit status 7\n')
    missing = desk.run("diff", "-f", file, KUBECTL_EXTERNAL_DIFF="nosuchprogram")
    assert missing == Outcome(2, "", 'error: failed to run "nosuchprogram": executable file not found in $PATH\n')


def test_what_goes_wrong_is_2(desk: Desk) -> None:
    assert desk.run("diff") == Outcome(2, "", "error: must specify one of -f and -k\n")
    assert desk.run("diff", "-f", "absent") == Outcome(2, "", 'error: the path "absent" does not exist\n')
    assert desk.run("diff", "--bogus") == Outcome(
        2, "", "error: unknown flag: --bogus\nSee 'kctl diff -h' for help and examples\n"
    )
    file = desk.config_map("a.yaml", "a")
    refused = desk.run("diff", "-f", file, "--force-conflicts")
    assert refused == Outcome(2, "", "error: --force-conflicts only works with --server-side\n")


def test_pruning_shows_what_would_go(desk: Desk) -> None:
    desk.run("apply", "-f", desk.config_map("old.yaml", "old", x="1"))
    desk.run("apply", "-f", desk.config_map("a.yaml", "a"))
    done = desk.run("diff", "-f", "a.yaml", "--prune", "--prune-allowlist=core/v1/ConfigMap")
    assert done.code == 1
    assert "-  name: old\n" in done.stdout
