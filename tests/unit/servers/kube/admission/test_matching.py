"""Which writes webhooks and policies are about."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from localplane.apimachinery.groups import GroupResource, GroupVersionKind
from localplane.apiserver.admission import AdmissionChain, Attributes, Operation
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.request import User
from localplane.servers.kube.admission.matching.criteria import Criteria, is_exempt
from localplane.servers.kube.admission.matching.reinvocation import Rounds
from localplane.servers.kube.admission.matching.writes import Write
from localplane.servers.kube.admission.webhooks.review import InvalidReview, Undecodable, WebhookReview
from tests.unit.servers.kube.admission.asking import Objects, asked, named

SERVED = [
    SimpleNamespace(
        prefix="/apps/deployments/",
        resource=GroupResource("apps", "deployments"),
        converter=SimpleNamespace(kind="Deployment", api_versions=["apps/v1", "apps/v1beta1"]),
    )
]
NAMESPACE = named("ns", metadata={"labels": {"env": "prod"}})


def write(resource: str = "deployments.apps", **changes: Any) -> Write:
    attributes = asked(resource, named("d", namespace="ns", metadata={"labels": {"a": "b"}}))
    for name, value in changes.items():
        setattr(attributes, name, value)
    objects = Objects({"namespaces": [NAMESPACE]})
    cast("Any", objects).definitions = lambda: SERVED
    return Write(attributes, cast("Lookup", objects))


def rule(**changes: Any) -> dict[str, Any]:
    plain = {"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["deployments"]}
    return {"scope": "*", **plain, **changes}


@pytest.mark.parametrize(
    ("webhook", "changes", "version"),
    [
        ({"rules": [rule()]}, {}, "v1"),
        ({"rules": []}, {}, ""),
        ({"rules": [rule(operations=["*"])]}, {"operation": Operation.DELETE}, "v1"),
        ({"rules": [rule(operations=["UPDATE"])]}, {}, ""),
        ({"rules": [rule(apiGroups=["*"], apiVersions=["*"], resources=["*"])]}, {}, "v1"),
        ({"rules": [rule(resources=["*"])]}, {"subresource": "scale"}, ""),
        ({"rules": [rule(resources=["*/*"])]}, {"subresource": "scale"}, "v1"),
        ({"rules": [rule(resources=["*/scale"])]}, {"subresource": "scale"}, "v1"),
        ({"rules": [rule(resources=["deployments/*"])]}, {}, "v1"),
        ({"rules": [rule(scope="Cluster")]}, {}, ""),
        ({"rules": [rule(scope="Namespaced")]}, {}, "v1"),
        ({"rules": [rule(scope="Cluster")]}, {"namespace": ""}, "v1"),
        ({"rules": [rule(apiVersions=["v1beta1"])]}, {}, "v1beta1"),
        ({"rules": [rule(apiVersions=["v1beta1"])], "matchPolicy": "Exact"}, {}, ""),
        ({"rules": [rule()], "objectSelector": {"matchLabels": {"a": "b"}}}, {}, "v1"),
        ({"rules": [rule()], "objectSelector": {"matchLabels": {"a": "c"}}}, {}, ""),
        ({"rules": [rule()], "namespaceSelector": {"matchLabels": {"env": "prod"}}}, {}, "v1"),
        ({"rules": [rule()], "namespaceSelector": {"matchLabels": {"env": "test"}}}, {}, ""),
        ({"rules": [rule()], "namespaceSelector": {"matchLabels": {"env": "test"}}}, {"namespace": ""}, "v1"),
    ],
)
async def test_rules_and_selectors(webhook: dict[str, Any], changes: dict[str, Any], version: str) -> None:
    found = await Criteria.of_webhook(webhook).match(write(**changes))
    assert (found.resource.version if found else "") == version


async def test_a_policy_without_rules_is_about_everything_but_what_it_excludes() -> None:
    assert await Criteria.of_policy({}).match(write()) is not None
    excluded = {"excludeResourceRules": [rule(resourceNames=["d"])]}
    assert await Criteria.of_policy(excluded).match(write()) is None
    assert await Criteria.of_policy(excluded).match(write(name="other")) is not None


async def test_a_new_namespace_has_the_labels_that_it_brings() -> None:
    fresh = named("fresh", metadata={"labels": {"env": "prod"}})
    attributes = asked("namespaces", fresh, namespace="fresh")
    selecting = {
        "rules": [rule(apiGroups=[""], resources=["namespaces"])],
        "namespaceSelector": {"matchLabels": {"env": "prod"}},
    }
    assert await Criteria.of_webhook(selecting).match(Write(attributes, cast("Lookup", Objects({})))) is not None


def test_what_would_lock_everybody_out_is_exempt() -> None:
    assert is_exempt(GroupResource("admissionregistration.k8s.io", "validatingwebhookconfigurations"))
    assert is_exempt(GroupResource("authorization.k8s.io", "subjectaccessreviews"))
    assert not is_exempt(GroupResource("", "pods"))


def test_those_asked_before_a_change_are_asked_again() -> None:
    rounds = Rounds()
    rounds.asked("early")
    rounds.changed()
    rounds.asked("late")
    rounds.ended({"a": 1})
    rounds.begin_again({"a": 1})
    assert (rounds.wants("early"), rounds.wants("late")) == (True, False)
    rounds.begin_again({"a": 2})
    assert rounds.wants("late")


@pytest.mark.parametrize(
    ("body", "error", "message"),
    [
        (b"{", Undecodable, "couldn't get version/kind; json parse error"),
        (b"[]", Undecodable, "json: cannot unmarshal array into Go value"),
        (b'{"response": {"allowed": "yes"}}', Undecodable, "cannot unmarshal string into Go struct field"),
        (b'{"response": {"warnings": [1]}}', Undecodable, "cannot unmarshal number into Go struct field"),
        (b"{}", InvalidReview, "webhook response was absent"),
        (b'{"response": {}}', InvalidReview, 'expected response.uid=".*", got ""'),
    ],
)
def test_an_answer_must_be_one(body: bytes, error: type[ValueError], message: str) -> None:
    review = WebhookReview(write(), write().as_itself, ["v1"])
    with pytest.raises(error, match=message):
        review.answer(body, mutates=False)


class Naming:
    """Gives every object the next letter, and asks once for a second round."""

    name = "Naming"
    operations = (Operation.CREATE,)

    async def admit(self, attributes: Attributes) -> None:
        assert attributes.object is not None
        attributes.object["rounds"] = [*attributes.object.get("rounds", ()), attributes.reinvocation.is_running]
        attributes.reinvocation.is_wanted = True


async def test_all_plugins_are_asked_again_once() -> None:
    attributes = Attributes(
        operation=Operation.CREATE,
        kind=GroupVersionKind("", "v1", "ConfigMap"),
        resource=GroupResource("", "configmaps"),
        subresource="",
        namespace="ns",
        name="c",
        object={},
        old_object=None,
        user=User("jane"),
    )
    await AdmissionChain([Naming()]).admit(attributes)
    assert attributes.object == {"rounds": [False, True]}


class Sleeping(Naming):
    is_asleep = True

    def is_dormant(self) -> bool:
        return self.is_asleep


def test_writes_that_only_sleepers_have_a_say_in_cost_nothing() -> None:
    sleeping = Sleeping()
    chain, config_maps = AdmissionChain([sleeping]), GroupResource("", "configmaps")
    assert not chain.mutates(Operation.CREATE, config_maps)
    assert not chain.handles(Operation.CREATE, config_maps)
    sleeping.is_asleep = False
    assert chain.mutates(Operation.CREATE, config_maps)
    assert not chain.validates(Operation.CREATE, config_maps)
