"""The history that the list tests look at: six creations in three namespaces, one update, one deletion.

    write 1  first/bar      write 4  third/barfoo   write 7  first/bar gets a node
    write 2  second/bar     write 5  third/foo      write 8  second/baz is deleted
    write 3  second/foo     write 6  second/baz

After that comes a revision outside the registry (`now`), and everything before write 1 is compacted.
"""

from __future__ import annotations

from dataclasses import dataclass

from localplane.apiserver.storage.continuation import encode_continue
from localplane.apiserver.storage.interface import ObjectList
from localplane.apiserver.storage.objects import StoredObject
from tests.contract.pods import create, key_of, pod
from tests.contract.subjects import LARGEST_RESOURCE_VERSION, Subject

_CREATED = ("first/bar", "second/bar", "second/foo", "third/barfoo", "third/foo", "second/baz")


@dataclass(frozen=True, slots=True)
class Seed:
    """`pods` are versions by name, where `first/bar*` is the updated one; `moments` are revisions by name."""

    pods: dict[str, StoredObject]
    moments: dict[str, int]

    def resource_version(self, moment: str) -> str:
        """A named moment as a resourceVersion; anything else stands for itself."""
        return str(self.moments[moment]) if moment in self.moments else moment

    def token(self, start: str, moment: str, *, prefix: str = "/pods/") -> str:
        revision = self.moments[moment] if moment in self.moments else int(moment)
        return encode_continue(prefix + start, prefix, revision)

    def bytes_of(self, names: str) -> list[bytes]:
        return [self.pods[name].data for name in names.split()]


async def sow(subject: Subject) -> Seed:
    moments = {"before": await subject.storage.current_revision()}
    pods: dict[str, StoredObject] = {}
    for write, name in enumerate(_CREATED, 1):
        namespace, own_name = name.split("/")
        pods[name] = await create(subject.storage, pod(own_name, namespace))
        moments[f"write {write}"] = pods[name].revision
    pods["first/bar*"] = await subject.storage.guaranteed_update(key_of(pod("bar", "first")), _assign)
    moments["write 7"] = pods["first/bar*"].revision
    moments["write 8"] = (await subject.storage.delete(key_of(pod("baz", "second")))).revision
    await subject.backend.compact(moments["write 1"])
    moments["now"] = await subject.write_elsewhere()
    moments["next"] = moments["now"] + 1
    moments["far future"] = int(LARGEST_RESOURCE_VERSION)
    subject.backend.ranges.clear()
    return Seed(pods, moments)


async def _assign(current: dict[str, object]) -> dict[str, object]:
    return {**current, "spec": {"nodeName": "fakeNode"}}


def bytes_in(answer: ObjectList) -> list[bytes]:
    return [item.data for item in answer.items]
