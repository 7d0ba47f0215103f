"""`kctl set`: image, env, resources, selector, serviceaccount and subject."""

from __future__ import annotations

import json
import re
import shlex
import uuid

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk
from tests.e2e.up.machine import Machine

FILES = {
    "web.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  replicas: 0
  selector:
    matchLabels: {a: b}
  template:
    metadata:
      labels: {a: b}
    spec:
      initContainers:
      - name: setup
        image: setup:1
      containers:
      - name: web
        image: web:1
        env:
        - name: A
          value: "1"
        - name: S
          valueFrom:
            secretKeyRef: {name: keys, key: k}
        - name: F
          valueFrom:
            fieldRef: {fieldPath: metadata.name}
      - name: web-log
        image: log:1
""",
    "service.yaml": """\
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector: {a: b}
  ports: [{port: 80}]
""",
    "binding.yaml": """\
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: viewers
  labels: {app: web}
subjects:
- kind: User
  name: ada
  apiGroup: rbac.authorization.k8s.io
roleRef:
  kind: Role
  name: view
  apiGroup: rbac.authorization.k8s.io
""",
    "dir/deep/service.yaml": """\
apiVersion: v1
kind: Service
metadata:
  name: deep
""",
}


@pytest.fixture(scope="module")
def web(plane: Machine, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """There is something to change; what the tests send leaves it as it is, or is not looked at by others."""
    desk = Desk(plane, f"set-{uuid.uuid4().hex[:8]}", tmp_path_factory.mktemp("set"))
    plane.kctl("create", "namespace", desk.namespace)
    for name, text in FILES.items():
        desk.write(name, text)
    for line in (
        "create -f web.yaml -f service.yaml -f binding.yaml",
        "create secret generic keys --from-literal=k=secret --from-literal=some.key=x",
        "create configmap settings --from-literal=region=eu",
    ):
        done = desk.run(*line.split())
        assert done.code == 0, done.stderr
    return desk


TOLD = [
    ("set image deploy/web web=web:2 --dry-run=client", 0, "deployment.apps/web image updated (dry run)\n", ""),
    (
        "set image deployment web web=web:2 --dry-run=server",
        0,
        "deployment.apps/web image updated (server dry run)\n",
        "",
    ),
    ("set image deploy/web web=web:2 -o name --dry-run=client", 0, "deployment.apps/web\n", ""),
    ("set image deploy/web web=web:1", 0, "", ""),
    ("set image deploy/web nope=x", 1, "", 'error: unable to find container named "nope"\n'),
    ("set image deploy/web 'web*=x'", 1, "", 'error: unable to find container named "web*"\n'),
    (
        "set image deploy/web *=x web=y",
        1,
        "",
        (
            "error: all containers are already specified by *, but saw more than one "
            "container_name=container_image pairs\n"
        ),
    ),
    (
        "set image deploy/web web=",
        1,
        "",
        (
            'error: failed to patch image update to pod template: Deployment.apps "web" is invalid: '
            "spec.template.spec.containers[0].image: Required value\n"
        ),
    ),
    (
        "set image deploy/web web",
        1,
        "",
        (
            "error: there is no need to specify a resource type as a separate argument when passing arguments in "
            "resource/name form (e.g. 'kctl get resource/<resource_name>' instead of 'kctl get resource "
            "resource/<resource_name>'\n"
        ),
    ),
    ("set image deploy/web", 1, "", "error: at least one image update is required\n"),
    (
        "set image web=x",
        1,
        "",
        """\
error: You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'
""",
    ),
    ("set image deploy/nope web=x", 1, "", 'Error from server (NotFound): deployments.apps "nope" not found\n'),
    (
        "set image cm/settings web=x",
        1,
        "",
        "error: configmaps/settings the object is not a pod or does not have a pod template: *v1.ConfigMap\n",
    ),
    ("set image deploy --all web=x --dry-run=client", 0, "deployment.apps/web image updated (dry run)\n", ""),
    ("set image deploy -l app=web web=x --dry-run=client", 0, "deployment.apps/web image updated (dry run)\n", ""),
    (
        "set image deploy --all --selector=app=web web=x",
        1,
        "",
        "error: cannot set --all and --selector at the same time\n",
    ),
    (
        "set image deploy/web web=x --local",
        1,
        "",
        """\
error: you must specify resources by --filename when --local is set.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
""",
    ),
    (
        "set image --local web=x",
        1,
        "",
        """\
error: You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'
""",
    ),
    (
        "set image -f web.yaml web=x --local --dry-run=server",
        1,
        "",
        "error: cannot specify --local and --dry-run=server - did you mean --dry-run=client?\n",
    ),
    (
        "set image deploy/web web=x --dry-run=odd",
        1,
        "",
        'error: Invalid dry-run value (odd). Must be "none", "server", or "client".\n',
    ),
    (
        "set env deploy/web --list",
        0,
        """\
# Deployment web, container web
A=1
# S from secret keys, key k
# F from field path metadata.name
# Deployment web, container web-log
# Deployment web, container setup
""",
        "",
    ),
    (
        "set env deploy/web --list --resolve",
        0,
        """\
# Deployment web, container web
A=1
S=secret
F=web
# Deployment web, container web-log
# Deployment web, container setup
""",
        "",
    ),
    ("set env deploy/web --list -c '*-log'", 0, "# Deployment web, container web-log\n", ""),
    (
        "set env deploy/web --list --containers=nope",
        0,
        "",
        'Warning: Deployment/web does not have any containers matching "nope"\n',
    ),
    (
        "set env deploy/web NEW=1 A- --list -c web",
        0,
        """\
# Deployment web, container web
# S from secret keys, key k
# F from field path metadata.name
NEW=1
""",
        "",
    ),
    (
        "set env deploy/web -e NEW=1 --env=OTHER=2 --list -c web",
        0,
        """\
# Deployment web, container web
A=1
# S from secret keys, key k
# F from field path metadata.name
NEW=1
OTHER=2
""",
        "",
    ),
    (
        "set env deploy/web --from=secret/keys --list -c web-log",
        0,
        """\
# Deployment web, container web-log
# K from secret keys, key k
# SOME_KEY from secret keys, key some.key
""",
        """\
Warning: key k transferred to K
Warning: key some.key transferred to SOME_KEY
""",
    ),
    (
        "set env deploy/web --from=secret/keys --keys=k --prefix=DB_ --list -c web-log",
        0,
        """\
# Deployment web, container web-log
# DB_K from secret keys, key k
""",
        "Warning: key k transferred to K\n",
    ),
    (
        "set env deploy/web --from=cm/settings --list -c web-log",
        0,
        """\
# Deployment web, container web-log
# REGION from configmap settings, key region
""",
        "Warning: key region transferred to REGION\n",
    ),
    (
        "set env deploy/web A=2 --overwrite=false --dry-run=client",
        1,
        "",
        "error: deployments/web 'A' already has a value (1), and --overwrite is false\n",
    ),
    ("set env deploy/web A=2 --dry-run=client", 0, "deployment.apps/web env updated (dry run)\n", ""),
    ("set env deploy/web A=1 -c web", 0, "", ""),
    (
        "set env deploy/web A=1 A-",
        1,
        "",
        "error: can not both modify and remove the same environment variable in the same command\n",
    ),
    (
        "set env deploy/web 1A=1",
        1,
        "",
        (
            'error: "1A" is not a valid key name: a valid environment variable name must consist of alphabetic '
            "characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or "
            "'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')\n"
        ),
    ),
    (
        "set env deploy/web X=1 deploy/other",
        1,
        "",
        "error: all resources must be specified before environment changes: deploy/web X=1 deploy/other\n",
    ),
    ("set env deploy/web --list -o yaml", 1, "", "error: --list and --output may not be specified together\n"),
    (
        "set env deploy/web --keys=k X=1",
        1,
        "",
        "error: when specifying --keys, a configmap or secret must be provided with --from\n",
    ),
    ("set env deploy/web --from=deploy/web", 1, "", "error: unsupported resource specified in --from\n"),
    ("set env deploy/web --from=secret/nope", 1, "", 'Error from server (NotFound): secrets "nope" not found\n'),
    (
        "set env X=1",
        1,
        "",
        "error: one or more resources must be specified as <resource> <name> or <resource>/<name>\n",
    ),
    ("set env deploy --all -l app=web X=1", 1, "", "error: cannot set --all and --selector at the same time\n"),
    ("set env deploy --all X=1 --dry-run=server", 0, "deployment.apps/web env updated (server dry run)\n", ""),
    (
        "set env deploy/web X=1 --local",
        1,
        "",
        """\
error: You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'
""",
    ),
    ("set env deploy/web X=1 -c nope", 0, "", 'Warning: Deployment/web does not have any containers matching "nope"\n'),
    (
        "set resources deploy/web",
        1,
        "",
        "error: you must specify an update to requests or limits (in the form of --requests/--limits)\n",
    ),
    (
        "set resources deploy/web --limits=cpu=1 --dry-run=client",
        0,
        "deployment.apps/web resource requirements updated (dry run)\n",
        "",
    ),
    ("set resources deploy/web --limits=cpu=1 -c nope", 1, "", "error: unable to find container named nope\n"),
    (
        "set resources deploy/web --limits=cpu",
        1,
        "",
        "error: invalid argument syntax cpu, expected <resource>=<value>\n",
    ),
    (
        "set resources deploy/web --requests=cpu=x",
        1,
        "",
        "error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'\n",
    ),
    (
        "set resources deploy/web --limits=cpu=1 --requests=cpu=2",
        1,
        "",
        (
            'error: failed to patch resources update to pod template Deployment.apps "web" is invalid: '
            '[spec.template.spec.containers[0].resources.requests: Invalid value: "2": must be less than or '
            'equal to cpu limit of 1, spec.template.spec.containers[1].resources.requests: Invalid value: "2": '
            "must be less than or equal to cpu limit of 1, "
            'spec.template.spec.initContainers[0].resources.requests: Invalid value: "2": must be less than or '
            "equal to cpu limit of 1]\n"
        ),
    ),
    (
        "set resources deploy --all -l app=web --limits=cpu=1",
        1,
        "",
        "error: cannot set --all and --selector at the same time\n",
    ),
    (
        "set resources deploy -l app=web --limits=cpu=1 --dry-run=client",
        0,
        "deployment.apps/web resource requirements updated (dry run)\n",
        "",
    ),
    ("set selector", 1, "", "error: one selector is required\n"),
    (
        "set selector service/web",
        1,
        "",
        """\
error: You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'
""",
    ),
    ("set selector service/web x=y --dry-run=client", 0, "service/web selector updated (dry run)\n", ""),
    ("set selector service/web x=y --dry-run=server", 0, "service/web selector updated (server dry run)\n", ""),
    (
        "set selector service/web 'x in (a,b)'",
        1,
        "",
        "error: match expression [{x In [a b]}] not supported on this object\n",
    ),
    ("set selector service/web 'x!=y'", 1, "", 'error: "!=" is not a valid label selector operator\n'),
    (
        "set selector service/web x=y --resource-version=1",
        1,
        "",
        (
            'Error from server (Conflict): Operation cannot be fulfilled on services "web": the object has been '
            "modified; please apply your changes to the latest version and try again\n"
        ),
    ),
    ("set selector deploy/web x=y", 1, "", "error: setting a selector is only supported for Services\n"),
    ("set selector service --all x=y --dry-run=client", 0, "service/web selector updated (dry run)\n", ""),
    (
        "set selector service/web x=y --local",
        1,
        "",
        """\
error: you must specify resources by --filename when --local is set.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
""",
    ),
    ("set serviceaccount", 1, "", "error: serviceaccount is required\n"),
    (
        "set serviceaccount deploy/web robot --dry-run=client",
        0,
        "deployment.apps/web serviceaccount updated (dry run)\n",
        "",
    ),
    (
        "set sa deploy/web robot --dry-run=server",
        0,
        "deployment.apps/web serviceaccount updated (server dry run)\n",
        "",
    ),
    ("set sa deploy --all robot --dry-run=client", 0, "deployment.apps/web serviceaccount updated (dry run)\n", ""),
    (
        "set sa cm/settings robot",
        1,
        "",
        "error: configmaps/settings the object is not a pod or does not have a pod template: *v1.ConfigMap\n",
    ),
    (
        "set subject rolebinding/viewers",
        1,
        "",
        "error: you must specify at least one value of user, group or serviceaccount\n",
    ),
    ("set subject rolebinding/viewers --user=ada", 0, "", ""),
    (
        "set subject rolebinding/viewers --user=grace --dry-run=client",
        0,
        "rolebinding.rbac.authorization.k8s.io/viewers subjects updated (dry run)\n",
        "",
    ),
    ("set subject rolebinding/viewers --serviceaccount=s", 1, "", "error: serviceaccount must be <namespace>:<name>\n"),
    (
        "set subject rolebinding --all -l app=web --user=x",
        1,
        "",
        "error: cannot set --all and --selector at the same time\n",
    ),
    (
        "set subject rolebinding -l app=web --user=x --dry-run=server",
        0,
        "rolebinding.rbac.authorization.k8s.io/viewers subjects updated (server dry run)\n",
        "",
    ),
    (
        "set subject deploy/web --user=x",
        1,
        "",
        "error: deployments/web setting subjects is only supported for RoleBinding/ClusterRoleBinding\n",
    ),
]


@pytest.mark.parametrize(("line", "code", "stdout", "stderr"), TOLD, ids=[line for line, *_ in TOLD])
def test_what_is_said(web: Desk, line: str, code: int, stdout: str, stderr: str) -> None:
    assert web.run(*shlex.split(line)) == Outcome(code, stdout, stderr)


CHANGED = [
    (
        "set image -f web.yaml web=web:2 setup=setup:2 --local -o yaml",
        0,
        """\
apiVersion: apps/v1
kind: Deployment
metadata:
  labels:
    app: web
  name: web
spec:
  replicas: 0
  selector:
    matchLabels:
      a: b
  strategy: {}
  template:
    metadata:
      labels:
        a: b
    spec:
      containers:
      - env:
        - name: A
          value: "1"
        - name: S
          valueFrom:
            secretKeyRef:
              key: k
              name: keys
        - name: F
          valueFrom:
            fieldRef:
              fieldPath: metadata.name
        image: web:2
        name: web
        resources: {}
      - image: log:1
        name: web-log
        resources: {}
      initContainers:
      - image: setup:2
        name: setup
        resources: {}
status: {}
""",
        "",
    ),
    (
        "set env -f web.yaml X=1 A- --local -o yaml",
        0,
        """\
apiVersion: apps/v1
kind: Deployment
metadata:
  labels:
    app: web
  name: web
spec:
  replicas: 0
  selector:
    matchLabels:
      a: b
  strategy: {}
  template:
    metadata:
      labels:
        a: b
    spec:
      containers:
      - env:
        - name: S
          valueFrom:
            secretKeyRef:
              key: k
              name: keys
        - name: F
          valueFrom:
            fieldRef:
              fieldPath: metadata.name
        - name: X
          value: "1"
        image: web:1
        name: web
        resources: {}
      - env:
        - name: X
          value: "1"
        image: log:1
        name: web-log
        resources: {}
      initContainers:
      - env:
        - name: X
          value: "1"
        image: setup:1
        name: setup
        resources: {}
status: {}
""",
        "",
    ),
    (
        "set resources -f web.yaml --limits=cpu=1000m --requests=memory=64Mi -c web --local -o yaml",
        0,
        """\
apiVersion: apps/v1
kind: Deployment
metadata:
  labels:
    app: web
  name: web
spec:
  replicas: 0
  selector:
    matchLabels:
      a: b
  strategy: {}
  template:
    metadata:
      labels:
        a: b
    spec:
      containers:
      - env:
        - name: A
          value: "1"
        - name: S
          valueFrom:
            secretKeyRef:
              key: k
              name: keys
        - name: F
          valueFrom:
            fieldRef:
              fieldPath: metadata.name
        image: web:1
        name: web
        resources:
          limits:
            cpu: "1"
          requests:
            memory: 64Mi
      - image: log:1
        name: web-log
        resources: {}
      initContainers:
      - image: setup:1
        name: setup
        resources: {}
status: {}
""",
        "",
    ),
    (
        "set selector -f service.yaml x=y --local -o yaml",
        0,
        """\
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  ports:
  - port: 80
    targetPort: 0
  selector:
    x: "y"
status:
  loadBalancer: {}
""",
        "",
    ),
    (
        "set serviceaccount -f web.yaml robot --local -o jsonpath={.spec.template.spec.serviceAccountName}",
        0,
        "robot",
        "",
    ),
    (
        "set subject -f binding.yaml --user=grace --group=g --serviceaccount=n:s --local -o yaml",
        0,
        """\
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  labels:
    app: web
  name: viewers
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: view
subjects:
- apiGroup: rbac.authorization.k8s.io
  kind: User
  name: ada
- apiGroup: rbac.authorization.k8s.io
  kind: User
  name: grace
- apiGroup: rbac.authorization.k8s.io
  kind: Group
  name: g
- kind: ServiceAccount
  name: s
  namespace: "n"
""",
        "",
    ),
    ("set image -f web.yaml web=web:2 --local --template={{.kind}}{{.nope}}", 0, "Deployment<no value>", ""),
]


@pytest.mark.parametrize(("line", "code", "stdout", "stderr"), CHANGED, ids=[line for line, *_ in CHANGED])
def test_a_file_is_changed_without_a_server(web: Desk, line: str, code: int, stdout: str, stderr: str) -> None:
    assert web.run(*shlex.split(line), KUBECONFIG="/dev/null") == Outcome(code, stdout, stderr)


@pytest.mark.parametrize(
    ("words", "path", "value"),
    [
        ("image deploy/web *=all:1", "{.spec.template.spec.containers[*].image}", "all:1 all:1"),
        ("env deploy/web B=2 -c web-log", "{.spec.template.spec.containers[1].env}", '[{"name":"B","value":"2"}]'),
        ("resources deploy/web --limits=cpu=2", "{.spec.template.spec.initContainers[0].resources.limits.cpu}", "2"),
        ("serviceaccount deploy/web robot", "{.spec.template.spec.serviceAccount}", "robot"),
        ("selector service/web x=y", "{.spec.selector}", '{"x":"y"}'),
        ("subject rolebinding/viewers --group=g", "{.subjects[1].kind}", "Group"),
    ],
)
def test_what_is_sent_belongs_to_whom_one_says(web: Desk, words: str, path: str, value: str) -> None:
    """The server's answer is shown; it is only a trial."""
    flags = ("--dry-run=server", "--field-manager=me", "-o")
    assert web.run("set", *words.split(), *flags, f"jsonpath={path}") == Outcome(0, value, "")
    shown = json.loads(web.run("set", *words.split(), *flags, "json", "--show-managed-fields").stdout)
    assert "me" in [one["manager"] for one in shown["metadata"]["managedFields"]]


@pytest.mark.parametrize(
    "words",
    [
        "image deploy/web web=x",
        "resources deploy/web --limits=cpu=1",
        "serviceaccount deploy/web r",
        "selector service/web x=y",
    ],
)
def test_the_command_line_may_be_recorded(web: Desk, words: str) -> None:
    path = "jsonpath={.metadata.annotations.kubernetes\\.io/change-cause}"
    done = web.run("set", *words.split(), "--record", "--dry-run=client", "-o", path)
    assert done.stdout.startswith(f"kctl set {words.partition(' --')[0]}")
    assert done.stderr == "Flag --record has been deprecated, --record will be removed in the future\n"


def test_standard_input_is_read_by_one_only(web: Desk) -> None:
    done = web.run("set", "env", "-f", "-", "-", stdin="P=1\n")
    assert done == Outcome(1, "", "error: standard input cannot be used for multiple arguments\n")


def test_variables_come_through_a_pipe(web: Desk) -> None:
    done = web.run("set", "env", "-f", "web.yaml", "--local", "-e", "-", "--list", "-c", "web-log", stdin="P=1\n#Q=2\n")
    assert done == Outcome(0, "# Deployment web, container web-log\nP=1\n", "")


def test_directories_are_read_as_deep_as_one_wants(web: Desk) -> None:
    """Only of `set selector` without being asked."""
    words = ("selector", "-f", "dir", "x=y", "--local", "-o", "name")
    assert web.run("set", *words) == Outcome(0, "service/deep\n", "")
    assert web.run("set", *words, "-R=false").code == 1
    others = ("image", "-f", "dir", "a=b", "--local")
    assert "recognized file extensions are" in web.run("set", *others).stderr
    assert "does not have a pod template" in web.run("set", *others, "--recursive").stderr


def test_a_kustomization_is_changed(web: Desk) -> None:
    web.write("base/web.yaml", FILES["web.yaml"])
    web.write("base/kustomization.yaml", "resources: [web.yaml]\nnamePrefix: my-\n")
    for flag in ("-k", "--kustomize"):
        done = web.run("set", "image", flag, "base", "web=x", "--local", "-o", "name")
        assert done == Outcome(0, "deployment.apps/my-web\n", "")


ON_FILES = [
    ("env", "A=2", "web.yaml"),
    ("resources", "--limits=cpu=1", "web.yaml"),
    ("serviceaccount", "robot", "web.yaml"),
    ("selector", "x=y", "service.yaml"),
    ("subject", "--user=jane", "binding.yaml"),
]


@pytest.mark.parametrize(("command", "words", "file"), ON_FILES)
def test_each_shows_what_a_template_chooses(web: Desk, command: str, words: str, file: str) -> None:
    line = ("set", command, "-f", file, words, "--local")
    kind = re.findall(r"^kind: (\w+)", FILES[file], re.MULTILINE)
    assert web.run(*line, "--template={{.kind}}{{.nope}}") == Outcome(0, f"{kind[0]}<no value>", "")
    assert web.run(*line, "-o", "jsonpath={.nope}") == Outcome(0, "", "")
    assert web.run(*line, "-o", "jsonpath={.nope}", "--allow-missing-template-keys=false").code == 1


@pytest.mark.parametrize(("command", "words", "file"), ON_FILES)
def test_each_reads_folders_and_kustomizations(web: Desk, command: str, words: str, file: str) -> None:
    web.write(f"{command}/below/it.yaml", FILES[file])
    web.write(f"base-{command}/it.yaml", FILES[file])
    web.write(f"base-{command}/kustomization.yaml", "resources: [it.yaml]\nnamePrefix: my-\n")
    line = ["set", command, words, "--local", "-o", "name"]
    alone = web.run(*line, "-f", f"{command}/below/it.yaml")
    assert alone.code == 0
    assert web.run(*line, "-f", command, "-R") == alone
    if command == "selector":  # which has no such flag
        return
    prefixed = Outcome(0, alone.stdout.replace("/", "/my-"), "")
    if command == "env":  # kubectl misses it, unless something is named beside it
        said = "error: one or more resources must be specified as <resource> <name> or <resource>/<name>\n"
        assert web.run(*line, "-k", f"base-{command}") == Outcome(1, "", said)
        line.insert(2, "deploy/web")
    assert web.run(*line, "-k", f"base-{command}") == prefixed


def test_a_template_may_insist_on_its_keys(web: Desk) -> None:
    line = "set image -f web.yaml web=x --local -o jsonpath={.nope} --allow-missing-template-keys=false"
    assert web.run(*line.split()).code == 1
