"""What is left of the past after a compaction."""

from __future__ import annotations

import pytest

from localplane.apiserver.storage.errors import ResourceVersionTooOld
from localplane.apiserver.storage.interface import ListOptions
from tests.contract.pods import create, exactly, key_of, pod, with_metadata
from tests.contract.subjects import Subject


@pytest.mark.upstream("RunTestCompactRevision")
async def test_a_revision_can_be_listed_until_it_is_compacted(subject: Subject) -> None:
    revision = (await subject.storage.list("/pods/", ListOptions())).revision
    assert subject.storage.compacted_revision() < revision
    assert (await subject.storage.list("/pods/", exactly(revision))).revision == revision
    compacted = await subject.write_elsewhere()

    await subject.backend.compact(compacted)

    with pytest.raises(ResourceVersionTooOld, match="list is too old"):
        await subject.storage.list("/pods/", exactly(revision))
    assert subject.storage.compacted_revision() == compacted
    assert (await subject.storage.list("/pods/", exactly(compacted))).revision == compacted


@pytest.mark.upstream("RunTestCompactRevision")
async def test_a_compaction_leaves_the_present_alone(subject: Subject) -> None:
    await create(subject.storage, pod("foo"))
    updated = await subject.storage.guaranteed_update(key_of(pod("foo")), with_metadata(labels={"a": "b"}))

    await subject.backend.compact(updated.revision)
    await subject.backend.compact(updated.revision)

    assert (await subject.storage.get(key_of(pod("foo")))).data == updated.data
    assert [item.data for item in (await subject.storage.list("/pods/", ListOptions())).items] == [updated.data]
