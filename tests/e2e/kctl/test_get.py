"""`kctl get`: every flag, and what is printed."""

from __future__ import annotations

import json
import os
import pty
import queue
import re
import shlex
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self

import pytest

from tests.e2e.command_line import KCTL, Outcome, environment
from tests.e2e.kctl.conftest import Read
from tests.e2e.kctl.desk import Desk
from tests.e2e.up.machine import Machine

FRUIT = "get cm -l app=fruit"

SHOWN = [
    ("get cm apple", "NAME    DATA   AGE\napple   1      <age>\n"),
    (FRUIT, "NAME    DATA   AGE\napple   1      <age>\npear    2      <age>\n"),
    (f"{FRUIT} --no-headers", "apple   1     <age>\npear    2     <age>\n"),
    (f"{FRUIT} -o name", "configmap/apple\nconfigmap/pear\n"),
    (f"{FRUIT} -oname", "configmap/apple\nconfigmap/pear\n"),
    (f"{FRUIT} --chunk-size=1 -o name", "configmap/apple\nconfigmap/pear\n"),
    ("get cm --field-selector metadata.name=pear -o name", "configmap/pear\n"),
    ("get cm apple -L weight,none", "NAME    DATA   AGE  WEIGHT   NONE\napple   1      <age> 100      \n"),
    ("get cm apple --show-labels", "NAME    DATA   AGE  LABELS\napple   1      <age> app=fruit,weight=100\n"),
    ("get cm apple --show-kind", "NAME              DATA   AGE\nconfigmap/apple   1      <age>\n"),
    ("get cm apple --server-print=false", "NAME    AGE\napple   <age>\n"),
    (f"{FRUIT} --sort-by=.metadata.labels.weight -o name", "configmap/pear\nconfigmap/apple\n"),
    (f"{FRUIT} --sort-by=.metadata.labels.weight", "NAME    DATA   AGE\npear    2      <age>\napple   1      <age>\n"),
    (
        "get cm,secret -l app=fruit",
        (
            "NAME              DATA   AGE\nconfigmap/apple   1      <age>\nconfigmap/pear    2      <age>\n\n"
            "NAME         TYPE     DATA   AGE\nsecret/key   Opaque   1      <age>\n"
        ),
    ),
    (
        "get all -l app=fruit",
        (
            "NAME                  READY   UP-TO-DATE   AVAILABLE   AGE\n"
            "deployment.apps/web   0/0     0            0           <age>\n"
        ),
    ),
    (
        "get deploy web -o wide",
        (
            "NAME   READY   UP-TO-DATE   AVAILABLE   AGE  CONTAINERS   IMAGES   SELECTOR\n"
            "web    0/0     0            0           <age> c            nginx    a=b\n"
        ),
    ),
    ("get deployments.v1.apps/web -o name", "deployment.apps/web\n"),
    ("get deploy web --subresource=scale -o jsonpath={.kind}", "Scale"),
    ("get cm pear -o jsonpath={.data.colour}", "green"),
    ("get cm -l app=fruit -o jsonpath={.items[*].metadata.name}", "apple pear"),
    ("get cm apple -o go-template={{.data.colour}}", "red"),
    ("get cm -l app=fruit --template={{.kind}}", "List"),
    ("get cm apple -o custom-columns=N:.metadata.name,C:.data.colour", "N       C\napple   red\n"),
    ("get cm -A -l app=vegetable", "NAMESPACE   NAME     DATA   AGE\nshop        carrot   0      <age>\n"),
    ("get cm nope --ignore-not-found", ""),
    ("get --raw /readyz", "ok"),
    ("get ConfigMap/apple configmaps/pear cm/apple -o name", "configmap/apple\nconfigmap/pear\nconfigmap/apple\n"),
    (
        "get deploy,cm -l app=fruit --no-headers --show-kind",
        "deployment.apps/web   0/0   0     0     <age>\nconfigmap/apple   1     <age>\nconfigmap/pear    2     <age>\n",
    ),
    ("get cm carrot --server-print=false --show-labels", "NAME     AGE  LABELS\ncarrot   <age> app=vegetable\n"),
    ("get deploy web --subresource=scale", "NAME   DESIRED   AVAILABLE   AGE\nweb    0         0           <age>\n"),
    # --sort-by
    ("get cm -l app --sort-by=.metadata.labels.weight -o name", "configmap/carrot\nconfigmap/pear\nconfigmap/apple\n"),
    ("get cm apple --sort-by=.none -o name", "configmap/apple\n"),
    ("get cm apple --sort-by=.none --no-headers", "apple   1     <age>\n"),
    # jsonpath
    ("get cm -o 'jsonpath={.items[?(@.data.colour==\"green\")].metadata.name}'", "pear"),
    (
        'get cm -l app=fruit -o \'jsonpath={range .items[*]}{.metadata.name}{"\\t"}{.data.colour}{"\\n"}{end}\'',
        "apple\tred\npear\tgreen\n",
    ),
    ("get cm -l app -o 'jsonpath={.items[-1:].metadata.name} {.items[0,1].metadata.name}'", "pear apple carrot"),
    ("get cm -l app -o 'jsonpath={.items[::2].metadata.name}'", "apple pear"),
    ("get cm apple -o \"jsonpath={.metadata['name','namespace']}\"", "apple shop"),
    ("get cm apple -o jsonpath={.metadata.labels}", '{"app":"fruit","weight":"100"}'),
    ("get cm apple -o jsonpath={.none}x", "x"),
    ("get cm apple -o jsonpath-as-json={.metadata.labels.*}", '[\n    "fruit",\n    "100"\n]\n'),
    # go-template
    (
        "get cm -l app=fruit -o 'go-template={{range $i, $x := .items}}{{if $i}}, {{end}}{{$x.metadata.name}}{{end}}'",
        "apple, pear",
    ),
    ("get secret key -o 'template={{.data.k | base64decode}}'", "hi"),
    ("get deploy web -o 'go-template={{printf \"%03d %T\" .metadata.generation .metadata.generation}}'", "001 int64"),
    ("get cm apple -o go-template={{.none}}", "<no value>"),
    # custom-columns
    (
        "get cm -l app=fruit -o custom-columns=N:metadata.name,W:{.metadata.labels.weight},X:.none --no-headers",
        "apple   100   <none>\npear    20    <none>\n",
    ),
    ("get cm,secret -l app=fruit -o custom-columns=KIND:.kind", "KIND\nConfigMap\nConfigMap\nSecret\n"),
    # without an object
    ("get cm -l app=none -o name", ""),
    ("get cm -l app=none -o jsonpath={.items}", "[]"),
    ("get cm none apple -o name --ignore-not-found", "configmap/apple\n"),
]


@pytest.mark.parametrize(("line", "stdout"), SHOWN, ids=[line for line, _ in SHOWN])
def test_get_prints(line: str, stdout: str, read: Read) -> None:
    assert read(*shlex.split(line)) == Outcome(0, stdout, "")


SAID = [
    ("get cm -l app=none", 0, "No resources found in shop namespace.\n"),
    ("get cm -A -l app=none", 0, "No resources found\n"),
    ("get cm none", 1, 'Error from server (NotFound): configmaps "none" not found\n'),
    ("get nosuch", 1, 'error: the server doesn\'t have a resource type "nosuch"\n'),
    (
        "get deployments.v9.apps",
        1,
        'error: the server doesn\'t have a resource type "deployments" in group "v9.apps"\n',
    ),
    ("get cm apple -l a=b", 1, "error: name cannot be provided when a selector is specified\n"),
    ("get cm apple -A", 1, "error: a resource cannot be retrieved by name across all namespaces\n"),
    ("get cm a%2fb", 1, "error: invalid resource name \"a%2fb\": [may not contain '%']\n"),
    ("get cm,secret -w", 1, "error: you may only specify a single resource type\n"),
    ("get cm --raw /api", 1, "error: arguments may not be passed when --raw is specified\n"),
    ("get --raw relative", 1, 'error: --raw must be a valid URL path: parse "relative": invalid URI for request\n'),
    (
        "get cm --output-watch-events",
        1,
        "error: --output-watch-events option can only be used with --watch or --watch-only\n",
    ),
    ("get cm --show-labels -o json", 1, "error: --show-labels option cannot be used with json printer\n"),
    ("get secret none -n nowhere", 1, 'Error from server (NotFound): namespaces "nowhere" not found\n'),
    (
        "get cm --field-selector data.a=b",
        1,
        (
            'Error from server (BadRequest): Unable to find "/v1, Resource=configmaps" that match label selector "", '
            'field selector "data.a=b": "data.a" is not a known field selector: only "metadata.name", '
            '"metadata.namespace"\n'
        ),
    ),
    ("get cm none none", 1, 2 * 'Error from server (NotFound): configmaps "none" not found\n'),
    ("get cm none -o json", 1, 'Error from server (NotFound): configmaps "none" not found\n'),
    ("get cm none -w --ignore-not-found", 0, ""),
    (
        "get cm -L app -o custom-columns=A:.a",
        1,
        "error: --label-columns option cannot be used with custom-columns=A:.a printer\n",
    ),
    (
        "get cm apple --subresource=status",
        1,
        "Error from server (NotFound): the server could not find the requested resource\n",
    ),
    ("get deploy --subresource=scale", 1, "error: subresource cannot be used when bulk resources are specified\n"),
    (
        "get cm --chunk-size=many",
        1,
        (
            'error: invalid argument "many" for "--chunk-size" flag: strconv.ParseInt: parsing "many": invalid syntax\n'
            "See 'kctl get --help' for usage.\n"
        ),
    ),
    ("get --raw /api/%", 1, 'error: --raw must be a valid URL path: parse "/api/%": invalid URL escape "%"\n'),
    ("get --raw /api -o json", 1, "error: --raw and --output are mutually exclusive\n"),
    ("get --raw /none", 1, "Error from server (NotFound): the server could not find the requested resource\n"),
    ("get -f a.yaml cm", 1, 'error: the path "a.yaml" does not exist\n'),
    (
        "get cm -o xml",
        1,
        (
            'error: unable to match a printer suitable for the output format "xml", allowed formats are: '
            "custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,"
            "kyaml,name,template,templatefile,wide,yaml\n"
        ),
    ),
    # --sort-by: a table that can't be sorted is not shown, and nothing is said about it.
    ("get cm --sort-by=.none", 0, "No resources found in shop namespace.\n"),
    (
        "get cm --sort-by=.none -o name",
        1,
        'error: couldn\'t find any field with path "{.none}" in the list of objects\n',
    ),
    (
        "get cm,secret --sort-by=.metadata.name",
        1,
        'error: couldn\'t find any field with path "{.metadata.name}" in the list of objects\n',
    ),
    # templates
    ("get cm -o jsonpath={.items[", 1, "error: error parsing jsonpath {.items[, unterminated array\n"),
    ("get cm -o jsonpath", 1, "error: template format specified but no template given\n"),
    ("get cm -o jsonpath-file=none", 1, "error: error reading --template none, open none: no such file or directory\n"),
    (
        "get cm -o go-template={{nope}}",
        1,
        'error: error parsing template {{nope}}, template: output:1: function "nope" not defined\n',
    ),
    ("get cm -o custom-columns", 1, "error: custom-columns format specified but no custom columns given\n"),
    ("get cm -o custom-columns=A", 1, "error: unexpected custom-columns spec: A, expected <header>:<json-path-expr>\n"),
]


@pytest.mark.parametrize(("line", "code", "stderr"), SAID, ids=[line for line, _, _ in SAID])
def test_get_says(line: str, code: int, stderr: str, read: Read) -> None:
    assert read(*line.split(" ")) == Outcome(code, "", stderr)


def test_a_type_has_to_be_named(read: Read) -> None:
    assert read("get") == Outcome(
        1,
        "",
        'You must specify the type of resource to get. Use "kctl api-resources" for a complete list of supported '
        'resources.\n\nerror: Required resource not specified.\nUse "kctl explain <resource>" for a detailed '
        "description of that resource (e.g. kctl explain pods).\nSee 'kctl get -h' for help and examples\n",
    )


def test_what_a_template_does_not_find_is_an_error_on_request(read: Read) -> None:
    refused = read("get", "cm", "apple", "-o", "jsonpath={.none}", "--allow-missing-template-keys=false")
    assert (refused.code, refused.stdout) == (1, "")
    assert refused.stderr.startswith(
        'error: error executing jsonpath "{.none}": Error executing template: none is not found.'
    )
    refused = read("get", "cm", "apple", "-o", "go-template={{.none}}", "--allow-missing-template-keys=false")
    assert refused.stdout.startswith("Error executing template: template: output:1:2: executing")
    assert refused.stderr.endswith('at <.none>: map has no entry for key "none"\n')


def test_headers_are_out_before_a_column_fails(read: Read) -> None:
    refused = read("get", "cm", "-o", "custom-columns=A:.metadata.name,B:.items[")
    assert refused == Outcome(1, "A     B\n", "error: unterminated array\n")


def test_what_can_not_be_compared_ends_the_command(read: Read) -> None:
    refused = read("get", "cm", "-l", "app=fruit", "--sort-by=.data")
    assert (refused.code, refused.stdout) == (1, "")
    assert refused.stderr.endswith(
        "] Field {.data} in [][][]reflect.Value is an unsortable type: interface, err: unsortable type: "
        "map[string]interface {}\n"
    )


def test_lists_come_in_chunks(read: Read) -> None:
    line = ("get", "cm", "-o", "name", "-v=6")
    in_chunks, at_once = read(*line, "--chunk-size=2"), read(*line, "--chunk-size=0")
    assert in_chunks.stdout == at_once.stdout
    asked = [len(re.findall("configmaps[?]?", one.stderr)) for one in (in_chunks, at_once)]
    assert asked == [2, 1]
    assert "limit=2" in in_chunks.stderr
    assert "limit=" not in at_once.stderr


def test_templates_and_columns_can_come_from_files(read: Read, tmp_path: Path) -> None:
    path, template, columns = tmp_path / "path", tmp_path / "template", tmp_path / "columns"
    path.write_text("{.items[*].metadata.name}")
    template.write_text("{{len .items}}")
    columns.write_text("NAME           COLOUR\nmetadata.name  .data.colour\n")
    line = ("get", "cm", "-l", "app=fruit")
    assert read(*line, "-o", f"jsonpath-file={path}").stdout == "apple pear"
    assert read(*line, "-o", f"go-template-file={template}").stdout == "2"
    assert read(*line, "-o", "templatefile", "--template", str(template)).stdout == "2"
    assert read(*line, "-o", f"custom-columns-file={columns}").stdout == "NAME    COLOUR\napple   red\npear    green\n"
    columns.write_text("NAME COLOUR\nmetadata.name\n")
    assert read(*line, "-o", f"custom-columns-file={columns}") == Outcome(
        1, "", "error: number of headers (2) and field specifications (1) don't match\n"
    )


def test_the_three_forms_of_a_whole_object(read: Read) -> None:
    line = ("get", "secret", "key", "--clean", "-o")
    assert read(*line, "yaml").stdout == (
        "apiVersion: v1\ndata:\n  k: aGk=\nkind: Secret\nmetadata:\n  labels:\n    app: fruit\n  name: key\n"
        "  namespace: shop\ntype: Opaque\n"
    )
    assert read(*line, "kyaml").stdout == (
        '---\n{\n  apiVersion: "v1",\n  data: {\n    k: "aGk=",\n  },\n  kind: "Secret",\n  metadata: {\n'
        '    labels: {\n      app: "fruit",\n    },\n    name: "key",\n    namespace: "shop",\n  },\n'
        '  type: "Opaque",\n}\n'
    )
    assert json.loads(read(*line, "json").stdout)["data"] == {"k": "aGk="}


def test_what_is_there_is_printed_beside_what_is_not(read: Read) -> None:
    assert read("get", "cm", "none", "apple") == Outcome(
        1, "NAME    DATA   AGE\napple   1      <age>\n", 'Error from server (NotFound): configmaps "none" not found\n'
    )


def test_who_is_impersonated_needs_rights_of_their_own(read: Read) -> None:
    refused = read("get", "cm", "--as", "nobody", "--as-group", "system:authenticated")
    assert refused.code == 1
    assert refused.stderr.startswith(
        'Error from server (Forbidden): configmaps is forbidden: User "nobody" cannot list'
    )


def test_managed_fields_are_shown_on_request(read: Read) -> None:
    assert "managedFields" not in read("get", "cm", "apple", "-o", "yaml").stdout
    assert "managedFields" in read("get", "cm", "apple", "-o", "yaml", "--show-managed-fields").stdout


def test_an_object_is_printed_as_it_is(read: Read) -> None:
    printed = json.loads(read("get", "cm", "pear", "-o", "json").stdout)
    assert printed["data"] == {"colour": "green", "note": "a\nb\n"}
    assert list(printed) == sorted(printed)


def test_files_say_which_objects_are_meant(read: Read, tmp_path: Path) -> None:
    apple = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: apple\n"
    (tmp_path / "a.yaml").write_text(apple + "---\n" + apple.replace("apple", "pear"))
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "b.json").write_text(
        '{"kind": "List", "apiVersion": "v1", "items": [{"kind": "Secret", "apiVersion": "v1", "metadata": {"name": '
        '"key"}}]}'
    )
    (tmp_path / "notes.txt").write_text("no manifest")
    assert read("get", "-f", str(tmp_path), "-o", "name").stdout == "configmap/apple\nconfigmap/pear\n"
    assert (
        read("get", "-R", "-f", str(tmp_path), "-o", "name").stdout == "configmap/apple\nconfigmap/pear\nsecret/key\n"
    )
    refused = read("get", "-f", str(tmp_path / "none"))
    assert refused == Outcome(1, "", f'error: the path "{tmp_path}/none" does not exist\n')


def test_everything_is_every_type_of_the_namespace(read: Read) -> None:
    done = read("get", "everything", "--no-headers", "-o", "name")
    assert (done.code, done.stderr) == (0, "")
    assert {"configmap/apple", "secret/key", "deployment.apps/web"} <= {*done.stdout.split()}
    assert "namespace/shop" not in done.stdout
    everywhere = read("get", "everything", "-A", "-o", "name").stdout.split()
    assert {"namespace/shop", "secret/key", "clusterrole.rbac.authorization.k8s.io/admin"} <= {*everywhere}


def test_nobody_can_delete_everything(read: Read) -> None:
    done = read("delete", "everything", "--all")
    assert (done.code, done.stderr) == (1, 'error: the server doesn\'t have a resource type "everything"\n')


def test_secrets_that_can_be_read(read: Read) -> None:
    decoded = read("get", "secret", "key", "-o", "yaml", "--clean", "--decode").stdout
    assert decoded == (
        "apiVersion: v1\nkind: Secret\nmetadata:\n  labels:\n    app: fruit\n  name: key\n  namespace: shop\n"
        "stringData:\n  k: hi\ntype: Opaque\n"
    )


@pytest.mark.parametrize("flag", ["--clean", "--decode"])
def test_tables_have_nothing_to_clean_or_decode(read: Read, flag: str) -> None:
    assert read("get", "cm", flag) == Outcome(
        1,
        "",
        f"error: {flag} option can only be used with an --output of whole objects, and without --watch\n",
    )


def test_a_kustomization_names_objects(read: Read, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: pple\n")
    (tmp_path / "kustomization.yaml").write_text("resources: [a.yaml]\nnamePrefix: a\n")
    assert read("get", "-k", str(tmp_path), "-o", "name") == Outcome(0, "configmap/apple\n", "")
    assert read("get", "--kustomize", str(tmp_path), "-f", "a.yaml").code == 1


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("jsonpath={.data.k}", "^[[2Jboo^Mover^G\\x9b31m"),
        ("go-template={{.data.k}}", "^[[2Jboo^Mover^G\\x9b31m"),
        ("custom-columns=A:.data.k", "A\r\n^[[2Jboo\\rover^G\\x9b31m\r\n"),
    ],
)
def test_what_an_object_contains_is_shown_on_a_terminal_and_not_obeyed(output: str, shown: str, desk: Desk) -> None:
    data = '{k: "\\e[2Jboo\\rover\\a\\u009b31m"}'
    desk.write("evil.yaml", f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: evil}}\ndata: {data}\n")
    assert desk.run("create", "-f", "evil.yaml").code == 0
    ours, theirs = pty.openpty()
    machine = desk.machine
    done = subprocess.run(
        [*KCTL, "-n", desk.namespace, "get", "cm", "evil", "-o", output],
        cwd=machine.home,
        env=environment(machine.home, machine.environ),
        stdout=theirs,
        check=False,
    )
    os.close(theirs)
    assert (done.returncode, os.read(ours, 1000).decode()) == (0, shown)
    os.close(ours)


def test_items_of_a_list_in_a_file_fail_together(read: Read, tmp_path: Path) -> None:
    items = [{"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": name}} for name in ("no", "apple", "none")]
    (tmp_path / "list.json").write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": items}))
    (tmp_path / "one.json").write_text(json.dumps(items[0]))
    assert read("get", "-f", str(tmp_path)) == Outcome(
        1,
        "NAME    DATA   AGE\napple   1      <age>\n",
        '[configmaps "no" not found, configmaps "none" not found]\n'
        'Error from server (NotFound): configmaps "no" not found\n',
    )
    assert read("get", "--filename", str(tmp_path), "--ignore-not-found", "-o", "name").stdout == "configmap/apple\n"


def test_a_file_may_name_a_namespace_but_not_another_than_n(read: Read, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: apple, namespace: default}\n")
    assert read("get", "-f", str(file)).stderr == 'Error from server (NotFound): configmaps "apple" not found\n'
    file.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kube-root-ca.crt, namespace: default}\n")
    assert read("get", "-f", str(file)) == Outcome(
        1,
        "",
        'the namespace from the provided object "default" does not match the namespace "shop". You must pass '
        "'--namespace=default' to perform this operation.\n",
    )


class Watching:
    """kctl with -w, and what it has printed so far."""

    def __init__(self, shop: Machine, *arguments: str) -> None:
        self._shop = shop
        self._lines: queue.Queue[str] = queue.Queue()
        self._process = subprocess.Popen(
            [*KCTL, "-n", "shop", *arguments],
            cwd=shop.home,
            env=environment(shop.home, shop.environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)

    def line(self) -> str:
        return self._lines.get(timeout=60)

    def first_after(self, change: Callable[[int], object]) -> str:
        """Changes are made until one is seen: nobody knows when a watch that prints nothing has begun."""
        for number in range(60):
            change(number)
            with suppress(queue.Empty):
                return self._lines.get(timeout=1)
        raise AssertionError("no change was printed")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.communicate()


def _mark(shop: Machine, number: int) -> None:
    done = shop.kctl("-n", "shop", "annotate", "cm", "carrot", f"mark={number}", "--overwrite")
    assert done.code == 0, done.stderr


@pytest.mark.parametrize("flag", ["-w", "--watch"])
def test_a_watched_table_has_one_header(flag: str, shop: Machine) -> None:
    with Watching(shop, "get", "cm", "carrot", flag, "--output-watch-events") as seen:
        assert seen.line().split() == ["EVENT", "NAME", "DATA", "AGE"]
        assert seen.line().split()[:2] == ["ADDED", "carrot"]
        assert seen.first_after(lambda number: _mark(shop, number)).split()[:2] == ["MODIFIED", "carrot"]


def test_watch_only_leaves_out_what_is_there(shop: Machine) -> None:
    with Watching(shop, "get", "cm", "-l", "app", "--watch-only", "-o", "name", "--output-watch-events") as seen:
        assert seen.first_after(lambda number: _mark(shop, number)) == "configmap/carrot\n"


def test_order_does_not_outlive_the_first_table(shop: Machine) -> None:
    with Watching(
        shop, "get", "cm", "-l", "app=fruit", "-w", "--sort-by=.metadata.labels.weight", "--no-headers"
    ) as seen:
        assert [seen.line().split()[0], seen.line().split()[0]] == ["pear", "apple"]
        seen._process.terminate()
        assert seen._process.stderr is not None
        assert seen._process.stderr.read() == (
            "warning: --watch requested, --sort-by will be ignored for watch events received\n"
        )


def test_the_past_is_shown_as_the_present_is(desk: Desk) -> None:
    assert desk.run("create", "configmap", "a", "--from-literal=colour=red").code == 0
    revision = desk.run("get", "cm/a", "-o", "jsonpath={.metadata.resourceVersion}").stdout
    assert desk.run("delete", "cm", "a").code == 0
    assert desk.run("get", "cm/a", "--at", revision, "-o", "jsonpath={.data.colour}").stdout == "red"
    assert "a      " in desk.run("get", "cm", "--at", revision).stdout
    assert desk.run("get", "cm/a", "--at", revision, "--no-headers").stdout.split()[:2] == ["a", "1"]
    assert "a " not in desk.run("get", "cm", "--at", "0s").stdout
    gone = desk.run("get", "cm", "--at", "0")
    assert gone.code == 1
    assert "0 is gone: the history of this plane reaches back to revision" in gone.stderr
    assert "--at shows whole objects of the past" in desk.run("get", "cm", "--at", "5m", "-w").stderr
