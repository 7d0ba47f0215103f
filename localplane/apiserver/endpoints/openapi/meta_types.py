"""The types that objects of every group share: their metadata, and the scalars with a form of their own.

Names and shapes are Kubernetes' (apimachinery/pkg/apis/meta/v1); the words are ours.
"""

from __future__ import annotations

from functools import cache

from localplane.apimachinery.objects import JSONObject

from .words import META, boolean, integer, listed, mapped, of, ref, struct, text


@cache
def meta_types() -> dict[str, JSONObject]:
    """Made when the first document is. Nobody may change what is in it."""
    return _scalars() | _metadata()


def _scalars() -> dict[str, JSONObject]:
    return {
        f"{META}Time": text("A time of day on a date, to the second, in UTC.", format="date-time"),
        f"{META}MicroTime": text("As Time, to the microsecond.", format="date-time"),
        f"{META}Duration": text("A span of time, such as 1h30m."),
        f"{META}FieldsV1": {
            "description": "A set of fields, as a tree: each key is a field (f:NAME), a key of a list (k:KEYS) or a "
            "value of a set (v:VALUE).",
            "type": "object",
        },
        f"{META}Patch": {"description": "A change, in the form that the Content-Type names.", "type": "object"},
        "io.k8s.apimachinery.pkg.runtime.RawExtension": {
            "description": "An object of any kind, as it is.",
            "type": "object",
        },
        "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
            "description": "A whole number, or text: often a port or a percentage.",
            "oneOf": [{"type": "integer"}, {"type": "string"}],
            "format": "int-or-string",
        },
        "io.k8s.apimachinery.pkg.api.resource.Quantity": {
            "description": "An amount with an optional suffix, such as 500m, 1.5 or 128Mi.",
            "oneOf": [{"type": "string"}, {"type": "number"}],
        },
    }


def _metadata() -> dict[str, JSONObject]:
    return {
        f"{META}ObjectMeta": struct("What every stored object has.", _object_meta_fields()),
        f"{META}ListMeta": struct(
            "What every list has.",
            {
                "continue": text("Send this back to get the next part of the list; empty at its end."),
                "remainingItemCount": integer("How many more objects there are, where that is known."),
                "resourceVersion": text("The state that the list shows. A watch may begin here."),
                "selfLink": text("No longer filled in."),
            },
        ),
        f"{META}OwnerReference": struct(
            "An object that this one belongs to. It is in the same namespace, or in none.",
            {
                "apiVersion": text("The owner's group and version."),
                "blockOwnerDeletion": boolean("Keep an owner that is deleted in the foreground until this is gone."),
                "controller": boolean("Whether this owner is the one that manages the object."),
                "kind": text("The owner's kind."),
                "name": text("The owner's name."),
                "uid": text("The owner's unique id: another object with its name is no owner."),
            },
            required=("apiVersion", "kind", "name", "uid"),
            map_type="atomic",
        ),
        f"{META}ManagedFieldsEntry": struct(
            "The fields that one manager last set.",
            {
                "apiVersion": text("The version in which the fields are named."),
                "fieldsType": text("The format of the fields: FieldsV1."),
                "fieldsV1": of(f"{META}FieldsV1", "The fields."),
                "manager": text("Who set them."),
                "operation": text("How they were set: Apply or Update."),
                "subresource": text("The subresource that they were set through, if any."),
                "time": of(f"{META}Time", "When the manager last added or changed one of them."),
            },
        ),
    }


def _object_meta_fields() -> JSONObject:
    return {
        "annotations": mapped({"type": "string"}, "Notes for tools and people. They can't be selected by."),
        "creationTimestamp": of(
            f"{META}Time", "CreationTimestamp is a timestamp of the server: when it made the object. Read-only."
        ),
        "deletionGracePeriodSeconds": integer("How long the object may take to end once it is deleted. Read-only."),
        "deletionTimestamp": of(
            f"{META}Time",
            "Set while an object that was deleted waits for its grace period or its finalizers. Read-only.",
        ),
        "finalizers": listed(
            {"type": "string"},
            "Who still has to clean up before the object is removed. Each takes its own entry away.",
            kind="set",
            patch_strategy="merge",
        ),
        "generateName": text("The beginning of a name that the server completes, if there is no name."),
        "generation": integer("Goes up each time the wanted state changes. Read-only."),
        "labels": mapped({"type": "string"}, "Names and values by which objects are selected and grouped."),
        "managedFields": listed(ref(f"{META}ManagedFieldsEntry"), "Who set which fields. Kept by the server."),
        "name": text("Unique within the namespace and the resource. It can't be changed."),
        "namespace": text("Where the object lives. Empty for objects of the whole cluster. It can't be changed."),
        "ownerReferences": listed(
            ref(f"{META}OwnerReference"),
            "What the object depends on: it is collected when all of these are gone.",
            kind="map",
            list_map_keys=["uid"],
            patch_merge_key="uid",
            patch_strategy="merge",
        ),
        "resourceVersion": text("Changes with the object. Send it back to update only what was read."),
        "selfLink": text("No longer filled in."),
        "uid": text("Unique in all places and times. Read-only."),
    }
