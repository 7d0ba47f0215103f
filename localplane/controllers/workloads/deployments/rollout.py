"""A deployment and its replica sets, in the course of one sync."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from localplane.apimachinery.objects import JSONObject

from .limits import replicas
from .templates import same_template


@dataclass(slots=True)
class Rollout:
    """`new` has the deployment's template. What is written on the way takes the place of what was read. The objects
    themselves are shared with others and never changed."""

    deployment: JSONObject
    new: JSONObject | None = None
    old: list[JSONObject] = field(default_factory=list)

    @classmethod
    def of(cls, deployment: JSONObject, replica_sets: Iterable[JSONObject]) -> Rollout:
        """Of several with the same template, the oldest is the new one."""
        by_age = sorted(replica_sets, key=age_order)
        template = deployment["spec"]["template"]
        new = next((each for each in by_age if same_template(each["spec"]["template"], template)), None)
        return cls(deployment, new, [each for each in by_age if each is not new])

    @property
    def all(self) -> list[JSONObject]:
        return [*self.old, self.new] if self.new is not None else list(self.old)

    @property
    def active_old(self) -> list[JSONObject]:
        return [each for each in self.old if replicas(each)]

    def replace(self, replica_set: JSONObject) -> None:
        uid = replica_set["metadata"]["uid"]
        if self.new is not None and self.new["metadata"]["uid"] == uid:
            self.new = replica_set
        else:
            self.old = [replica_set if each["metadata"]["uid"] == uid else each for each in self.old]


def age_order(obj: JSONObject) -> tuple[str, str]:
    """The oldest first."""
    return obj["metadata"].get("creationTimestamp", ""), obj["metadata"]["name"]
