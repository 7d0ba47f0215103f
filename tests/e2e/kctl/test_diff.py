"""`kctl diff`: what an apply would change, and exit codes that tell it."""

from __future__ import annotations

import http.server
import threading

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk


def _changed(done: Outcome) -> list[str]:
    """The lines that differ."""
    return [line for line in done.stdout.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]


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


def test_directories_kustomizations_and_labels_say_what_is_compared(desk: Desk) -> None:
    desk.write("d/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {t: one}}\n")
    desk.write("d/e/b.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n")
    desk.write("d/e/kustomization.yaml", "resources: [b.yaml]\nnamePrefix: my-\n")

    def names(*arguments: str) -> list[str]:
        return [line for line in _changed(desk.run("diff", *arguments)) if line.startswith("+  name: ")]

    assert names("-f", "d") == ["+  name: a"]
    assert names("-k", "d/e") == ["+  name: my-b"]
    (desk.directory / "d/e/kustomization.yaml").unlink()
    assert names("-R", "-f", "d") == ["+  name: a", "+  name: b"]
    assert names("-R", "-f", "d", "-l", "t=one") == ["+  name: a"]


def test_secrets_are_masked_unless_asked_for(desk: Desk) -> None:
    text = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {k: b25l, same: b25l}\n"
    file = desk.write("s.yaml", text)
    desk.run("create", "-f", file)
    desk.write("s.yaml", text.replace("k: b25l", "k: dHdv"))
    masked = desk.run("diff", "-f", file).stdout
    assert "-  k: '*** (before)'\n+  k: '*** (after)'\n   same: '***'\n" in masked
    assert "b25l" not in masked
    assert "-  k: b25l\n+  k: dHdv\n" in desk.run("diff", "-f", file, "--show-secrets").stdout


def test_who_would_own_a_field_is_shown_if_asked_for(desk: Desk) -> None:
    desk.run("apply", "-f", desk.config_map("a.yaml", "a", x="1"))
    desk.config_map("a.yaml", "a", x="2")
    assert _changed(desk.run("diff", "-f", "a.yaml", "--field-manager=me")) == ['-  x: "1"', '+  x: "2"']
    managed = desk.run("diff", "-f", "a.yaml", "--field-manager=me", "--show-managed-fields")
    assert "+    manager: me" in _changed(managed)


def test_the_server_merges_and_minds_who_owns_what(desk: Desk) -> None:
    desk.run("apply", "--server-side", "-f", desk.config_map("a.yaml", "a", x="1"))
    desk.config_map("a.yaml", "a", x="2")
    rival = ("diff", "-f", "a.yaml", "--server-side", "--field-manager=rival")
    assert desk.run(*rival) == Outcome(
        2, "", 'Error from server (Conflict): Apply failed with 1 conflict: conflict with "kubectl": .data.x\n'
    )
    assert _changed(desk.run(*rival, "--force-conflicts")) == ['-  x: "1"', '+  x: "2"']


def test_several_files_are_looked_at_at_the_same_time(desk: Desk) -> None:
    """Each file is served only when the other is asked for as well."""
    both = threading.Barrier(2, timeout=10)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            try:
                both.wait()
            except threading.BrokenBarrierError:
                self.send_error(404)
                return
            text = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {self.path[1:]}}}\n"
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        done = desk.run("diff", "-f", f"{url}/a", "-f", f"{url}/b", "--concurrency=2")
        server.shutdown()
    assert (done.code, done.stderr) == (1, "")
    assert [line for line in _changed(done) if "name: " in line] == ["+  name: a", "+  name: b"]


def test_one_broken_file_is_told_when_all_have_been_read(desk: Desk) -> None:
    desk.write("a.yaml", "a: [\n")
    desk.write("b.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\nbogus: 1\n")
    said = (
        "error: error parsing a.yaml: error converting YAML to JSON: yaml: line 1: did not find expected node content\n"
    )
    assert desk.run("diff", "-f", ".") == Outcome(2, "", f'Warning: unknown field "bogus"\n{said}')


def test_the_users_own_program_compares(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a")
    program = desk.program("print(len(sys.argv) - 1, *sys.argv[3:]); sys.exit(int(sys.argv[3]))")
    assert desk.run("diff", "-f", file, KUBECTL_EXTERNAL_DIFF=f"{program} 0 $HOME") == Outcome(0, "3 0\n", "")
    assert desk.run("diff", "-f", file, KUBECTL_EXTERNAL_DIFF=f"{program} 1") == Outcome(1, "3 1\n", "")
    failed = desk.run("diff", "-f", file, KUBECTL_EXTERNAL_DIFF=f"{program} 7")
    assert failed == Outcome(2, "3 7\n", f'error: failed to run "{program}": exit status 7\n')
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


def test_pruning_looks_also_where_nothing_of_the_file_is_yet(desk: Desk) -> None:
    desk.run("apply", "-f", desk.config_map("old.yaml", "old", x="1"))
    desk.config_map("new.yaml", "new")
    done = desk.run("diff", "-f", "new.yaml", "--prune", "--prune-allowlist=core/v1/ConfigMap")
    assert "-  name: old" in _changed(done)


def test_pruning_shows_what_would_go(desk: Desk) -> None:
    desk.run("apply", "-f", desk.config_map("old.yaml", "old", x="1"))
    desk.run("apply", "-f", desk.config_map("a.yaml", "a"))
    done = desk.run("diff", "-f", "a.yaml", "--prune", "--prune-allowlist=core/v1/ConfigMap")
    assert done.code == 1
    assert "-  name: old" in _changed(done)
    assert desk.run("diff", "-f", "a.yaml", "--prune", "--prune-allowlist=core/v1/Secret") == Outcome(0, "", "")


def test_two_moments_of_a_namespace_are_compared(desk: Desk) -> None:
    assert desk.run("create", "configmap", "a", "--from-literal=x=1").code == 0
    before = desk.run("get", "cm/a", "-o", "jsonpath={.metadata.resourceVersion}").stdout
    assert desk.run("patch", "cm/a", "-p", '{"data":{"x":"2"}}').code == 0
    after = desk.run("get", "cm/a", "-o", "jsonpath={.metadata.resourceVersion}").stdout
    assert desk.run("create", "secret", "generic", "s", "--from-literal=password=hush").code == 0
    done = desk.run("diff", "--at", before, "--to", after)
    assert (done.code, done.stderr) == (1, "")
    assert _changed(done) == ['-  x: "1"', '+  x: "2"', '-  resourceVersion: "<rv>"', '+  resourceVersion: "<rv>"']
    since = desk.run("diff", "--at", after)
    assert since.code == 1
    assert "+  password: '***'" in since.stdout
    assert "aHVzaA==" not in since.stdout
    assert desk.run("diff", "--at", before, "--to", before, "-A") == Outcome(0, "", "")
    assert desk.run("diff", "--to", after).stderr == "error: --to needs --at: from when to when?\n"
    wrong = desk.run("diff", "--at", after, "--to", before)
    assert wrong.code == 2
    assert "the earlier one comes first" in wrong.stderr
    assert "it takes no files" in desk.run("diff", "--at", "5m", "-f", "x").stderr
