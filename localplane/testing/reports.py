"""What a test that failed wants to know of an object: how it is, what happened to it, and who changed it last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.yaml_writer import to_yaml

_MOST_EVENTS: Final = 20


def report(obj: JSONObject | None, events: Iterable[JSONObject]) -> str:
    """Several lines for people. `events` are all there are in its namespace."""
    if obj is None:
        return "it is not there"
    shown = {name: value for name, value in obj.items() if name != "metadata"}
    shown["metadata"] = {name: value for name, value in obj["metadata"].items() if name != "managedFields"}
    about = [event for event in events if is_about(event, obj)]
    return "\n".join(
        (
            to_yaml(shown).decode().rstrip(),
            "",
            "events:",
            *(event_lines(about) or ["  none"]),
            "",
            "changed by:",
            *(list(manager_lines(obj)) or ["  nobody who is noted"]),
        )
    )


def is_about(event: JSONObject, obj: JSONObject) -> bool:
    """Whether an event regards this very object."""
    involved, metadata = event.get("involvedObject") or {}, obj["metadata"]
    if involved.get("uid"):
        return bool(involved["uid"] == metadata.get("uid"))
    return involved.get("name") == metadata.get("name") and involved.get("kind") == obj.get("kind")


def event_lines(events: Iterable[JSONObject]) -> list[str]:
    """The last of them, the newest at the end."""
    ordered = sorted(events, key=_time)[-_MOST_EVENTS:]
    return [
        f"  {_time(event) or '-':<20} {event.get('type', ''):<8} {event.get('reason', ''):<20} "
        f"{(event.get('involvedObject') or {}).get('kind', '')}/{(event.get('involvedObject') or {}).get('name', '')}: "
        f"{event.get('message', '')}"
        for event in ordered
    ]


def manager_lines(obj: JSONObject) -> Iterator[str]:
    """Who wrote to it, from what its managed fields tell, the last one at the end."""
    entries = obj["metadata"].get("managedFields") or []
    for entry in sorted(entries, key=lambda each: str(each.get("time", ""))):
        what = f" ({entry['subresource']})" if entry.get("subresource") else ""
        fields = ", ".join(sorted(_fields(entry.get("fieldsV1") or {})))
        yield f"  {entry.get('time', ''):<20} {entry.get('manager', '')} {entry.get('operation', '')}{what}: {fields}"


def _fields(fields: JSONObject) -> Iterator[str]:
    """The uppermost that say something: `spec.replicas`, `status`."""
    for name, below in fields.items():
        if not name.startswith("f:"):
            continue
        inner = [each for each in below if each.startswith("f:")] if isinstance(below, dict) else []
        if inner and len(inner) <= 4:
            yield from (f"{name[2:]}.{each[2:]}" for each in inner)
        else:
            yield name[2:]


def _time(event: JSONObject) -> str:
    return str(event.get("lastTimestamp") or event.get("eventTime") or event["metadata"].get("creationTimestamp") or "")
