"""`kctl patch` and `kctl replace`: whole outputs."""

from __future__ import annotations

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk


@pytest.fixture
def made(desk: Desk) -> Desk:
    desk.run("create", "-f", desk.config_map("a.yaml", "a", x="1"))
    return desk


@pytest.mark.parametrize(
    ("flags", "data"),
    [
        (["-p", '{"data":{"w":"2"}}'], '{"w":"2","x":"1"}'),
        (["-p", "data: {w: '2'}"], '{"w":"2","x":"1"}'),
        (["--type=merge", "-p", '{"data":{"x":null,"w":"2"}}'], '{"w":"2"}'),
        (["--type=json", "-p", '[{"op":"replace","path":"/data/x","value":"3"}]'], '{"x":"3"}'),
        (["--patch-file=patch.yaml"], '{"x":"1","z":"4"}'),
        (["--dry-run=client", "-p", '{"data":{"w":"2"}}'], '{"w":"2","x":"1"}'),
        (["--dry-run=server", "-p", '{"data":{"w":"2"}}'], '{"w":"2","x":"1"}'),
    ],
)
def test_an_object_is_patched(made: Desk, flags: list[str], data: str) -> None:
    made.write("patch.yaml", "data: {z: '4'}\n")
    assert made.run("patch", "cm", "a", *flags, "-o", "jsonpath={.data}") == Outcome(0, data, "")
    stored = made.run("get", "cm", "a", "-o", "jsonpath={.data}").stdout
    assert (stored == data) == (not flags[0].startswith("--dry-run"))


def test_a_patch_that_changes_nothing_says_so(made: Desk) -> None:
    change = ("patch", "cm", "a", "-p", '{"data":{"w":"2"}}')
    assert made.run(*change) == Outcome(0, "configmap/a patched\n", "")
    assert made.run(*change) == Outcome(0, "configmap/a patched (no change)\n", "")


def test_a_file_is_patched_without_a_server(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", x="1")
    done = desk.run(
        "patch", "-f", file, "--local", "--type=merge", "-p", '{"data":{"x":"2"}}', "-o", "jsonpath={.data}"
    )
    assert done == Outcome(0, '{"x":"2"}', "")
    assert desk.run("get", "cm", "a").code == 1


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([], "must specify --patch or --patch-file containing the contents of the patch"),
        (["-p", "{}", "--patch-file=x"], "cannot specify --patch and --patch-file together"),
        (["-p", "{}", "--type=weird"], '--type must be one of [json merge strategic], not "weird"'),
        (["-p", "{}", "--local"], "cannot specify --local and server resources"),
        (["--patch-file=absent"], "unable to read patch file: open absent: no such file or directory"),
    ],
)
def test_a_wrong_command_line_is_refused(made: Desk, flags: list[str], said: str) -> None:
    assert made.run("patch", "cm", "a", *flags) == Outcome(1, "", f"error: {said}\n")


def test_an_object_is_replaced_as_a_whole(made: Desk) -> None:
    made.config_map("a.yaml", "a", other="2")
    assert made.run("replace", "-f", "a.yaml") == Outcome(0, "configmap/a replaced\n", "")
    assert made.run("get", "cm", "a", "-o", "jsonpath={.data}").stdout == '{"other":"2"}'
    stale = made.write("stale.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, resourceVersion: '1'}\n")
    refused = made.run("replace", "-f", stale)
    assert refused.stderr.startswith(
        'Error from server (Conflict): error when replacing "stale.yaml": Operation cannot'
    )


def test_by_force_it_is_deleted_and_created_anew(made: Desk) -> None:
    before = made.run("get", "cm", "a", "-o", "jsonpath={.metadata.resourceVersion}").stdout
    text = (made.directory / "a.yaml").read_text()
    done = made.run("replace", "--force", "-f", "-", stdin=text)
    assert done == Outcome(0, 'configmap "a" deleted from <ns> namespace\nconfigmap/a replaced\n', "")
    assert made.run("get", "cm", "a", "-o", "jsonpath={.metadata.resourceVersion}").stdout != before
