"""The annotations by which a deployment and its replica sets know which revision they are.

Kubernetes: pkg/controller/deployment/util (SetNewReplicaSetAnnotations, SetReplicasAnnotations, MaxRevision).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.apps.go_integers import NotAnInteger, parse_int64

from .limits import max_replicas, replicas

REVISION: Final = "deployment.kubernetes.io/revision"
HISTORY: Final = "deployment.kubernetes.io/revision-history"
DESIRED: Final = "deployment.kubernetes.io/desired-replicas"
MAXIMUM: Final = "deployment.kubernetes.io/max-replicas"
ROLLBACK: Final = "deprecated.deployment.rollback.to"
_NOT_COPIED: Final = frozenset(
    {"kubectl.kubernetes.io/last-applied-configuration", REVISION, HISTORY, DESIRED, MAXIMUM, ROLLBACK}
)
_HISTORY_LENGTH: Final = 2000


def annotations_of(obj: Mapping[str, Any]) -> dict[str, str]:
    return dict(obj["metadata"].get("annotations") or {})


def with_annotations(obj: JSONObject, annotations: Mapping[str, str]) -> JSONObject:
    return obj | {"metadata": obj["metadata"] | {"annotations": dict(annotations)}}


def revision_of(obj: Mapping[str, Any]) -> int | None:
    """Zero without one, None if it can't be read."""
    try:
        return parse_int64(annotations_of(obj).get(REVISION, "0"))
    except NotAnInteger:
        return None


def highest_revision(replica_sets: Iterable[JSONObject]) -> int:
    return max([0, *(revision_of(each) or 0 for each in replica_sets)])


def last_revision(replica_sets: Iterable[JSONObject]) -> int:
    """The highest but one, or zero."""
    revisions = sorted(filter(None, map(revision_of, replica_sets)))
    return revisions[-2] if len(revisions) > 1 else 0


def revised(replica_set: JSONObject, deployment: JSONObject, revision: int) -> dict[str, str]:
    """What the new replica set has for annotations: those of the deployment, and the revision if that is higher than
    its own. Then its own was an earlier one that people went back to, and is remembered."""
    before = annotations_of(replica_set)
    annotations = before | copied_annotations(deployment)
    own = before.get(REVISION, "")
    try:
        if (parse_int64(own) if own else 0) >= revision:
            return annotations
    except NotAnInteger:  # somebody has put something else there: hands off
        return before
    annotations[REVISION] = str(revision)
    if own:
        annotations[HISTORY] = _longer_history(before.get(HISTORY, ""), own)
    return annotations


def _longer_history(history: str, revision: str) -> str:
    """The oldest are forgotten if it grows too long."""
    revisions = history.split(",")
    if not revisions[0]:
        return revision
    start, length = 0, len(history) + len(revision) + 1
    while length > _HISTORY_LENGTH and start < len(revisions):
        length -= len(revisions[start]) + 1
        start += 1
    return ",".join([*revisions[start:], revision]) if length <= _HISTORY_LENGTH else history


def copied_annotations(obj: JSONObject) -> dict[str, str]:
    """Those that a deployment shares with its new replica set."""
    return {key: value for key, value in annotations_of(obj).items() if key not in _NOT_COPIED}


def own_annotations(obj: JSONObject) -> dict[str, str]:
    """Those that it does not."""
    return {key: value for key, value in annotations_of(obj).items() if key in _NOT_COPIED}


def size_annotations(deployment: JSONObject) -> dict[str, str]:
    """What a replica set notes of its deployment, to tell later whether that was scaled."""
    return {DESIRED: str(replicas(deployment)), MAXIMUM: str(max_replicas(deployment))}


def noted(replica_set: JSONObject, annotation: str) -> int | None:
    """A number of replicas that was noted, if it is one."""
    text = annotations_of(replica_set).get(annotation, "")
    if not text.isdecimal() or not text.isascii() or len(text) > 10 or int(text) >= 2**31:
        return None
    return int(text)


def rollback_of(deployment: JSONObject) -> int | None:
    """The revision that somebody wants back in the way of old, zero for the last one."""
    try:
        return parse_int64(annotations_of(deployment)[ROLLBACK])
    except (KeyError, NotAnInteger):
        return None
