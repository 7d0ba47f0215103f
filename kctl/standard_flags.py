"""Flags that many verbs share, worded as kubectl words them. A verb puts those it reads into its own list.

Kubernetes: kubectl/pkg/cmd/util/helpers.go.
"""

from __future__ import annotations

from kctl.flags import Flag, switch

ALL_NAMESPACES = switch(
    "all-namespaces",
    "If present, list the requested object(s) across all namespaces. Namespace in current context is ignored even if "
    "specified with --namespace.",
    short="A",
)
SELECTOR = Flag(
    "selector",
    usage="Selector (label query) to filter on, supports '=', '==', '!=', 'in', 'notin'.(e.g. -l "
    "key1=value1,key2=value2,key3 in (value3)). Matching objects must satisfy all of the specified label constraints.",
    short="l",
)
FIELD_SELECTOR = Flag(
    "field-selector",
    usage="Selector (field query) to filter on, supports '=', '==', and '!='.(e.g. --field-selector "
    "key1=value1,key2=value2). The server only supports a limited number of field queries per type.",
)
CHUNK_SIZE = Flag(
    "chunk-size",
    "int",
    500,
    "Return large lists in chunks rather than all at once. Pass 0 to disable. This flag is beta and may change in the "
    "future.",
)
IGNORE_NOT_FOUND = switch(
    "ignore-not-found",
    "If set to true, suppresses NotFound error for specific objects that do not exist. Using this flag with commands "
    "that query for collections of resources has no effect when no resources are found.",
)


def subresource(usage: str) -> Flag:
    return Flag("subresource", usage=f"{usage} This flag is beta and may change in the future.")


def filename_flags(usage: str) -> tuple[Flag, ...]:
    """-f, -k, -R. `usage` ends `Filename, directory, or URL to files ...`."""
    return (
        Flag("filename", "slice", (), f"Filename, directory, or URL to files {usage}", "f"),
        Flag(
            "kustomize",
            usage="Process the kustomization directory. This flag can't be used together with -f or -R.",
            short="k",
        ),
        switch(
            "recursive",
            "Process the directory used in -f, --filename recursively. Useful when you want to manage "
            "related manifests organized within the same directory.",
            short="R",
        ),
    )


def field_manager(default: str) -> Flag:
    return Flag("field-manager", "text", default, "Name of the manager used to track field ownership.")


DRY_RUN = Flag(
    "dry-run",
    "text",
    "none",
    'Must be "none", "server", or "client". If client strategy, only print the object that would be sent, without '
    "sending it. If server strategy, submit server-side request without persisting the resource.",
    bare="unchanged",
)
"""Read it with `dry_run`."""
VALIDATE = Flag(
    "validate",
    "text",
    "strict",
    'Must be one of: strict (or true), warn, ignore (or false). "true" or "strict" will use a schema to validate the '
    "input and fail the request if invalid. It will perform server side validation if ServerSideFieldValidation is "
    'enabled on the api-server, but will fall back to less reliable client-side validation if not. "warn" will warn '
    "about unknown or duplicate fields without blocking the request if server-side field validation is enabled on the "
    'API server, and behave as "ignore" otherwise. "false" or "ignore" will not perform any schema validation, '
    "silently dropping any unknown or duplicate fields.",
    bare="strict",
)
"""Read it with `field_validation`."""
SAVE_CONFIG = switch(
    "save-config",
    "If true, the configuration of current object will be saved in its annotation. Otherwise, the annotation will be "
    "unchanged. This flag is useful when you want to perform kctl apply on this object in the future.",
)


def pod_running_timeout(default: float) -> Flag:
    """In seconds."""
    return Flag(
        "pod-running-timeout",
        "duration",
        default,
        "The length of time (like 5s, 2m, or 3h, higher than zero) to wait until at least one pod is running",
    )


CONTAINER = Flag(
    "container",
    usage="Container name. If omitted, use the kubectl.kubernetes.io/default-container annotation for selecting the "
    "container to be attached or the first container in the pod will be chosen",
    short="c",
)
