"""Which keys a list covers, and how new a consistent one is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.continuation import encode_continue
from localplane.apiserver.storage.errors import InvalidKey, ResourceVersionTooLarge
from localplane.apiserver.storage.interface import ListOptions, Match
from localplane.apiserver.storage.objects import StoredObject
from tests.contract.pods import create, exactly, key_of, not_older_than, pod, selecting, with_metadata
from tests.contract.seed import bytes_in
from tests.contract.subjects import LARGEST_RESOURCE_VERSION, Subject

KEY = key_of(pod("foo"))


@pytest.mark.upstream("RunTestConsistentList")
async def test_a_list_without_a_resource_version_shows_the_newest_revision_of_the_whole_store(
    subject: Subject,
) -> None:
    await create(subject.storage, pod("foo", "default"))
    for _ in range(3):
        newest = await subject.write_elsewhere()
        answer = await subject.storage.list("/pods/empty", ListOptions())
        assert answer.revision == newest


@pytest.mark.upstream("RunTestConsistentList")
async def test_a_list_continued_at_the_present_is_consistent_too(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo", "default"))
    newest = await subject.write_elsewhere()
    token = encode_continue("/pods/a", "/pods/", -1)

    answer = await subject.storage.list("/pods/", ListOptions(continue_token=token))

    assert answer.revision == newest
    assert bytes_in(answer) == [created.data]


@pytest.mark.upstream("RunTestConsistentList")
async def test_a_list_from_any_time_is_never_newer_than_the_store(subject: Subject) -> None:
    before = (await create(subject.storage, pod("foo", "default"))).revision
    newest = await subject.write_elsewhere()

    answer = await subject.storage.list("/pods/empty", ListOptions(resource_version="0"))

    assert answer.revision <= newest if subject.cached else answer.revision == newest
    consistent = await subject.storage.list("/pods/empty", ListOptions())
    after = await subject.storage.list("/pods/empty", ListOptions(resource_version="0"))
    assert before < consistent.revision <= after.revision, "a consistent read brings the cache up to date"


@dataclass(frozen=True, slots=True)
class Versions:
    previous: StoredObject
    current: StoredObject


async def two_versions(subject: Subject) -> Versions:
    previous = await create(subject.storage, pod("foo"))
    current = await subject.storage.guaranteed_update(KEY, with_metadata(annotations={"version": "second"}))
    await subject.write_elsewhere()
    return Versions(previous, current)


SINGLE: tuple[tuple[str, str, Match, tuple[str, ...]], ...] = (
    ("consistent", "", Match.UNSET, ("current",)),
    ("any time", "0", Match.UNSET, ("", "previous", "current")),
    ("any time, not older", "0", Match.NOT_OLDER_THAN, ("", "previous", "current")),
    ("at the current version", "current", Match.UNSET, ("current",)),
    ("not older than the current version", "current", Match.NOT_OLDER_THAN, ("current",)),
    ("not older than the previous version", "previous", Match.NOT_OLDER_THAN, ("previous", "current")),
    ("exactly the current version", "current", Match.EXACT, ("current",)),
    ("exactly the previous version", "previous", Match.EXACT, ("previous",)),
)


@pytest.mark.upstream("RunTestGetListNonRecursive")
@pytest.mark.parametrize(("at", "match", "allowed"), [case[1:] for case in SINGLE], ids=[case[0] for case in SINGLE])
async def test_a_list_of_one_key_holds_that_object(
    subject: Subject, at: str, match: Match, allowed: tuple[str, ...]
) -> None:
    versions = await two_versions(subject)
    revisions = {"previous": versions.previous.revision, "current": versions.current.revision}
    answers = {"": [], "previous": [versions.previous.data], "current": [versions.current.data]}

    options = ListOptions(resource_version=str(revisions.get(at, at)), match=match, recursive=False)
    answer = await subject.storage.list(KEY, options)

    assert bytes_in(answer) in [answers[name] for name in allowed]
    assert answer.revision >= revisions.get(at, 1)
    assert answer.continue_token == ""


@pytest.mark.upstream("RunTestGetListNonRecursive")
async def test_a_list_of_one_key_can_not_be_from_the_future(subject: Subject) -> None:
    await two_versions(subject)
    options = ListOptions(resource_version=LARGEST_RESOURCE_VERSION, recursive=False)

    with pytest.raises(ResourceVersionTooLarge):
        await subject.storage.list(KEY, options)


@pytest.mark.upstream("RunTestGetListNonRecursive")
@pytest.mark.parametrize(
    ("key", "select"),
    [("/pods/non-existing", ""), ("/pods/non-existing", "metadata.name!=foo"), (KEY, "metadata.name!=foo")],
    ids=["an absent key", "an absent key and a selector", "a selector that does not match"],
)
async def test_a_list_of_one_key_may_be_empty(subject: Subject, key: str, select: str) -> None:
    newest = (await two_versions(subject)).current.revision
    options = ListOptions(resource_version=str(newest), predicate=selecting(select), recursive=False)

    answer = await subject.storage.list(key, options)

    assert answer.items == []
    assert answer.revision >= newest


LIST_TYPES: dict[str, Callable[[int], ListOptions]] = {
    "exact": exactly,
    "consistent": lambda _: ListOptions(),
    "not older": not_older_than,
}

PREFIXES = (
    ("/pods/", True, "foo foobar baz"),
    ("/pods", True, "foo foobar baz"),
    ("/pods/test-ns/", True, "foo foobar"),
    ("/pods/test-ns", True, "foo foobar"),
    ("/pods/test-ns/foo", False, "foo"),
    ("/pods/test-ns/foo", True, ""),
    ("/pods/test-ns/foobar", False, "foobar"),
    ("/pods/test-ns/foobar", True, ""),
    ("/pods/test", True, ""),
)


@pytest.mark.upstream("RunTestGetListRecursivePrefix")
@pytest.mark.parametrize("list_type", LIST_TYPES)
@pytest.mark.parametrize(("key", "recursive", "names"), PREFIXES)
async def test_a_key_is_never_taken_for_the_beginning_of_another(
    subject: Subject, list_type: str, key: str, names: str, *, recursive: bool
) -> None:
    stored: dict[str, JSONObject] = {}
    newest = 0
    for name, namespace in (("foo", "test-ns"), ("foobar", "test-ns"), ("baz", "test-ns2")):
        created = await create(subject.storage, pod(name, namespace))
        stored[name], newest = created.decode(), created.revision

    answer = await subject.storage.list(key, replace(LIST_TYPES[list_type](newest), recursive=recursive))

    assert [item.decode() for item in answer.items] == [stored[name] for name in names.split()]


@pytest.mark.upstream("RunTestGetListRecursivePrefix")
@pytest.mark.parametrize("key", ["/pods/", "/pods/test-ns/"])
async def test_a_prefix_is_no_object(subject: Subject, key: str) -> None:
    """Upstream answers with an empty list; here the caller is told that it asked for nothing."""
    await create(subject.storage, pod("foo"))

    with pytest.raises(InvalidKey):
        await subject.storage.list(key, ListOptions(recursive=False))


@pytest.mark.upstream("RunTestGetListRecursivePrefix")
async def test_lists_of_one_resource_never_show_another(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo"))
    for prefix in ("/pods.apps/", "/podsmore/", "/pod/"):
        other = subject.resource(prefix)
        await other.create(prefix + "test-ns/foo", pod("foo"))

    assert bytes_in(await subject.storage.list("/pods/", ListOptions())) == [created.data]
    assert bytes_in(await subject.storage.list("/pods", ListOptions())) == [created.data]


@dataclass(frozen=True, slots=True)
class Scope:
    """`pods` are `namespace/name@node`, in key order; those marked with `*` must be found."""

    id: str
    namespace: str
    select: str
    pods: str


SCOPES = (
    Scope("everywhere", "", "", "ns1/foo1* ns2/foo2*"),
    Scope("everywhere, by namespace", "", "metadata.namespace=ns1", "ns1/foo1* ns2/foo1"),
    Scope("everywhere, by node", "", "spec.nodeName=bar1", "ns1/foo1@bar1* ns2/foo2@bar2"),
    Scope("everywhere, not by node", "", "spec.nodeName!=bar1", "ns1/foo1@bar1 ns2/foo2@bar2*"),
    Scope("one namespace", "ns1", "", "ns1/foo1* ns1/foo2* ns2/foo1"),
    Scope("one namespace, by the same", "ns1", "metadata.namespace=ns1", "ns1/foo1* ns2/foo1"),
    Scope("one namespace, by another", "ns1", "metadata.namespace=ns2", "ns1/foo1 ns1/foo2 ns2/foo1 ns2/foo2"),
    Scope("one namespace, by node", "ns1", "spec.nodeName=bar2", "ns1/foo1@bar1 ns1/foo2@bar2* ns2/foo1@bar2"),
    Scope(
        "one namespace, not by node", "ns2", "spec.nodeName!=bar1", "ns1/foo1 ns2/foo1* ns2/foo2@bar2* ns2/foo3@bar1"
    ),
    Scope("everywhere, by name", "", "metadata.name=foo1", "ns1/foo1* ns1/foo2 ns2/foo1*"),
    Scope(
        "everywhere, by name and namespace",
        "",
        "metadata.name=foo1,metadata.namespace=ns1",
        "ns1/foo1* ns1/foo2 ns2/foo1",
    ),
    Scope("everywhere, by name and node", "", "metadata.name=foo1,spec.nodeName=bar1", "ns1/foo1@bar1*"),
    Scope(
        "everywhere, by name, not by node",
        "",
        "metadata.name=foo1,spec.nodeName!=bar1",
        "ns1/foo1* ns1/foo2 ns2/foo1@bar1 ns2/foo2@bar1 ns3/foo1@bar2* ns3/foo2@bar2",
    ),
    Scope("one namespace, by name", "ns1", "metadata.name=foo1", "ns1/foo1* ns1/foo2 ns2/foo1 ns2/foo2"),
    Scope(
        "one namespace, by name and namespace",
        "ns1",
        "metadata.name=foo1,metadata.namespace=ns1",
        "ns1/foo1* ns1/foo2 ns2/foo1 ns2/foo2",
    ),
    Scope(
        "one namespace, by name, namespace and node",
        "ns2",
        "metadata.name=foo2,metadata.namespace=ns2,spec.nodeName=bar1",
        "ns1/foo1 ns1/foo2 ns2/foo1 ns2/foo2@bar1* ns3/foo1@bar1 ns3/foo2@bar1",
    ),
    Scope(
        "one namespace, by name and namespace, not by node",
        "ns2",
        "metadata.name=foo1,metadata.namespace=ns2,spec.nodeName!=bar2",
        "ns1/foo1 ns1/foo2 ns2/foo1@bar1* ns2/foo2@bar2 ns3/foo1@bar2",
    ),
)


def parsed(written: str) -> JSONObject:
    place, _, node = written.rstrip("*").partition("@")
    namespace, name = place.split("/")
    return pod(name, namespace, node=node)


@pytest.mark.upstream("RunTestNamespaceScopedList")
@pytest.mark.parametrize("scope", SCOPES, ids=lambda scope: scope.id)
async def test_namespace_and_selector_choose_together(subject: Subject, scope: Scope) -> None:
    stored = [(written, await create(subject.storage, parsed(written))) for written in scope.pods.split()]

    answer = await subject.storage.list(f"/pods/{scope.namespace}", ListOptions(predicate=selecting(scope.select)))

    assert bytes_in(answer) == [obj.data for written, obj in stored if written.endswith("*")]
