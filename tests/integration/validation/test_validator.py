"""Manifests against the server's own code, in this process: what is found, and where."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from localplane.cli.errors import PlaneError
from localplane.cli.validation.findings import Finding, Level, Rule, Verdict
from localplane.cli.validation.sources import Source, read_sources
from localplane.cli.validation.validator import ValidationOptions, validate

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers:
      - name: web
        image: nginx
"""
DEFINITION = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: sites.example.com}
spec:
  group: example.com
  names: {kind: Site, plural: sites, singular: site, listKind: SiteList}
  scope: Namespaced
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
            x-kubernetes-validations:
            - {rule: "self.low <= self.high", message: low is above high}
            properties:
              low: {type: integer, default: 1}
              high: {type: integer}
"""
SITE = "apiVersion: example.com/v1\nkind: Site\nmetadata: {name: s}\nspec:\n  high: 5\n"


async def found(*texts: str, options: ValidationOptions | None = None) -> Verdict:
    """Files a.yaml, b.yaml and so on."""
    names = (f"{chr(ord('a') + index)}.yaml" for index in range(len(texts)))
    return await validate([Source(name, text) for name, text in zip(names, texts, strict=False)], options)


def told(verdict: Verdict) -> list[tuple[str, int, Rule]]:
    return [(each.place.file, each.place.line, each.rule) for each in verdict.findings]


async def test_what_a_server_takes_is_valid() -> None:
    verdict = await found(DEPLOYMENT, DEFINITION, SITE)
    assert (verdict.findings, verdict.objects, verdict.files, verdict.is_valid) == ([], 3, 3, True)


async def test_each_wrong_field_is_told_with_its_line() -> None:
    wrong = DEPLOYMENT.replace("replicas: 2", "replicas: -2\n  colour: red").replace(
        "nginx", "nginx\n        prots: []"
    )
    verdict = await found(f"# first\n---\n{wrong}---\n{DEPLOYMENT.replace('replicas: 2', 'replicas: two')}")
    assert [(each.place.line, each.place.column, each.rule, each.message) for each in verdict.findings] == [
        (7, 3, Rule.INVALID, "spec.replicas: Invalid value: -2: must be greater than or equal to 0"),
        (8, 3, Rule.UNKNOWN_FIELD, 'unknown field "spec.colour"'),
        (16, 9, Rule.UNKNOWN_FIELD, 'unknown field "spec.template.spec.containers[0].prots"'),
        (
            22,
            3,
            Rule.WRONG_TYPE,
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
    ]
    assert str(verdict.findings[0].subject) == "Deployment web"
    assert not verdict.is_valid


async def test_fields_that_are_there_twice_are_told() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  x: '1'\n  x: '2'\n"
    verdict = await found(text, '{"apiVersion": "v1", "kind": "ConfigMap",\n"metadata": {"name": "a", "name": "b"}}')
    assert [(each.place.file, each.rule, each.message) for each in verdict.findings] == [
        ("a.yaml", Rule.DUPLICATE_FIELD, 'duplicate field "x"'),
        ("b.yaml", Rule.DUPLICATE_FIELD, 'duplicate field "metadata.name"'),
    ]
    assert verdict.findings[0].place.line == 6


async def test_custom_resources_are_checked_with_definitions_from_any_file() -> None:
    """Schema, defaults and rules; the definition comes last."""
    verdict = await found(SITE, SITE.replace("high: 5", "high: 0\n  hihg: 7"), DEFINITION)
    assert [(each.place.line, each.message) for each in verdict.findings] == [
        (4, "spec: Invalid value: low is above high"),
        (6, 'unknown field "spec.hihg"'),
    ]


async def test_a_definition_whose_objects_a_webhook_converts_asks_nobody() -> None:
    conversion = (
        "  conversion:\n    strategy: Webhook\n    webhook:\n      conversionReviewVersions: [v1]\n"
        "      clientConfig: {url: 'https://127.0.0.1:1/convert'}\n"
    )
    second = DEFINITION[DEFINITION.index("  - name: v1") :].replace("name: v1", "name: v2")
    verdict = await found(DEFINITION.replace("storage: true", "storage: false") + second + conversion, SITE)
    assert verdict.findings == []


async def test_a_bad_definition_is_told_and_its_objects_have_no_kind() -> None:
    verdict = await found(SITE, DEFINITION.replace("type: integer}", "type: int}"))
    assert told(verdict)[0] == ("a.yaml", 2, Rule.UNKNOWN_KIND)
    assert told(verdict)[1][2] is Rule.INVALID
    taken = DEFINITION.replace("sites", "pages")
    verdict = await found(DEFINITION, taken)
    assert [(each.place.file, each.rule) for each in verdict.findings] == [("b.yaml", Rule.NOT_ESTABLISHED)]
    assert "NamesAccepted" in verdict.findings[0].message


async def test_unknown_kinds_are_errors_that_say_what_to_do() -> None:
    old = "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: i}\n"
    removed = "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: c}\n"
    verdict = await found(SITE, old, removed)
    assert [each.message for each in verdict.findings] == [
        (
            'there is no kind "Site" in version "example.com/v1": name its definition with --crds, '
            "or pass such objects over with --ignore-missing-schemas"
        ),
        'there is no kind "Ingress" in version "extensions/v1beta1": it is served as networking.k8s.io/v1',
        'there is no kind "CronJob" in version "batch/v1beta1": it is served as batch/v1',
    ]
    lenient = await found(SITE, old, removed, options=ValidationOptions(ignore_missing_schemas=True))
    assert [str(each) for each in lenient.skipped] == ["Site s", "Ingress i"]
    assert [each.subject.name for each in lenient.findings] == ["c"]


POLICY = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few}
spec: {policyName: few, validationActions: [Deny], paramRef: {name: limits, parameterNotFoundAction: Deny}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
    namespaceSelector: {matchExpressions: [{key: free, operator: DoesNotExist}]}
  validations:
  - {expression: object.spec.replicas <= int(params.data.most), message: too many replicas}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: limits}
data: {most: "5"}
"""
LABELLED = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: labelled}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [namespaces]}
  validations:
  - {expression: "'team' in object.metadata.labels", message: namespaces have teams}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: labelled}
spec: {policyName: labelled, validationActions: [Deny]}
"""
MUTATING = """\
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: grow}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration:
      expression: 'Object{spec: Object.spec{replicas: object.spec.replicas + 4}}'
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: grow}
spec: {policyName: grow}
"""


async def test_policies_of_the_files_decide_whatever_the_order() -> None:
    many = DEPLOYMENT.replace("replicas: 2", "replicas: 6")
    free = many.replace("name: web}", "name: web, namespace: free}")
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: free, labels: {free: 'yes'}}\n"
    verdict = await found(DEPLOYMENT, many, free, POLICY, namespace)
    assert [(each.place.file, each.rule, each.message) for each in verdict.findings] == [
        (
            "b.yaml",
            Rule.DENIED,
            (
                "deployments.apps \"web\" is forbidden: ValidatingAdmissionPolicy 'few' with binding 'few' "
                "denied request: too many replicas"
            ),
        )
    ]
    assert [each.place.file for each in (await found(DEPLOYMENT, POLICY, MUTATING)).findings] == ["a.yaml"]


async def test_policies_are_asked_about_what_was_stored_for_them_too() -> None:
    verdict = await found("apiVersion: v1\nkind: Namespace\nmetadata: {name: bare}\n", LABELLED)
    assert [(each.place.file, each.message.rpartition(": ")[2]) for each in verdict.findings] == [
        ("a.yaml", "namespaces have teams")
    ]


async def test_namespaces_are_there_and_their_labels_count() -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: %s}\nspec: {containers: [{name: a, image: b}]}\n"
    labels = "{pod-security.kubernetes.io/enforce: restricted}"
    strict = f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: strict, labels: {labels}}}\n"
    verdict = await found(pod % "anywhere", pod % "strict", pod % "Not_Good", strict)
    assert [(each.place.file, each.rule, each.field) for each in verdict.findings] == [
        ("b.yaml", Rule.DENIED, ""),
        ("c.yaml", Rule.INVALID, "metadata.namespace"),
    ]
    elsewhere = pod.replace(", namespace: %s", "")
    verdict = await found(elsewhere, strict, options=ValidationOptions(namespace="strict"))
    assert told(verdict) == [("a.yaml", 1, Rule.DENIED)]


async def test_what_objects_refer_to_need_not_be_there() -> None:
    pod = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  serviceAccountName: nobody
  priorityClassName: nothing
  runtimeClassName: none
  containers: [{name: a, image: b, envFrom: [{secretRef: {name: gone}}]}]
"""
    hook = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: never}
webhooks:
- name: a.example.com
  clientConfig: {url: 'https://127.0.0.1:1/'}
  rules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*']}]
  admissionReviewVersions: [v1]
  sideEffects: None
"""
    quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {pods: '0'}}\n"
    assert (await found(pod, hook, quota)).findings == []


async def test_lists_are_taken_apart_and_each_item_has_its_place() -> None:
    text = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n"
    text += "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: B\n- 7\n"
    verdict = await found(text)
    assert verdict.objects == 2
    assert [(each.place.line, each.rule) for each in verdict.findings] == [
        (10, Rule.INVALID),
        (11, Rule.NOT_AN_OBJECT),
    ]


async def test_warnings_of_a_server_are_no_errors() -> None:
    text = "apiVersion: v1\nkind: Endpoints\nmetadata: {name: e}\n"
    verdict = await found(text)
    assert [(each.level, each.rule, each.message) for each in verdict.findings] == [
        (Level.WARNING, Rule.WARNING, "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice")
    ]
    assert verdict.is_valid


async def test_one_bad_document_keeps_no_other_from_being_looked_at() -> None:
    verdict = await found("a: [\n---\nkind: Pod\n---\n- 1\n---\n" + DEPLOYMENT.replace("2", "-1"), "{", "\x00", "")
    assert [(each.place.file, each.rule) for each in verdict.findings] == [
        ("a.yaml", Rule.SYNTAX),
        ("a.yaml", Rule.NOT_AN_OBJECT),
        ("a.yaml", Rule.NOT_AN_OBJECT),
        ("a.yaml", Rule.INVALID),
        ("b.yaml", Rule.SYNTAX),
        ("c.yaml", Rule.SYNTAX),
    ]
    assert verdict.findings[1].message == "apiVersion not set"


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: v1\nkind: Pod\nmetadata: 7\n",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: [a]}\n",
        "apiVersion: v1\nkind: Pod\nmetadata: {namespace: [a], name: b}\n",
        "apiVersion: v1\nkind: Pod\nmetadata: {namespace: a/../b, name: b}\n",
        "apiVersion: v1/x/y\nkind: Pod\n",
        "apiVersion: v1\nkind: Pod\nspec: null\n",
        f"{DEFINITION[: DEFINITION.index('spec')]}spec: 7\n",
        f"{DEFINITION[: DEFINITION.index('spec')]}spec: {{conversion: {{strategy: Webhook}}}}\n",
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nspec: {paramKind: [1]}\n",
        "apiVersion: v1\nkind: Namespace\nmetadata: {}\n",
        "apiVersion: v1\nkind: ComponentStatus\nmetadata: {name: a}\n",
    ],
)
async def test_whatever_is_written_is_an_error_and_no_fault(text: str) -> None:
    verdict = await found(text)
    assert len(verdict.errors) >= 1
    assert all(each.rule is not Rule.REFUSED or each.message for each in verdict.errors)


async def test_what_is_given_twice_is_told() -> None:
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: two}\n"
    verdict = await found(namespace, namespace, namespace.replace("two}", "two, labels: {a: '?'}}"))
    assert [(each.place.file, each.rule) for each in verdict.findings] == [
        ("b.yaml", Rule.DEFINED_TWICE),
        ("c.yaml", Rule.INVALID),
    ]


async def test_work_grows_with_the_number_of_documents() -> None:
    few, many = "---\n".join([DEPLOYMENT] * 40), "---\n".join([DEPLOYMENT] * 240)
    await found(few)
    times = []
    for text in (few, many):
        least = float("inf")
        for _ in range(3):
            began = time.process_time()
            assert (await found(text)).is_valid
            least = min(least, time.process_time() - began)
        times.append(least)
    assert times[1] < times[0] * 6 * 2


def test_files_are_read_once_and_in_order(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("b.yaml", "a.yml", "c.json", "README.md", "kustomization.yaml", "deep/d.yaml"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "link.yaml").symlink_to(tmp_path / "b.yaml")

    def names(*filenames: str, recursive: bool = False) -> list[str]:
        sources = read_sources(filenames, recursive=recursive)
        return [os.path.relpath(each.name, tmp_path) for each in sources if isinstance(each, Source)]

    assert names(str(tmp_path), str(tmp_path / "b.yaml")) == ["a.yml", "b.yaml", "c.json"]
    assert names(str(tmp_path), recursive=True) == ["a.yml", "b.yaml", "c.json", "deep/d.yaml"]


def test_what_a_shell_pipes_in_by_a_name_is_read() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"a: b")
    os.close(writing)
    (source,) = read_sources([f"/dev/fd/{reading}"])
    os.close(reading)
    assert source == Source(f"/dev/fd/{reading}", "a: b")


def test_what_can_t_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(PlaneError, match=r'nowhere" does not exist$'):
        list(read_sources([str(tmp_path / "nowhere")]))
    with pytest.raises(PlaneError, match=r"empty has no manifests: .* --recursive looks into its subdirectories$"):
        list(read_sources([str(tmp_path / "empty")]))
    with pytest.raises(PlaneError, match=r"^https://a/b.yaml is not on this machine: fetch it"):
        list(read_sources(["https://a/b.yaml"]))
    (tmp_path / "built").mkdir()
    (tmp_path / "built" / "kustomization.yaml").write_text("resources: []")
    with pytest.raises(PlaneError, match=r"built has a kustomization and no manifests: .* with -k .*built$"):
        list(read_sources([str(tmp_path / "built")]))
    assert list(read_sources([str(tmp_path / "built" / "kustomization.yaml")])) == []
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "dangling.yaml").symlink_to(tmp_path / "gone")
    found = list(read_sources([str(tmp_path / "pipe.yaml"), str(tmp_path / "dangling.yaml")]))
    assert [each.message for each in found if isinstance(each, Finding)] == [
        "this is no ordinary file",
        "No such file or directory",
    ]
