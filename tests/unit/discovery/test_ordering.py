"""Which group and which version comes first."""

from __future__ import annotations

from localplane.apiserver.endpoints.discovery import InstalledGroup, InstalledVersion
from localplane.apiserver.endpoints.discovery.priority import (
    by_priority_and_name,
    by_priority_and_service,
    merged,
    versions_in_order,
)


def group(name: str, *versions: str, priority: int = 1000, preferred: str = "") -> InstalledGroup:
    installed = [InstalledVersion(version=each) for each in versions]
    return InstalledGroup(name=name, versions=installed, priority=priority, preferred_version=preferred)


def versions_of(installed: InstalledGroup) -> list[str]:
    return [each.version for each in versions_in_order(installed)]


def test_better_versions_come_first() -> None:
    found = versions_of(group("g", "foo", "v1alpha1", "v1", "v2beta1", "v2", "bar"))
    assert found == ["v2", "v1", "v2beta1", "v1alpha1", "bar", "foo"]


def test_a_higher_priority_beats_a_better_name() -> None:
    installed = InstalledGroup(
        name="g",
        versions=[InstalledVersion(version="v2", priority=10), InstalledVersion(version="v1beta1", priority=20)],
    )
    assert versions_of(installed) == ["v1beta1", "v2"]


def test_the_preferred_version_beats_all() -> None:
    assert versions_of(group("g", "v2", "v1", "v3", preferred="v1")) == ["v1", "v3", "v2"]


def test_groups_come_by_priority_and_then_by_name() -> None:
    groups = [group("b", "v1"), group("a", "v1"), group("z", "v1", priority=2000)]
    assert [each.name for each in by_priority_and_name(groups)] == ["z", "a", "b"]


def test_in_the_plain_list_ties_between_groups_fall_by_their_first_versions_service() -> None:
    groups = [group("a.example.com", "v2"), group("b.example.com", "v1", "v3"), group("c.example.com", "v1")]
    assert [each.name for each in by_priority_and_service(groups)] == [
        "b.example.com",
        "c.example.com",
        "a.example.com",
    ]


def test_a_group_of_two_servers_is_one_group_in_which_the_first_server_wins() -> None:
    first, second = group("g", "v1", priority=10), group("g", "v1", "v2", priority=20)
    (found,) = merged([first, second])
    assert [each.version for each in found.versions] == ["v1", "v2"]
    assert found.versions[0] is first.versions[0]
    assert found.priority == 20


def test_a_group_without_versions_is_no_group() -> None:
    assert merged([group("g")]) == []
