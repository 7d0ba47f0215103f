"""Who is meant by a uid that dependents call by different names. Kubernetes: TestAlternateOwnerIdentity and
TestPartitionDependents."""

from __future__ import annotations

import pytest

from localplane.controllers.objects.garbage_collector.graph import AbsentOwners, GraphNode
from localplane.controllers.objects.garbage_collector.identities import alternative, partition
from localplane.controllers.objects.garbage_collector.references import ObjectReference, OwnerReference


def dependent(namespace: str, *owners: str) -> GraphNode:
    """With owners such as `v1/Pod/name`, all of the same uid."""
    references = []
    for text in owners:
        api_version, kind, name = text.rsplit("/", 2)
        references.append(OwnerReference(api_version, kind, name, "u"))
    return GraphNode(ObjectReference("v1", "Secret", namespace, "s", "s"), tuple(references))


def meant(api_version: str, kind: str, namespace: str, name: str) -> ObjectReference:
    return ObjectReference(api_version, kind, namespace, name, "u")


@pytest.mark.parametrize(
    ("dependents", "absent", "expected"),
    [
        ([], meant("v1", "Pod", "a", "p"), None),
        ([dependent("a", "v1/Pod/p")], meant("v1", "Pod", "a", "p"), None),
        ([dependent("b", "v1/Pod/p")], meant("v1", "Pod", "a", "p"), meant("v1", "Pod", "b", "p")),
        ([dependent("a", "v1/Pod/q")], meant("v1", "Pod", "a", "p"), meant("v1", "Pod", "a", "q")),
        (
            [dependent("a", "v1/Pod/a"), dependent("a", "v1/Pod/z")],
            meant("v1", "Pod", "a", "p"),
            meant("v1", "Pod", "a", "z"),
        ),
        (
            [dependent("a", "v1/Pod/b"), dependent("a", "v1/Pod/a")],
            meant("v1", "Pod", "a", "p"),
            meant("v1", "Pod", "a", "a"),
        ),
        ([dependent("a", "v1/Node/n"), dependent("", "v1/Node/n")], meant("v1", "Node", "", "n"), None),
        ([dependent("a", "v1/Node/m")], meant("v1", "Node", "", "n"), meant("v1", "Node", "", "m")),
        ([dependent("a", "v1/Pod/n")], meant("v1", "Node", "", "n"), meant("v1", "Pod", "a", "n")),
    ],
)
def test_the_next_of_those_that_may_be_meant(
    dependents: list[GraphNode], absent: ObjectReference, expected: ObjectReference | None
) -> None:
    assert alternative(dependents, absent) == expected


def test_a_dependent_may_mean_the_owner_and_another_by_the_same_uid() -> None:
    right, wrong, both = dependent("a", "v1/Pod/p"), dependent("a", "v1/Pod/q"), dependent("a", "v1/Pod/p", "v1/Pod/q")
    elsewhere = dependent("b", "v1/Pod/p")
    found = partition([right, wrong, both, elsewhere], meant("v1", "Pod", "a", "p"))
    assert found.matching == [right, both]
    assert found.others == [wrong, both, elsewhere]


def test_only_the_owners_asked_for_last_are_remembered_as_absent() -> None:
    absent = AbsentOwners(at_most=2)
    one, two, three = (meant("v1", "Pod", "a", name) for name in ("one", "two", "three"))
    absent.add(one)
    absent.add(two)
    assert one in absent  # which counts as asking
    absent.add(three)
    assert [one in absent, two in absent, three in absent] == [True, False, True]
