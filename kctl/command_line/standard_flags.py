"""Flags that many verbs share. A verb puts those it reads into its own list.

Kubernetes: kubectl/pkg/cmd/util/helpers.go.
"""

from __future__ import annotations

from kctl.command_line.flags import Flag, switch

ALL_NAMESPACES = switch(
    "all-namespaces",
    "In all namespaces, whatever --namespace says.",
    short="A",
)
SELECTOR = Flag(
    "selector",
    usage="Only objects with these labels: app=web,tier!=db, 'env in (a,b)', beta, '!beta'.",
    short="l",
)
FIELD_SELECTOR = Flag(
    "field-selector",
    usage="Only objects whose fields are so: status.phase=Running,metadata.name!=a. Which fields depends on the type.",
)
CHUNK_SIZE = Flag(
    "chunk-size",
    "int",
    500,
    "Ask for long lists in pieces of so many; 0 for all at once.",
)
IGNORE_NOT_FOUND = switch(
    "ignore-not-found",
    "An object that does not exist is no error.",
)


def subresource(usage: str) -> Flag:
    return Flag("subresource", usage=usage)


def filename_flags(usage: str, *, recursive: bool = False) -> tuple[Flag, ...]:
    """-f, -k, -R. `usage` goes on after `Files, directories or URLs`; `recursive` is what -R is without a word."""
    return (
        Flag("filename", "slice", (), f"Files, directories or URLs {usage}", "f"),
        Flag(
            "kustomize",
            usage="A directory with a kustomization, instead of -f.",
            short="k",
        ),
        switch(
            "recursive",
            "With the directories inside of a directory of -f.",
            short="R",
            default=recursive,
        ),
    )


def field_manager(default: str) -> Flag:
    return Flag("field-manager", "text", default, "Who owns the fields that are set.")


DRY_RUN = Flag(
    "dry-run",
    "text",
    "none",
    "none, client (only show what would be sent) or server (let the server say what would become of it).",
    bare="unchanged",
)
"""Read it with `dry_run`."""
VALIDATE = Flag(
    "validate",
    "text",
    "strict",
    "What to do about fields that nobody knows or that come twice: strict (or true) refuses them, warn says so, ignore "
    "(or false) drops them.",
    bare="strict",
)
"""Read it with `field_validation`."""
SAVE_CONFIG = switch(
    "save-config",
    "Remember the object in its annotation, for a later 'kctl apply'.",
)


def pod_running_timeout(default: float) -> Flag:
    """In seconds."""
    return Flag(
        "pod-running-timeout",
        "duration",
        default,
        "How long to wait for a running pod: 5s, 2m, 3h.",
    )


CONTAINER = Flag(
    "container",
    usage="Which container, if not the one of the annotation kubectl.kubernetes.io/default-container, or the first.",
    short="c",
)
