"""`kctl explain`: what a type's fields are and mean."""

from __future__ import annotations

import re

import pytest

from localplane.apimachinery.serializers.yaml import parse_yaml
from tests.e2e.command_line import Outcome
from tests.e2e.kctl.conftest import Read
from tests.e2e.kctl.desk import Desk
from tests.e2e.up.machine import Machine

RESTART_POLICY = """\
KIND:       Pod
VERSION:    v1

FIELD: restartPolicy <string>
ENUM:
    Always
    Never
    OnFailure

DESCRIPTION:
    When containers that ended are started again: Always (the default),
    OnFailure or Never. Jobs take only the last two.
    

"""  # noqa: W293 - kubectl indents the line that ends the description
LABELS = """\
KIND:       Pod
VERSION:    v1

FIELD: labels <map[string]string>


DESCRIPTION:
    Names and values by which objects are selected and grouped.
    

"""  # noqa: W293 - as above
AUTOSCALER = """\
GROUP:      autoscaling
KIND:       HorizontalPodAutoscaler
VERSION:    v1

FIELD: spec <HorizontalPodAutoscalerSpec>


DESCRIPTION:
    What to scale, and between which numbers.
    An autoscaler that looks at CPU alone.
    
FIELDS:
  maxReplicas	<integer> -required-
    The most pods.

  minReplicas	<integer>
    The fewest pods. Default 1.

  scaleTargetRef	<CrossVersionObjectReference> -required-
    The object to scale.

  targetCPUUtilizationPercentage	<integer>
    How much of the requested CPU the pods should use on average. Default 80.


"""  # noqa: W293 - as above
CONFIG_MAP = """\
KIND:       ConfigMap
VERSION:    v1

DESCRIPTION:
    Settings that are no secrets, for pods to use as files or environment
    variables.
    
FIELDS:
  apiVersion	<string>
  binaryData	<map[string]string>
  data	<map[string]string>
  immutable	<boolean>
  kind	<string>
  metadata	<ObjectMeta>

"""  # noqa: W293 - as above
HEAD_V2 = "KIND:     ConfigMap\nVERSION:  v1\n\n"
DESCRIBED_V2 = (
    "DESCRIPTION:\n     Settings that are no secrets, for pods to use as files or environment\n     variables.\n"
)
FIELDS_V2 = """\
   apiVersion	<string>
   binaryData	<map[string]string>
   data	<map[string]string>
   immutable	<boolean>
   kind	<string>
   metadata	<Object>
"""
DATA_V2 = (
    "FIELD:    data <map[string]string>\n\nDESCRIPTION:\n"
    "     Keys with text. Keys are letters, digits, -, _ and dots. No key may be in\n     binaryData as well.\n"
)
SHOWN = [
    ("pods.spec.restartPolicy", RESTART_POLICY),
    ("Pod.spec.restartPolicy", RESTART_POLICY),
    ("po.spec.restartPolicy.", RESTART_POLICY),
    ("pods['metadata'].labels", LABELS),
    ("pods.metadata.labels -n nowhere", LABELS),
    ("hpa.spec --api-version=autoscaling/v1", AUTOSCALER),
    ("cm --recursive --max-depth=1", CONFIG_MAP),
    ("configmaps -R --max-depth 1 --output plaintext", CONFIG_MAP),
    ("cm -R --max-depth=1 -o plaintext-openapiv2", f"{HEAD_V2}{DESCRIBED_V2}\nFIELDS:\n{FIELDS_V2}"),
    ("cm.data -o plaintext-openapiv2", f"{HEAD_V2}{DATA_V2}"),
]


@pytest.mark.parametrize(("line", "stdout"), SHOWN, ids=[line for line, _ in SHOWN])
def test_a_field_is_explained(line: str, stdout: str, read: Read) -> None:
    assert read("explain", *line.split()) == Outcome(0, stdout, "")


NO_TYPE = "the server doesn't have a resource type"
NOT_A_FIELD = "error: invalid jsonpath syntax, first node must be field node\n"
HINT = "See 'kctl explain --help' for usage.\n"
REFUSED = [
    (
        "",
        (
            "error: You must specify the type of resource to explain. "
            'Use "kctl api-resources" for a complete list of supported resources.\n'
        ),
    ),
    ("a b", "error: We accept only this format: explain RESOURCE\n"),
    ("nosuch", f'{NO_TYPE} "nosuch"\n'),
    ("nosuch.spec --api-version=v1", f'{NO_TYPE} "nosuch"\n'),
    ("pods/web", f'{NO_TYPE} "pods/web"\n'),
    (r"pods\.spec", f'{NO_TYPE} "pods.spec"\n'),
    (".pods", NOT_A_FIELD),
    ("pods.spec.containers[0]", NOT_A_FIELD),
    ("*", NOT_A_FIELD),
    ("pods,services", "error: unrecognized character in action: U+002C ','\n"),
    ("pods.spec}", "error: must pass in 1 jsonpath string\n"),
    ("$", "error: a resource must be present, got: /, Resource=\n"),
    ("pods --api-version=v7", 'error: couldn\'t find resource for "/v7, Resource=pods"\n'),
    ("pods --api-version=apps/v1", "error: GVR (apps/v1, Resource=pods) not found in OpenAPI schema\n"),
    ("pods --api-version=a/b/c", "error: unexpected GroupVersion string: a/b/c\n"),
    ("pods --api-version=v7 -o plaintext-openapiv2", 'error: couldn\'t find resource for "/v7, Kind=Pod"\n'),
    ("pods.spec.nope.x -o plaintext-openapiv2", 'error: field "nope" does not exist\n'),
    ("pods -o fancy", "error: unrecognized format: fancy\n"),
    ("pods --api-version=v7 -o fancy", 'error: couldn\'t find resource for "/v7, Resource=pods"\n'),
    ("pods --max-depth=2", "error: --max-depth requires --recursive\n"),
    ("pods -R --max-depth=-1", "error: --max-depth must be non-negative\n"),
    (
        "pods --max-depth=x",
        f'error: invalid argument "x" for "--max-depth" flag: strconv.ParseInt: parsing "x": invalid syntax\n{HINT}',
    ),
    ("pods.spec.nope -o skeleton", 'error: field "nope" does not exist\n'),
]


@pytest.mark.parametrize(("line", "stderr"), REFUSED, ids=[line for line, _ in REFUSED])
def test_what_can_not_be_explained_is_refused(line: str, stderr: str, read: Read) -> None:
    assert read("explain", *line.split()) == Outcome(1, "", stderr)


def test_a_field_that_is_not_there_is_said_after_what_is_known(read: Read) -> None:
    expected = Outcome(1, "KIND:       Pod\nVERSION:    v1\n\n", 'error: field "nope" does not exist\n')
    assert read("explain", "pods.spec.nope") == expected


def test_the_fields_of_fields_are_listed_to_a_depth(read: Read) -> None:
    all_of_them = read("explain", "secret", "--recursive").stdout
    assert "\n    annotations\t<map[string]string>\n" in all_of_them
    assert "\n      fieldsV1\t<FieldsV1>\n" in all_of_them
    two = read("explain", "secret", "--recursive", "--max-depth=2").stdout
    assert "\n    managedFields\t<[]ManagedFieldsEntry>\n" in two
    assert "fieldsV1" not in two


def test_a_schema_that_contains_itself_comes_to_an_end(read: Read) -> None:
    for output in ("plaintext", "plaintext-openapiv2"):
        said = read("explain", "crd.spec.versions.schema", "--recursive", "-o", output).stdout
        assert "openAPIV3Schema\t<" in said
        assert said.count("additionalItems") < 3


DEFINITION = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: deployments.{group}}}
spec:
  group: {group}
  scope: Namespaced
  names: {{plural: deployments, singular: deployment, kind: Deployment}}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        description: "Mine.\\n\\nA second paragraph that is long enough to be broken into two lines, as one can see."
        externalDocs: {{description: See there, url: "https://example.com"}}
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {{type: integer, description: How large, enum: [1, 2, 3, 5, 8]}}
              port: {{x-kubernetes-int-or-string: true}}
              anything: {{x-kubernetes-preserve-unknown-fields: true}}
              colours: {{type: object, additionalProperties: {{type: array, items: {{type: string}}}}}}
"""
MINE = """\
GROUP:      GROUP
KIND:       Deployment
VERSION:    v1

DESCRIPTION:
    Mine.
    
    A second paragraph that is long enough to be broken into two lines, as one
    can see.
    

EXTERNAL DOCS:
    See there
    URL: https://example.com
FIELDS:
"""  # noqa: W293 - as above
SPEC = """\
FIELDS:
  anything	<Object>
    <no description>

  colours	<map[string][]string>
    <no description>

  port	<Object>
    <no description>

  size	<integer> -required-
  enum: 1, 2, 3, 5, ....
    How large


"""


def test_a_type_of_ones_own_is_found_by_its_group(desk: Desk) -> None:
    group = f"{desk.namespace}.example.com"
    desk.write("crd.yaml", DEFINITION.format(group=group))
    assert desk.run("create", "-f", "crd.yaml").code == 0
    assert desk.run("wait", "--for=condition=Established", f"crd/deployments.{group}").code == 0
    assert desk.run("api-resources").code == 0  # the name alone is known already, so nobody would ask again
    mine = desk.run("explain", f"deployments.{group}").stdout
    assert mine.startswith(MINE.replace("GROUP\n", "<ns>.example.com\n", 1))
    assert desk.run("explain", f"deployments.{group}.spec").stdout.endswith(SPEC)
    assert desk.run("explain", "deployment.spec.size", f"--api-version={group}/v1").stdout.endswith(
        "How large\n    \n\n"
    )
    assert desk.run("explain", "deployments").stdout.startswith("GROUP:      apps\n")
    assert desk.run("delete", "-f", "crd.yaml").code == 0


DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ""
spec:
  replicas: 1
  selector:
    matchLabels: {}
  template:
    metadata:
      labels: {}
    spec:
      containers:
      - name: ""
        image: ""
"""
ROLE = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: ""
rules:
- apiGroups:
  - ""
  resources:
  - ""
  verbs:
  - ""
"""
SKELETONS = [
    ("deploy -o skeleton", DEPLOYMENT),
    ("role -o skeleton", ROLE),
    ("pods.spec.containers.ports -o skeleton", "ports:\n- containerPort: 0\n"),
    ("pods.spec.restartPolicy -o skeleton", "restartPolicy: Always\n"),
    (
        "cm -o skeleton -R --max-depth=1",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {}\nbinaryData: {}\ndata: {}\nimmutable: false\n",
    ),
]


@pytest.mark.parametrize(("line", "stdout"), SKELETONS, ids=[line for line, _ in SKELETONS])
def test_a_skeleton_is_a_manifest_to_be_filled_in(line: str, stdout: str, read: Read) -> None:
    assert read("explain", *line.split()) == Outcome(0, stdout, "")


def test_a_skeleton_with_every_field_can_be_read(read: Read) -> None:
    whole = parse_yaml(read("explain", "cronjobs", "-o", "skeleton", "--recursive").stdout.encode()).value
    template = whole["spec"]["jobTemplate"]["spec"]["template"]
    assert template["spec"]["containers"][0]["livenessProbe"]["httpGet"]["port"] == 0
    assert "status" not in whole


SITES = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: sites.advice.example.com}
spec:
  group: advice.example.com
  scope: Namespaced
  names: {plural: sites, kind: Site}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [host]
            properties:
              host: {type: string, description: Where it is. Without a scheme.}
              size: {type: string, enum: [S, L], description: How large.}
              ports: {type: array, items: {type: object, properties: {number: {type: integer}}}}
"""
SITE = """\
apiVersion: advice.example.com/v1
kind: Site
"""


def test_a_skeleton_of_everything_says_what_fields_mean_and_can_be_applied(plane: Machine) -> None:
    (plane.home / "sites.yaml").write_text(SITES)
    assert plane.kctl("apply", "-f", "sites.yaml").code == 0
    text = plane.kctl("explain", "sites", "-o", "skeleton", "--all").stdout
    assert text.startswith(SITE)
    assert (
        "spec:\n"
        "  ## Where it is. (string) Required.\n"
        '  host: ""\n'
        "  ## (array)\n"
        "  # ports:\n"
        "  # - {}\n"
        "  #   ## (integer)\n"
        "  #   # number: 0\n"
        "  ## How large. (string) One of: S, L.\n"
        "  # size: S\n"
    ) in text
    assert parse_yaml(text.encode()).value["spec"] == {"host": ""}
    for kind in ("deploy", "cronjob", "role", "ingress"):
        whole = plane.kctl("explain", kind, "-o", "skeleton", "--all").stdout
        usual = plane.kctl("explain", kind, "-o", "skeleton").stdout
        assert parse_yaml(whole.encode()).value == parse_yaml(usual.encode()).value
        assert re.search(r'\n  ## .*\(string\)\n  name: ""\n', whole), kind
    assert plane.kctl("explain", "sites", "--all").stderr == "error: --all is for -o skeleton\n"
