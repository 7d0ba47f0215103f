"""metadata.managedFields: who owns which fields, read and written.

Kubernetes: apimachinery/pkg/util/managedfields/internal (managedfields.go, capmanagers.go, stripmeta.go).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from localplane.apimachinery.golang.text import go_json, go_quote
from localplane.apimachinery.objects import JSONObject

from .errors import InvalidManagedFields
from .fieldset import MEMBER, Fields, InvalidElement, difference, of_paths, ordered, parse, union
from .settled import Settled

Operation = Literal["Apply", "Update"]


class Manager(NamedTuple):
    """What tells one entry from another. Who applies is the same in all versions: `api_version` is empty then."""

    name: str
    operation: Operation
    api_version: str = ""
    subresource: str = ""

    @property
    def identifier(self) -> str:
        """Kubernetes' key for this manager, by which it sorts."""
        keys = {
            "manager": self.name,
            "operation": self.operation,
            "apiVersion": self.api_version,
            "subresource": self.subresource,
        }
        return go_json({key: value for key, value in keys.items() if value})


@dataclass(frozen=True, slots=True)
class ManagerEntry:
    """The fields of one manager. `written` is the entry as it was read; `settled`: its fields are known to fit the
    schema."""

    fields: Fields
    api_version: str
    time: str = ""
    written: JSONObject | None = None
    settled: bool = False

    def owning(self, fields: Fields) -> ManagerEntry:
        """The same entry with other fields, at its old time."""
        return self if fields is self.fields else ManagerEntry(fields, self.api_version, self.time, self.written)

    def at(self, time: str, api_version: str) -> ManagerEntry:
        """The same fields, owned in this version since then."""
        return ManagerEntry(
            self.fields, api_version, time, self.written, self.settled and api_version == self.api_version
        )

    @property
    def known(self) -> Fields:
        """The set that was read."""
        return self.written.get("fieldsV1") or MEMBER if self.written is not None else MEMBER

    @property
    def is_as_written(self) -> bool:
        """Nothing has changed since it was read, but perhaps the time."""
        return (
            self.written is not None
            and self.written.get("fieldsV1") is self.fields
            and self.written["apiVersion"] == self.api_version
        )


Managed: TypeAlias = dict[Manager, ManagerEntry]

MAX_UPDATE_MANAGERS: Final = 10
_ANCIENT_CHANGES: Final = "ancient-changes"

_STRIPPED: Final = of_paths(
    ("f:apiVersion",),
    ("f:kind",),
    ("f:metadata",),
    *(
        ("f:metadata", f"f:{name}")
        for name in (
            "name",
            "namespace",
            "creationTimestamp",
            "selfLink",
            "uid",
            "clusterName",
            "generation",
            "managedFields",
            "resourceVersion",
        )
    ),
)


def stripped(fields: Fields) -> Fields:
    """Without the fields that belong to the object as such, and to nobody."""
    return difference(fields, _STRIPPED)


def decode(entries: Any, settled: Settled | None = None) -> Managed:
    """Read managedFields. One entry that can't be read makes all of them invalid: raises InvalidManagedFields."""
    if entries is None:
        return {}
    if not isinstance(entries, list):
        raise InvalidManagedFields("managedFields must be a list")
    managed: Managed = {}
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise InvalidManagedFields(f"entry {number} must be an object")
        manager, api_version = _manager(entry, number)
        is_settled = settled is not None and entry in settled
        fields = entry["fieldsV1"] if is_settled else _fields(entry)
        managed[manager] = ManagerEntry(fields, api_version, _text(entry, "time"), entry, is_settled)
    return managed


def _manager(entry: JSONObject, number: int) -> tuple[Manager, str]:
    operation = entry.get("operation")
    if operation not in ("Apply", "Update"):
        raise InvalidManagedFields("operation must be `Apply` or `Update`")
    api_version = _text(entry, "apiVersion")
    if not api_version:
        raise InvalidManagedFields("apiVersion must not be empty")
    fields_type = _text(entry, "fieldsType")
    if not fields_type:
        raise InvalidManagedFields(f"missing fieldsType in managed fields entry {number}")
    if fields_type != "FieldsV1":
        raise InvalidManagedFields(f"invalid fieldsType {go_quote(fields_type)} in managed fields entry {number}")
    in_manager = "" if operation == "Apply" else api_version
    return Manager(_text(entry, "manager"), operation, in_manager, _text(entry, "subresource")), api_version


def _text(entry: JSONObject, key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def _fields(entry: JSONObject) -> Fields:
    try:
        return parse(entry.get("fieldsV1"))
    except InvalidElement as error:
        raise InvalidManagedFields(f"error decoding versioned set: error decoding set: {error}") from None


def encode(managed: Managed) -> list[JSONObject]:
    """Write managedFields, in Kubernetes' order: appliers first, then the oldest first."""
    items = list(managed.items())
    if len(items) > 1:
        items.sort(key=_order)
    return [_encoded(manager, entry) for manager, entry in items]


def _order(item: tuple[Manager, ManagerEntry]) -> tuple[str, ...]:
    manager, entry = item
    return (manager.operation, entry.time, manager.name, entry.api_version, manager.subresource)


def _encoded(manager: Manager, entry: ManagerEntry) -> JSONObject:
    if entry.written is not None and entry.is_as_written:
        return entry.written if _text(entry.written, "time") == entry.time else {**entry.written, "time": entry.time}
    found: JSONObject = {"manager": manager.name} if manager.name else {}
    found["operation"] = manager.operation
    found["apiVersion"] = entry.api_version
    if entry.time:
        found["time"] = entry.time
    found["fieldsType"] = "FieldsV1"
    found["fieldsV1"] = ordered(entry.fields, entry.known)
    if manager.subresource:
        found["subresource"] = manager.subresource
    return found


def is_reset(entries: Any) -> bool:
    """A client asks to forget all managers: by an empty list, or by one empty entry."""
    return isinstance(entries, list) and (not entries or entries == [{}])


def capped(managed: Managed, most: int = MAX_UPDATE_MANAGERS) -> Managed:
    """Merge the oldest updates of a version into one entry, until there are no more updaters than allowed."""
    updaters = [manager for manager in managed if manager.operation == "Update"]
    if len(updaters) <= most:
        return managed
    updaters.sort(key=lambda manager: (managed[manager].time, manager.identifier))
    found = dict(managed)
    first_of: dict[str, Manager] = {}
    excess = len(updaters) - most
    for manager in updaters:
        if not excess:
            break
        entry = found[manager]
        first = first_of.setdefault(entry.api_version, manager)
        if first is manager:
            continue
        _put_in_bucket(found, first, manager)
        excess -= 1
    return found


def _put_in_bucket(managed: Managed, first: Manager, manager: Manager) -> None:
    entry = managed.pop(manager)
    bucket = Manager(_ANCIENT_CHANGES, "Update", entry.api_version)
    before = managed.pop(bucket, None) or managed.pop(first)
    managed[bucket] = ManagerEntry(union(entry.fields, before.fields), entry.api_version, entry.time)


def validate(entries: Sequence[JSONObject] | None) -> None:
    """Raise InvalidManagedFields when these could not be read: after admission, whoever broke them is told."""
    decode(entries)
