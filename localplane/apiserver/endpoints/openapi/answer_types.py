"""The types that requests and answers are made of beside objects: options, statuses, events and discovery.

Names and shapes are Kubernetes' (apimachinery/pkg/apis/meta/v1); the words are ours.
"""

from __future__ import annotations

from functools import cache

from localplane.apimachinery.objects import JSONObject

from .words import META, VERSION_INFO, boolean, integer, listed, of, ref, struct, text, type_fields

REGISTERED_IN_EVERY_GROUP = (f"{META}DeleteOptions", f"{META}WatchEvent")
"""Kinds that belong to each group version as well as to the core one."""


@cache
def answer_types() -> dict[str, JSONObject]:
    """Made when the first document is. Nobody may change what is in it."""
    return _options() | _statuses() | _discovery()


def _options() -> dict[str, JSONObject]:
    return {
        f"{META}DeleteOptions": struct(
            "How an object is deleted.",
            {
                **type_fields("body"),
                "dryRun": listed({"type": "string"}, "All: do everything but the deletion."),
                "gracePeriodSeconds": integer("How long the object may take to end. 0 is at once."),
                "ignoreStoreReadErrorWithClusterBreakingPotential": boolean(
                    "Remove an object that can't be read from the store, and skip what protects it."
                ),
                "orphanDependents": boolean("Superseded by propagationPolicy: whether dependents stay."),
                "preconditions": of(f"{META}Preconditions", "What must be true of the object for it to be deleted."),
                "propagationPolicy": text("What happens to dependents: Orphan, Background or Foreground."),
            },
        ),
        f"{META}Preconditions": struct(
            "What must be true of an object before it is changed.",
            {"resourceVersion": text("Its resourceVersion is this."), "uid": text("Its uid is this.")},
        ),
    }


def _statuses() -> dict[str, JSONObject]:
    return {
        f"{META}Status": struct(
            "How a request ended that has no object to answer with.",
            {
                **type_fields("answer"),
                "code": integer("The HTTP status.", "int32"),
                "details": of(f"{META}StatusDetails", "What the request was about, where that is known."),
                "message": text("What happened, for people."),
                "metadata": of(f"{META}ListMeta", "Metadata of the answer."),
                "reason": text("Why a request failed, in one word for programs."),
                "status": text("Success or Failure."),
            },
            group_version_kind=[{"group": "", "kind": "Status", "version": "v1"}],
        ),
        f"{META}StatusDetails": struct(
            "More about a failure.",
            {
                "causes": listed(ref(f"{META}StatusCause"), "Each single thing that was wrong."),
                "group": text("The group of the resource."),
                "kind": text("The resource; for a failed validation, the kind."),
                "name": text("The name of the object."),
                "retryAfterSeconds": integer("When it makes sense to try again.", "int32"),
                "uid": text("The uid of the object."),
            },
        ),
        f"{META}StatusCause": struct(
            "One thing that was wrong.",
            {
                "field": text("The path of the field, such as spec.ports[0].name."),
                "message": text("What was wrong, for people."),
                "reason": text("What was wrong, in one word for programs."),
            },
        ),
        f"{META}WatchEvent": struct(
            "One change, as a watch tells it.",
            {
                "object": of(
                    "io.k8s.apimachinery.pkg.runtime.RawExtension",
                    "The object after the change; of a deletion, as it last was; of an error, a Status.",
                ),
                "type": text("ADDED, MODIFIED, DELETED, BOOKMARK or ERROR."),
            },
            required=("type", "object"),
        ),
    }


def _discovery() -> dict[str, JSONObject]:
    strings = {"type": "string"}
    return {
        f"{META}APIResourceList": struct(
            "The resources of one group version.",
            {
                **type_fields("list"),
                "groupVersion": text("The group and version."),
                "resources": listed(ref(f"{META}APIResource"), "The resources and subresources."),
            },
            required=("groupVersion", "resources"),
            group_version_kind=[{"group": "", "kind": "APIResourceList", "version": "v1"}],
        ),
        f"{META}APIResource": struct(
            "One resource or subresource.",
            {
                "categories": listed(strings, "Words that stand for several resources, such as all."),
                "group": text("The group of its kind, where that is another."),
                "kind": text("The kind of its objects."),
                "name": text("Its name in paths: plural, with a slash for a subresource."),
                "namespaced": boolean("Whether its objects live in namespaces."),
                "shortNames": listed(strings, "Short names that people may type."),
                "singularName": text("Its name for one object."),
                "storageVersionHash": text("Changes when its objects are stored in another version."),
                "verbs": listed(strings, "What can be done to it."),
                "version": text("The version of its kind, where that is another."),
            },
            required=("name", "singularName", "namespaced", "kind", "verbs"),
        ),
        f"{META}APIGroupList": struct(
            "All groups.",
            {**type_fields("list"), "groups": listed(ref(f"{META}APIGroup"), "The groups.")},
            required=("groups",),
            group_version_kind=[{"group": "", "kind": "APIGroupList", "version": "v1"}],
        ),
        f"{META}APIGroup": struct(
            "One group: its name and versions.",
            {
                **type_fields("group"),
                "name": text("The name of the group."),
                "preferredVersion": of(
                    f"{META}GroupVersionForDiscovery", "The version that clients take when they may choose."
                ),
                "serverAddressByClientCIDRs": listed(
                    ref(f"{META}ServerAddressByClientCIDR"), "Where clients of which networks find the server."
                ),
                "versions": listed(ref(f"{META}GroupVersionForDiscovery"), "The versions, the best first."),
            },
            required=("name", "versions"),
            group_version_kind=[{"group": "", "kind": "APIGroup", "version": "v1"}],
        ),
        f"{META}APIVersions": struct(
            "The versions of the core group.",
            {
                **type_fields("list"),
                "serverAddressByClientCIDRs": listed(
                    ref(f"{META}ServerAddressByClientCIDR"), "Where clients of which networks find the server."
                ),
                "versions": listed(strings, "The versions."),
            },
            required=("versions", "serverAddressByClientCIDRs"),
            group_version_kind=[{"group": "", "kind": "APIVersions", "version": "v1"}],
        ),
        f"{META}GroupVersionForDiscovery": struct(
            "A version of a group, in both ways in which it is written.",
            {"groupVersion": text("The group and version, with a slash between."), "version": text("The version.")},
            required=("groupVersion", "version"),
        ),
        f"{META}ServerAddressByClientCIDR": struct(
            "Where clients of a network find the server.",
            {
                "clientCIDR": text("The network of the clients."),
                "serverAddress": text("The host, or host and port, that they connect to."),
            },
            required=("clientCIDR", "serverAddress"),
        ),
        VERSION_INFO: _version_info(),
    }


def _version_info() -> JSONObject:
    properties = {
        "buildDate": text("When the server was built."),
        "compiler": text("What compiled it."),
        "emulationMajor": text("The major version whose behaviour it has."),
        "emulationMinor": text("The minor version whose behaviour it has."),
        "gitCommit": text("The commit that it was built from."),
        "gitTreeState": text("Whether that commit was all of it."),
        "gitVersion": text("The version in full."),
        "goVersion": text("The language it was built with, and its version."),
        "major": text("The major version of the API."),
        "minCompatibilityMajor": text("The oldest major version that it can work beside."),
        "minCompatibilityMinor": text("The oldest minor version that it can work beside."),
        "minor": text("The minor version of the API."),
        "platform": text("The operating system and the processor."),
    }
    optional = {"emulationMajor", "emulationMinor", "minCompatibilityMajor", "minCompatibilityMinor"}
    required = [name for name in properties if name not in optional]
    return struct(
        "Which version of the API a server speaks, and what it was built from.", properties, required=required
    )
