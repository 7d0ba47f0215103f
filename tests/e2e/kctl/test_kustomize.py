"""`kctl kustomize`, and -k of the other verbs. What kustomizations come to in detail is in the unit tests."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk

_BASE = {
    "base/kustomization.yaml": "resources: [web.yaml]\nnamePrefix: my-\nconfigMapGenerator:\n"
    "- name: conf\n  literals: [colour=red]\n",
    "base/web.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 80}]}\n---\n"
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 1\n"
    "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n"
    "      containers:\n      - name: c\n        image: nginx\n        envFrom: [{configMapRef: {name: conf}}]\n",
}
_BUILT = """\
apiVersion: v1
data:
  colour: red
kind: ConfigMap
metadata:
  name: my-conf-5k9ch927gb
---
apiVersion: v1
kind: Service
metadata:
  name: my-web
spec:
  ports:
  - port: 80
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: my-web
spec:
  replicas: 1
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - envFrom:
        - configMapRef:
            name: my-conf-5k9ch927gb
        image: nginx
        name: c
"""
_ONE = {"one/kustomization.yaml": "configMapGenerator: [{name: one, literals: [a=b]}]\n"}
_ONE_BUILT = "apiVersion: v1\ndata:\n  a: b\nkind: ConfigMap\nmetadata:\n  name: one-4h2mbtbbt6\n"
_FUNCTIONS = "is for functions that run in containers, which kctl does not start\n"
_DEPRECATED_ORDER = (
    "Flag --reorder has been deprecated, use the new 'sortOptions' field in kustomization.yaml instead.\n"
)


def _lay_out(desk: Desk, files: dict[str, str]) -> None:
    for name, text in files.items():
        desk.write(name, text)


def test_a_directory_is_built_and_without_one_the_current_is(desk: Desk) -> None:
    _lay_out(desk, _BASE)
    assert desk.run("kustomize", "base") == Outcome(0, _BUILT, "")
    desk.write("kustomization.yaml", "resources: [base]\n")
    assert desk.run("kustomize") == Outcome(0, _BUILT, "")
    refused = desk.run("kustomize", "base", ".")
    assert refused == Outcome(1, "", "error: specify one path to kustomization.yaml\n")


def test_what_can_not_be_built_is_told_in_kustomizes_words(desk: Desk) -> None:
    directory = desk.directory.resolve()
    desk.write("empty/a.yaml", "")
    assert desk.run("kustomize", "empty") == Outcome(
        1,
        "",
        "error: unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory "
        f"'{directory}/empty'\n",
    )
    assert desk.run("kustomize", "absent") == Outcome(
        1,
        "",
        "error: must build at directory: not a valid directory: evalsymlink failure on 'absent' : "
        f"lstat {directory}/absent: no such file or directory\n",
    )
    desk.write("old/kustomization.yaml", "commonLabels: {a: b}\nfoo: bar\n")
    assert desk.run("kustomize", "old") == Outcome(1, "", 'error: invalid Kustomization: json: unknown field "foo"\n')


def test_output_goes_to_a_file_or_a_file_for_each_object(desk: Desk) -> None:
    _lay_out(desk, _BASE)
    assert desk.run("kustomize", "base", "-o", "all.yaml") == Outcome(0, "", "")
    assert (desk.directory / "all.yaml").read_text() == _BUILT
    (desk.directory / "apart").mkdir()
    assert desk.run("kustomize", "base", "--output=apart") == Outcome(0, "", "")
    written = {file.name: file.read_text() for file in (desk.directory / "apart").iterdir()}
    parts = _BUILT.split("---\n")
    assert written == {
        "v1_configmap_my-conf-5k9ch927gb.yaml": parts[0],
        "v1_service_my-web.yaml": parts[1],
        "apps_v1_deployment_my-web.yaml": parts[2],
    }
    refused = desk.run("kustomize", "base", "-o", "no/such/file")
    assert refused == Outcome(1, "", "error: open no/such/file: no such file or directory\n")


def test_objects_of_several_namespaces_are_told_apart_by_their_files(desk: Desk) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: %s}\n"
    desk.write("a.yaml", text % "one" + "---\n" + text % "two")
    desk.write("kustomization.yaml", "resources: [a.yaml]\n")
    (desk.directory / "apart").mkdir()
    assert desk.run("kustomize", "-o", "apart") == Outcome(0, "", "")
    names = sorted(file.name for file in (desk.directory / "apart").iterdir())
    assert names == ["one_v1_configmap_a.yaml", "two_v1_configmap_a.yaml"]


def test_files_outside_are_read_only_if_the_load_restrictor_allows_it(desk: Desk) -> None:
    desk.config_map("outside.yaml", "a")
    desk.write("k/kustomization.yaml", "configMapGenerator: [{name: c, files: [../outside.yaml]}]\n")
    directory = desk.directory.resolve()
    assert desk.run("kustomize", "k") == Outcome(
        1,
        "",
        "error: loading KV pairs: file sources: [../outside.yaml]: security; file "
        f"'{directory}/outside.yaml' is not in or below '{directory}/k'\n",
    )
    allowed = desk.run("kustomize", "k", "--load-restrictor=LoadRestrictionsNone")
    assert (allowed.code, allowed.stderr) == (0, "")
    assert desk.run("kustomize", "k", "--load-restrictor", "x") == Outcome(
        1,
        "",
        "error: illegal flag value --load-restrictor x; legal values: [LoadRestrictionsRootOnly "
        "LoadRestrictionsNone]\n",
    )


def test_reorder_says_in_which_order_objects_come(desk: Desk) -> None:
    _lay_out(desk, _BASE)
    config_map, service, deployment = _BUILT.split("---\n")
    read = f"{service}---\n{deployment}---\n{config_map}"
    assert desk.run("kustomize", "base", "--reorder=none") == Outcome(0, read, _DEPRECATED_ORDER)
    assert desk.run("kustomize", "base", "--reorder=legacy") == Outcome(0, _BUILT, _DEPRECATED_ORDER)
    refused = desk.run("kustomize", "base", "--reorder=x")
    problem = "error: illegal flag value --reorder x; legal values: [legacy none]\n"
    assert refused == Outcome(1, "", _DEPRECATED_ORDER + problem)


def test_the_managed_by_label_is_added_by_flag_or_environment(desk: Desk) -> None:
    _lay_out(desk, _ONE)
    labelled = _ONE_BUILT.replace(
        "metadata:\n", "metadata:\n  labels:\n    app.kubernetes.io/managed-by: kustomize-v5.8.1\n"
    )
    done = desk.run("kustomize", "one", "--enable-managedby-label")
    assert (done.code, done.stdout) == (0, labelled)
    assert done.stderr.startswith("Flag --enable-managedby-label has been deprecated, ")
    assert desk.run("kustomize", "one", KUSTOMIZE_ENABLE_MANAGEDBY_LABEL="on") == Outcome(0, labelled, "")
    assert desk.run("kustomize", "one") == Outcome(0, _ONE_BUILT, "")


_HELM = """\
arguments = sys.argv[1:]
if arguments[0] == "version":
    print("v3.99.0")
    sys.exit()
if "fail" in arguments:
    sys.exit("no such thing")
values = open(arguments[arguments.index("-f") + 1]).read()
shown = [one for one in arguments if "/" not in one]
print("apiVersion: v1")
print("kind: ConfigMap")
print("metadata: {name: chart}")
print("data:")
print("  arguments:", repr(" ".join(shown)))
print("  values:", repr(values))
"""


def _chart(desk: Desk, **more: str) -> str:
    fields = "".join(f", {name}: {value}" for name, value in more.items())
    desk.write("kustomization.yaml", f"helmCharts: [{{name: shop, releaseName: r{fields}}}]\n")
    desk.write("charts/shop/values.yaml", "size: 1\n")
    return desk.program(_HELM)


def _charted(arguments: str, values: str = "size: 1\\n") -> str:
    return (
        f"apiVersion: v1\ndata:\n  arguments: {arguments}\n  values: '{values}'\nkind: ConfigMap\n"
        "metadata:\n  name: chart\n"
    )


def test_charts_are_inflated_only_if_helm_is_enabled(desk: Desk) -> None:
    helm = _chart(desk)
    assert desk.run("kustomize") == Outcome(
        1,
        "",
        "error: trouble configuring builtin HelmChartInflationGenerator with config: `\n"
        "name: shop\nreleaseName: r\n`: must specify --enable-helm\n",
    )
    done = desk.run("kustomize", "--enable-helm", "--helm-command", helm)
    assert done == Outcome(0, _charted("template r -f"), "")
    by_plugins = desk.run("kustomize", "--enable-alpha-plugins", "--helm-command", helm)
    assert by_plugins == done


def test_charts_are_told_what_the_cluster_has(desk: Desk) -> None:
    helm = _chart(desk, valuesInline="{size: 2, more: x}")
    done = desk.run(
        "kustomize",
        "--enable-helm",
        f"--helm-command={helm}",
        "--helm-kube-version=1.37",
        "--helm-api-versions=example.v1",
        "--helm-api-versions",
        "example.v2",
        "--helm-debug",
    )
    arguments = "template r -f --api-versions example.v1 --api-versions example.v2 --kube-version\n    1.37 --debug"
    assert done == Outcome(0, _charted(arguments, "more: x\\nsize: 2\\n"), "")


def test_a_helm_that_is_not_there_or_fails_is_told(desk: Desk) -> None:
    helm = _chart(desk)
    desk.write("kustomization.yaml", "helmGlobals: {configHome: home}\nhelmCharts: [{name: shop, releaseName: fail}]\n")
    environment = "env=[HELM_CONFIG_HOME=home HELM_CACHE_HOME=home/.cache HELM_DATA_HOME=home/.data]"
    missing = desk.run("kustomize", "--enable-helm", "--helm-command=nosuchhelm")
    assert missing == Outcome(
        1,
        "",
        f"error: unable to run: 'nosuchhelm version --short' with {environment} (is 'nosuchhelm' installed?): "
        'exec: "nosuchhelm": executable file not found in $PATH\n',
    )
    failed = desk.run("kustomize", "--enable-helm", "--helm-command", helm)
    assert failed.stderr.startswith(f"error: no such thing\n: unable to run: '{helm} template fail ")
    assert failed.stderr.endswith(f" with {environment} (is '{helm}' installed?): exit status 1\n")


def test_plugins_that_are_not_built_in_are_refused(desk: Desk) -> None:
    desk.write("kustomization.yaml", "generators: [plugin.yaml]\n")
    desk.write("plugin.yaml", "apiVersion: example.com/v1\nkind: Magic\nmetadata: {name: m}\n")
    assert desk.run("kustomize") == Outcome(
        1,
        "",
        "error: loading generator plugins: failed to load generator: external plugins disabled; unable to load "
        "external plugin 'Magic'\n",
    )
    assert desk.run("kustomize", "--enable-alpha-plugins") == Outcome(
        1,
        "",
        "error: loading generator plugins: failed to load generator: unable to load external plugin 'Magic': kctl runs "
        "no plugins that are programs or containers\n",
    )


@pytest.mark.parametrize(
    ("flag", "name"),
    [
        (["--network"], "network"),
        (["--network-name=x"], "network-name"),
        (["--mount", "type=bind"], "mount"),
        (["--env", "A=b"], "env"),
        (["-e", "A=b"], "env"),
        (["--as-current-user"], "as-current-user"),
    ],
)
def test_flags_for_functions_are_refused_and_not_ignored(desk: Desk, flag: list[str], name: str) -> None:
    _lay_out(desk, _ONE)
    assert desk.run("kustomize", "one", *flag) == Outcome(1, "", f"error: --{name} {_FUNCTIONS}")


class _Files(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        found = self.path == "/some/shared.yaml"
        self.send_response(200 if found else 404)
        self.end_headers()
        if found:
            self.wfile.write(b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared}\n")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _Files) as listening:
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()
        thread.join()


def test_a_resource_may_be_a_file_of_a_web_server(desk: Desk, server: str) -> None:
    desk.write("kustomization.yaml", f"namePrefix: my-\nresources: ['{server}/some/shared.yaml']\n")
    expected = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: my-shared\n"
    assert desk.run("kustomize") == Outcome(0, expected, "")
    desk.write("kustomization.yaml", f"resources: ['{server}/absent.yaml']\n")
    assert desk.run("kustomize") == Outcome(
        1,
        "",
        f"error: accumulating resources: accumulating resources from '{server}/absent.yaml': HTTP Error: status code "
        "404 (Not Found)\n",
    )


def test_a_kustomization_of_a_git_repository_is_cloned_and_removed(desk: Desk) -> None:
    import shutil

    git = shutil.which("git")
    if git is None:
        pytest.skip("there is no git here")
    repository = desk.directory / "repository"
    desk.write("repository/base/kustomization.yaml", "configMapGenerator: [{name: one, literals: [a=b]}]\n")
    for words in (
        ("init", "-q"),
        ("add", "."),
        ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"),
        ("tag", "v1"),
    ):
        subprocess.run([git, *words], cwd=repository, check=True)
    path = str(Path(git).parent)
    before = set(desk.directory.iterdir())
    assert desk.run("kustomize", f"file://{repository}//base?ref=v1", PATH=path) == Outcome(0, _ONE_BUILT, "")
    assert set(desk.directory.iterdir()) == before
    without = desk.run("kustomize", f"file://{repository}//base")
    assert without == Outcome(
        1, "", "error: no 'git' program on path: exec: \"git\": executable file not found in $PATH\n"
    )


# -k


def test_a_kustomization_is_applied_compared_shown_and_deleted(desk: Desk) -> None:
    _lay_out(desk, _BASE)
    created = "configmap/my-conf-5k9ch927gb created\nservice/my-web created\ndeployment.apps/my-web created\n"
    assert desk.run("diff", "-k", "base").code == 1
    assert desk.run("apply", "-k", "base") == Outcome(0, created, "")
    assert desk.run("diff", "--kustomize", "base") == Outcome(0, "", "")
    assert desk.run("apply", "-k", "base") == Outcome(0, created.replace("created", "unchanged"), "")
    names = "configmap/my-conf-5k9ch927gb\nservice/my-web\ndeployment.apps/my-web\n"
    assert desk.run("get", "-k", "base", "-o", "name") == Outcome(0, names, "")
    gone = (
        'configmap "my-conf-5k9ch927gb" deleted from <ns> namespace\nservice "my-web" deleted from <ns> namespace\n'
        'deployment.apps "my-web" deleted from <ns> namespace\n'
    )
    assert desk.run("delete", "-k", "base") == Outcome(0, gone, "")


def test_verbs_that_change_objects_take_a_kustomization(desk: Desk) -> None:
    _lay_out(desk, _ONE)
    shown = "configmap/one-4h2mbtbbt6"
    assert desk.run("create", "-k", "one") == Outcome(0, f"{shown} created\n", "")
    assert desk.run("label", "-k", "one", "x=y") == Outcome(0, f"{shown} labeled\n", "")
    assert desk.run("annotate", "-k", "one", "-R=false", "x=y") == Outcome(0, f"{shown} annotated\n", "")
    assert desk.run("patch", "-k", "one", "-p", '{"data":{"a":"c"}}') == Outcome(0, f"{shown} patched\n", "")
    assert desk.run("get", "-k", "one", "-o", "jsonpath={.data.a}") == Outcome(0, "c", "")
    assert desk.run("replace", "-k", "one") == Outcome(0, f"{shown} replaced\n", "")
    assert desk.run("get", "-k", "one", "-o", "jsonpath={.data.a}") == Outcome(0, "b", "")
    described = desk.run("describe", "-k", "one")
    assert described.stdout.startswith("Name:         one-4h2mbtbbt6\n")


def test_a_workload_of_a_kustomization_is_scaled_and_set(desk: Desk) -> None:
    desk.write("k/kustomization.yaml", "resources: [web.yaml]\n")
    desk.write("k/web.yaml", _BASE["base/web.yaml"].split("---\n")[1])
    assert desk.run("apply", "-k", "k") == Outcome(0, "deployment.apps/web created\n", "")
    assert desk.run("scale", "-k", "k", "--replicas=3") == Outcome(0, "deployment.apps/web scaled\n", "")
    set_image = desk.run("set", "image", "-k", "k", "c=nginx:2")
    assert set_image == Outcome(0, "deployment.apps/web image updated\n", "")
    fields = "jsonpath={.spec.replicas} {.spec.template.spec.containers[0].image}"
    assert desk.run("get", "-k", "k", "-o", fields) == Outcome(0, "3 nginx:2", "")


def test_k_goes_neither_with_f_nor_with_r_nor_with_words(desk: Desk) -> None:
    _lay_out(desk, _ONE)
    both = desk.run("apply", "-k", "one", "-f", "a.yaml")
    assert both == Outcome(1, "", "error: only one of -f or -k can be specified\n")
    recursive = desk.run("apply", "-k", "one", "-R")
    assert recursive == Outcome(1, "", "error: the -k flag can't be used with -f or -R\n")
    words = desk.run("get", "pods", "-k", "one")
    assert words == Outcome(
        1,
        "",
        "error: when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well\n",
    )


def test_what_k_can_not_build_is_told_and_nothing_is_applied(desk: Desk) -> None:
    desk.write("old/kustomization.yaml", "bases: [../absent]\n")
    done = desk.run("apply", "-k", "old")
    warning, problem = done.stderr.splitlines()
    assert done.code == 1
    assert warning == (
        "# Warning: 'bases' is deprecated. Please use 'resources' instead. "
        "Run 'kustomize edit fix' to update your Kustomization automatically."
    )
    assert problem.startswith(
        "error: accumulating resources: accumulation err='accumulating resources from '../absent'"
    )
    diff = desk.run("diff", "-k", "absent")
    assert (diff.code, diff.stderr.split(":")[1]) == (2, " must build at directory")
