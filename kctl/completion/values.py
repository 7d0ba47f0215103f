"""What is offered, and what the shell should do with it.

What a flag takes. Flags that are not here leave it to the shell, which offers files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from kctl import program
from kctl.command_line.flags import Flag, FlagSet
from kctl.completion import live, tree
from kctl.session.session import Session

DEFAULT = 0
"""Let the shell do what it does: names of files, if nothing is offered."""
NO_SPACE = 2
NO_FILES = 4
EXTENSIONS = 8
"""The words are endings of files that may follow."""
DIRECTORIES = 16

_NAMES = (
    (1, "ShellCompDirectiveError"),
    (NO_SPACE, "ShellCompDirectiveNoSpace"),
    (NO_FILES, "ShellCompDirectiveNoFileComp"),
    (EXTENSIONS, "ShellCompDirectiveFilterFileExt"),
    (DIRECTORIES, "ShellCompDirectiveFilterDirs"),
    (32, "ShellCompDirectiveKeepOrder"),
)
_BEYOND = 64


class Offer(NamedTuple):
    """Each word may have a tab and what it means behind it. `problem` is why there is none."""

    words: list[str]
    directive: int = NO_FILES
    problem: str = ""


def directive_name(directive: int) -> str:
    if directive >= _BEYOND:
        return f"ERROR: unexpected ShellCompDirective value: {directive}"
    return ", ".join(name for bit, name in _NAMES if directive & bit) or "ShellCompDirectiveDefault"


def fitting(current: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.startswith(current)]


_FORMATS = frozenset(
    [
        "json",
        "yaml",
        "kyaml",
        "name",
        "wide",
        "go-template",
        "go-template-file",
        "template",
        "templatefile",
        "jsonpath",
        "jsonpath-as-json",
        "jsonpath-file",
        "custom-columns",
        "custom-columns-file",
        "plaintext",
        "plaintext-openapiv2",
        "skeleton",
    ]
)
_CHOICES = {
    "dry-run": ("none", "client", "server"),
    "validate": ("strict", "warn", "ignore"),
    "cascade": ("background", "foreground", "orphan"),
    "restart": ("Always", "OnFailure", "Never"),
    "image-pull-policy": ("Always", "IfNotPresent", "Never"),
    "color": ("auto", "always", "never"),
    "error-format": ("text", "json"),
    "profile": ("none", "cpu", "heap"),
}
_OF_COMMAND = {
    ("api-resources", "sort-by"): ("name", "kind"),
    ("patch", "type"): ("json", "merge", "strategic"),
    **dict.fromkeys(
        (("requests", "verb"), ("faults add", "verb")),
        ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"),
    ),
    ("faults add", "answer"): ("401", "403", "404", "409", "410", "429", "500", "503", "504"),
    ("faults add", "cut"): ("before", "after", "middle"),
    ("faults add", "down"): ("webhooks", "apiServices", "store"),
    ("requests", "status"): ("2xx", "3xx", "4xx", "5xx"),
    ("events", "types"): ("Normal", "Warning"),
    ("expose", "type"): ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"),
    ("expose", "protocol"): ("TCP", "UDP", "SCTP"),
    ("top pod", "sort-by"): ("cpu", "memory"),
    ("top node", "sort-by"): ("cpu", "memory"),
    ("debug", "profile"): ("general", "baseline", "restricted", "netadmin", "sysadmin", "legacy"),
    ("kuberc set", "section"): ("defaults", "aliases"),
    ("up", "storage"): ("etcd", "sqlite", "memory"),
    ("up", "switch-context"): ("auto", "always", "never"),
    ("env", "shell"): ("sh", "bash", "zsh", "fish", "powershell", "dotenv"),
    ("validate", "output"): ("text", "json", "sarif", "github"),
    ("kustomize", "load-restrictor"): ("LoadRestrictionsNone", "LoadRestrictionsRootOnly"),
    ("kustomize", "reorder"): ("legacy", "none"),
}
CONTROLLERS = (
    "serviceaccount-token-controller",
    "endpoints-controller",
    "endpointslice-controller",
    "endpointslice-mirroring-controller",
    "replicationcontroller-controller",
    "pod-garbage-collector-controller",
    "resourcequota-controller",
    "namespace-controller",
    "serviceaccount-controller",
    "garbage-collector-controller",
    "daemonset-controller",
    "job-controller",
    "deployment-controller",
    "replicaset-controller",
    "horizontal-pod-autoscaler-controller",
    "disruption-controller",
    "statefulset-controller",
    "cronjob-controller",
    "certificatesigningrequest-signing-controller",
    "certificatesigningrequest-approving-controller",
    "certificatesigningrequest-cleaner-controller",
    "podcertificaterequest-cleaner-controller",
    "ttl-controller",
    "node-ipam-controller",
    "node-lifecycle-controller",
    "taint-eviction-controller",
    "persistentvolume-binder-controller",
    "persistentvolume-expander-controller",
    "clusterrole-aggregation-controller",
    "persistentvolumeclaim-protection-controller",
    "persistentvolume-protection-controller",
    "ttl-after-finished-controller",
    "root-ca-certificate-publisher-controller",
    "kube-apiserver-serving-clustertrustbundle-publisher-controller",
    "ephemeral-volume-controller",
    "resourceclaim-controller",
    "legacy-serviceaccount-token-cleaner-controller",
    "validatingadmissionpolicy-status-controller",
    "volumeattributesclass-protection-controller",
    "service-cidr-controller",
    "service-lb-controller",
)
"""As `localplane/controllers/selection` has them: to import that takes as long as a start."""
_OF_PLANES = ("up", "down", "status", "reset", "env", "snapshot")
_OF_REQUESTS = ("requests", "faults add")
_DIRECTORIES = ("kustomize", "output-directory", "cache-dir")
_ENTRIES = {"context": "contexts", "cluster": "clusters", "user": "users"}
_SUBRESOURCES = ["status", "scale", "resize"]


async def of_flag(matched: tree.CommandMatch, flags: FlagSet, flag: Flag, current: str) -> Offer:
    name = flag.name
    if name == "filename" and flag.short == "f":
        return Offer(["json", "yaml", "yml"], EXTENSIONS)
    if name in _DIRECTORIES:
        return Offer([], DIRECTORIES)
    if name == "subresource":
        return Offer(list(_SUBRESOURCES))
    if name == "for" and not matched.name.startswith("rbac "):
        return Offer(fitting(current, ("condition=", "create", "delete", "jsonpath=")), NO_FILES | NO_SPACE)
    if (offer := _of_plane(matched.name, flag, current)) is not None:
        return offer
    if choices := _OF_COMMAND.get((matched.name, name)) or _CHOICES.get(name) or _formats(flag):
        return Offer(fitting(current, choices))
    return await _live(matched, flags, flag, current)


def _of_plane(command: str, flag: Flag, current: str) -> Offer | None:
    """What belongs to planes of this machine; None for every other flag."""
    if flag.name == "name" and command.partition(" ")[0] in _OF_PLANES:
        return Offer(fitting(current, live.planes()))
    if (command, flag.name) == ("up", "from"):
        return Offer(fitting(current, live.snapshots()), DEFAULT)
    if (command, flag.name) == ("up", "controllers"):
        before, comma, last = current.rpartition(",")
        minus = "-" if last.startswith("-") else ""
        names = ("*", "none", *CONTROLLERS) if not comma and not minus else CONTROLLERS
        return Offer([f"{before}{comma}{one}" for one in fitting(last, (f"{minus}{name}" for name in names))])
    return None


def _formats(flag: Flag) -> list[str]:
    """The flag's own text lists what -o takes, in its order."""
    words = re.findall(r"[\w-]+", flag.usage) if flag.name == "output" else ()
    return list(dict.fromkeys(word for word in words if word in _FORMATS))


async def _live(matched: tree.CommandMatch, flags: FlagSet, flag: Flag, current: str) -> Offer:
    session = Session(flags, command=f"{program.name()} __complete")
    name = flag.name
    if name == "resource" and matched.name in _OF_REQUESTS:
        return Offer(fitting(current, await live.types(session)))
    if (name == "user" and matched.name in _OF_REQUESTS) or (name == "for" and matched.name.startswith("rbac ")):
        return Offer(fitting(current, await live.askers(session)))
    if name == "namespace":
        return Offer(fitting(current, await live.names(session, "namespace")))
    if name in _ENTRIES and not matched.name.startswith("create "):
        return Offer(fitting(current, live.entries(session, _ENTRIES[name])))
    if name == "container" and flag.short == "c":
        containers = await live.containers(session, flags.arguments[0]) if flags.arguments else []
        return Offer(fitting(current, containers))
    if name in ("clusterrole", "role") and matched.name.startswith("create "):
        return Offer(fitting(current, await live.names(session, name)))
    if name in ("api-group", "api-version"):
        return Offer(fitting(current, await live.versions(session, groups=name == "api-group")))
    return Offer([], DEFAULT)
