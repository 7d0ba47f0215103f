"""Scope and selector together decide what a watch shows."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.interface import EventType, WatchOptions
from localplane.apiserver.storage.objects import StoredObject
from tests.contract.pods import key_of, pod, selecting, write
from tests.contract.subjects import Subject
from tests.contract.watching import expect, expect_nothing_more

EVENTS = {"+": EventType.ADDED, "~": EventType.MODIFIED, "-": EventType.DELETED}


@dataclass(frozen=True, slots=True)
class Scope:
    """`writes` are `namespace/name@node`, a `!` for another phase; a sign in front is the event that must be seen."""

    id: str
    key: str
    select: str
    writes: str
    recursive: bool = True


CLUSTER = (
    Scope("all", "/pods/", "", "+foo1 ~foo1! +foo2@bar1"),
    Scope("by node", "/pods/", "spec.nodeName=bar1", "foo1 +foo1@bar1"),
    Scope("not by node", "/pods/", "spec.nodeName!=bar1", "+foo1 +foo2 ~foo1! -foo1@bar1"),
    Scope("one", "/pods/foo1", "metadata.name=foo1", "+foo1 foo2 ~foo1! foo2!", recursive=False),
    Scope(
        "one, by node",
        "/pods/foo1",
        "metadata.name=foo1,spec.nodeName=bar1",
        "foo1 foo2 foo1! foo2! +foo1@bar1",
        recursive=False,
    ),
    Scope(
        "one, not by node",
        "/pods/foo1",
        "metadata.name=foo1,spec.nodeName!=bar1",
        "+foo1 foo2 ~foo1! -foo1@bar1 foo2@bar1",
        recursive=False,
    ),
)

NAMESPACED = (
    Scope("everywhere", "/pods/", "", "+ns1/foo1 +ns2/foo2 ~ns1/foo1! ~ns2/foo2!"),
    Scope("everywhere, by namespace", "/pods/", "metadata.namespace=ns1", "+ns1/foo1 ns2/foo1 ~ns1/foo1! ns2/foo1!"),
    Scope("everywhere, by node", "/pods/", "spec.nodeName=bar1", "ns1/foo1 ns2/foo2 +ns1/foo1@bar1 +ns2/foo2@bar1"),
    Scope("everywhere, not by node", "/pods/", "spec.nodeName!=bar1", "+ns1/foo1 +ns1/foo2 ~ns1/foo1! -ns1/foo1@bar1"),
    Scope("one namespace", "/pods/ns1/", "", "+ns1/foo1 ns2/foo1 +ns1/foo2 ~ns1/foo1! ns2/foo1!"),
    Scope("one namespace, by the same", "/pods/ns1/", "metadata.namespace=ns1", "+ns1/foo1 ns2/foo1 ~ns1/foo1!"),
    Scope("one namespace, by another", "/pods/ns1/", "metadata.namespace=ns2", "ns1/foo1 ns2/foo1 ns1/foo1! ns2/foo1!"),
    Scope(
        "one namespace, by node",
        "/pods/ns1/",
        "spec.nodeName=bar2",
        "ns1/foo1 ns1/foo1@bar1 ns2/foo1@bar2 +ns1/foo1@bar2",
    ),
    Scope(
        "one namespace, not by node",
        "/pods/ns2/",
        "spec.nodeName!=bar1",
        "ns1/foo1 +ns2/foo1 -ns2/foo1@bar1 +ns2/foo1@bar2",
    ),
    Scope(
        "everywhere, by name",
        "/pods/",
        "metadata.name=foo1",
        "+ns1/foo1 +ns2/foo1 ns1/foo2 ~ns1/foo1! ~ns1/foo1@bar1",
    ),
    Scope(
        "everywhere, by name and namespace",
        "/pods/",
        "metadata.name=foo1,metadata.namespace=ns1",
        "+ns1/foo1 ns1/foo2 ns2/foo1 ~ns1/foo1! ~ns1/foo1@bar1",
    ),
    Scope(
        "everywhere, by name and node",
        "/pods/",
        "metadata.name=foo1,spec.nodeName=bar1",
        "ns1/foo1 ns1/foo1! +ns1/foo1@bar1",
    ),
    Scope(
        "everywhere, by name, not by node",
        "/pods/",
        "metadata.name=foo1,spec.nodeName!=bar1",
        "+ns1/foo1 ns1/foo2 ~ns1/foo1! -ns1/foo1@bar1 +ns1/foo1@bar2",
    ),
    Scope(
        "one object, by name",
        "/pods/ns1/foo1",
        "metadata.name=foo1",
        "+ns1/foo1 ns1/foo2 ~ns1/foo1! ~ns1/foo1@bar1",
        recursive=False,
    ),
    Scope(
        "one object, by name and namespace",
        "/pods/ns1/foo2",
        "metadata.name=foo2,metadata.namespace=ns1",
        "ns1/foo1 +ns1/foo2 ns1/foo1! ~ns1/foo2@bar1",
        recursive=False,
    ),
    Scope(
        "one object, by name, namespace and node",
        "/pods/ns1/foo1",
        "metadata.name=foo1,metadata.namespace=ns1,spec.nodeName=bar1",
        "ns1/foo1 ns1/foo2 ns2/foo1 ns1/foo1! +ns1/foo1@bar1",
        recursive=False,
    ),
    Scope(
        "one object, by name and namespace, not by node",
        "/pods/ns1/foo2",
        "metadata.name=foo2,metadata.namespace=ns1,spec.nodeName!=bar1",
        "ns1/foo1 ns2/foo2 +ns1/foo2 ~ns1/foo2! -ns1/foo2@bar1",
        recursive=False,
    ),
)


def parsed(written: str) -> JSONObject:
    place, _, node = written.rstrip("!").partition("@")
    namespace, _, name = place.rpartition("/")
    return pod(name, namespace, node=node, phase="Running" if written.endswith("!") else "")


async def check(subject: Subject, scope: Scope) -> None:
    revision = await subject.storage.current_revision()
    options = WatchOptions(resource_version=str(revision), predicate=selecting(scope.select), recursive=scope.recursive)
    watch = await subject.storage.watch(scope.key, options)
    present: dict[str, StoredObject] = {}

    for step in scope.writes.split():
        event_type = EVENTS.get(step[0])
        obj = parsed(step.lstrip("+~-"))
        written = await write(subject.storage, obj)
        if event_type is EventType.DELETED:
            # What leaves the selection is shown as it last was in it.
            await expect(watch, event_type, present[key_of(obj)].at_revision(written.revision))
        elif event_type is not None:
            await expect(watch, event_type, written)
        present[key_of(obj)] = written

    await expect_nothing_more(subject.storage, watch)


@pytest.mark.upstream("RunTestClusterScopedWatch")
@pytest.mark.parametrize("scope", CLUSTER, ids=lambda scope: scope.id)
async def test_a_watch_of_a_cluster_scoped_resource(subject: Subject, scope: Scope) -> None:
    await check(subject, scope)


@pytest.mark.upstream("RunTestNamespaceScopedWatch")
@pytest.mark.parametrize("scope", NAMESPACED, ids=lambda scope: scope.id)
async def test_a_watch_of_a_namespaced_resource(subject: Subject, scope: Scope) -> None:
    await check(subject, scope)


@pytest.mark.upstream("RunTestNamespaceScopedWatch")
async def test_a_watch_of_one_resource_never_shows_another(subject: Subject) -> None:
    revision = await subject.storage.current_revision()
    watch = await subject.storage.watch("/pods/", WatchOptions(resource_version=str(revision)))
    for prefix in ("/pods.apps/", "/podsmore/", "/pod/"):
        await subject.resource(prefix).create(prefix + "ns/foo", pod("foo"))

    await expect_nothing_more(subject.storage, watch)
