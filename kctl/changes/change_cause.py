"""--record: the command line that changed an object, noted in an annotation of it.

`rollout history` shows it. Kubernetes: cli-runtime/pkg/genericclioptions/record_flags.go.
"""

from __future__ import annotations

from typing import Any

from kctl.command_line.flags import Flag
from kctl.session.session import Session
from localplane.apimachinery.objects import JSONObject

CHANGE_CAUSE = "kubernetes.io/change-cause"
_SECRET = ("token", "username", "password")

RECORD = Flag(
    "record",
    "switch",
    default=False,
    usage="Note this command line in the object's annotations.",
    bare="true",
    hidden=True,
    deprecated="--record will be removed in the future",
)


def recorded(session: Session) -> dict[str, str]:
    """The annotation that --record asks for; nothing without it."""
    flags = session.flags
    if not flags.is_on("record"):
        return {}
    words = [*session.command.split(), *flags.arguments]
    words += (f"--{name}={'CLASSIFIED' if name in _SECRET else value}" for name, value in flags.said)
    return {CHANGE_CAUSE: " ".join(words)}


def with_annotations(obj: dict[str, Any], annotations: dict[str, str]) -> dict[str, Any]:
    """A copy that has these as well."""
    metadata = obj.get("metadata") or {}
    return {**obj, "metadata": {**metadata, "annotations": {**(metadata.get("annotations") or {}), **annotations}}}


def annotated(obj: JSONObject, annotations: dict[str, str]) -> JSONObject:
    """A copy with these as well; the object itself if there are none."""
    if not annotations:
        return obj
    metadata = obj.get("metadata") or {}
    return {**obj, "metadata": {**metadata, "annotations": {**(metadata.get("annotations") or {}), **annotations}}}
