"""Which verb lives where. A new verb is one file in `commands` and one line in GROUPS.

Modules are named and not imported: `kctl version` never pays for what `kctl up` needs. `cli` runs the one that was
named; completion and `kctl plugin list` read the table.
"""

from __future__ import annotations

import os

from localplane.apimachinery.light_typing import NamedTuple


class Verb(NamedTuple):
    """`own` ones are not kubectl's, so who mistypes one of kubectl's is not pointed to them."""

    name: str
    module: str
    summary: str
    own: bool = False
    hidden: bool = False
    """Neither listed nor offered."""


class Group(NamedTuple):
    title: str
    verbs: tuple[Verb, ...]


WITHOUT_KUBERC = os.environ.get("KUBECTL_KUBERC", "").lower() == "false"
"""Whoever turns the feature off has neither the verb nor the flag. Kubernetes: cmdutil.KubeRC."""
_KUBERC = Verb("kuberc", "kctl.commands.kuberc", "Your own aliases and defaults of flags")

GROUPS = (
    Group(
        "Basic Commands (Beginner)",
        (
            Verb("create", "kctl.commands.create", "Make objects, from files or from what the flags say"),
            Verb("expose", "kctl.commands.expose", "Put a service in front of pods"),
            Verb("run", "kctl.commands.run", "Start a pod from an image"),
            Verb("set", "kctl.commands.set", "Set an image, a variable, a selector ... of objects that are there"),
        ),
    ),
    Group(
        "Basic Commands (Intermediate)",
        (
            Verb("explain", "kctl.commands.explain", "Explain the fields of a type"),
            Verb("get", "kctl.commands.get", "Show objects: lists, or one as it is"),
            Verb("watch", "kctl.commands.watch", "Watch several kinds of objects in one view", own=True),
            Verb("tree", "kctl.commands.tree", "Show an object and all that it owns", own=True),
            Verb("ui", "kctl.commands.ui", "Open a console in the browser", own=True),
            Verb("edit", "kctl.commands.edit", "Change an object in your editor"),
            Verb("delete", "kctl.commands.delete", "Delete objects"),
        ),
    ),
    Group(
        "Deploy Commands",
        (
            Verb("rollout", "kctl.commands.rollout", "See, pause, restart and undo rollouts"),
            Verb(
                "scale",
                "kctl.commands.scale",
                "Set how many pods there should be",
            ),
            Verb("autoscale", "kctl.commands.autoscale", "Let the number of pods follow their load"),
        ),
    ),
    Group(
        "Cluster Management Commands",
        (
            Verb("certificate", "kctl.commands.certificate", "Approve or deny certificate requests"),
            Verb("cluster-info", "kctl.commands.cluster_info", "Show where the cluster is, or dump all about it"),
            Verb("top", "kctl.commands.top", "Show how much CPU and memory nodes and pods use"),
            Verb("cordon", "kctl.commands.cordon", "Let no new pods onto a node"),
            Verb("uncordon", "kctl.commands.uncordon", "Let new pods onto a node again"),
            Verb("drain", "kctl.commands.drain", "Empty a node, for maintenance"),
            Verb("taint", "kctl.commands.taint", "Keep pods off nodes with taints"),
        ),
    ),
    Group(
        "Troubleshooting and Debugging Commands",
        (
            Verb("describe", "kctl.commands.describe", "Tell all about objects, with their events"),
            Verb("logs", "kctl.commands.logs", "Show what containers have printed"),
            Verb("attach", "kctl.commands.attach", "Watch and talk to a process that runs in a container"),
            Verb("exec", "kctl.commands.exec", "Run a command in a container"),
            Verb("port-forward", "kctl.commands.port_forward", "Make ports of a pod reachable from here"),
            Verb("proxy", "kctl.commands.proxy", "Serve the API on a local port, without credentials"),
            Verb("cp", "kctl.commands.cp", "Copy files to and from containers"),
            Verb("auth", "kctl.commands.auth", "See who you are and what you may do"),
            Verb("debug", "kctl.commands.debug", "Look around in a pod or on a node with a container of your own"),
            Verb("history", "kctl.commands.history", "Show what happened to an object, and by whom", own=True),
            Verb("undo", "kctl.commands.undo", "Let an object be again what it was", own=True),
            Verb("events", "kctl.commands.events", "Show what has happened lately"),
        ),
    ),
    Group(
        "Advanced Commands",
        (
            Verb("diff", "kctl.commands.diff", "Show what applying would change"),
            Verb("apply", "kctl.commands.apply", "Make objects what their files say"),
            Verb("patch", "kctl.commands.patch", "Change some fields of an object"),
            Verb("replace", "kctl.commands.replace", "Put the objects of files in the place of those that are there"),
            Verb("wait", "kctl.commands.wait", "Wait until objects are as they should be"),
            Verb("kustomize", "kctl.commands.kustomize", "Build manifests out of a kustomization"),
        ),
    ),
    Group(
        "Settings Commands",
        (
            Verb("label", "kctl.commands.label", "Set and remove labels"),
            Verb("annotate", "kctl.commands.annotate", "Set and remove annotations"),
            Verb("completion", "kctl.commands.completion", "Let your shell complete command lines"),
        ),
    ),
    Group(
        "Server Commands",
        (
            Verb("up", "kctl.commands.up", "Start a local control plane", own=True),
            Verb("down", "kctl.commands.down", "Stop it, and restore the current context", own=True),
            Verb("status", "kctl.commands.status", "Show the control planes of this machine, or their logs", own=True),
            Verb("doctor", "kctl.commands.doctor", "Find stored objects that can't be used, and remove them", own=True),
            Verb("certs", "kctl.commands.certs", "Show until when certificates are good, and renew them", own=True),
            Verb("join", "kctl.commands.join", "Print how another machine runs a server of its cluster", own=True),
            Verb("node", "kctl.commands.node", "Add, remove, stop and start simulated nodes", own=True),
            Verb("rbac", "kctl.commands.rbac", "See which permissions somebody needs, by what was asked", own=True),
            Verb("clock", "kctl.commands.clock", "Let time pass in it: schedules, deadlines, leases", own=True),
            Verb("faults", "kctl.commands.faults", "Let requests go wrong on purpose", own=True),
            Verb("requests", "kctl.commands.requests", "Show who asked it what, and what came of it", own=True),
            Verb("reset", "kctl.commands.reset", "Delete everything that is stored in one", own=True),
            Verb("validate", "kctl.commands.validate", "Check manifests as a server would, without one", own=True),
            Verb("snapshot", "kctl.commands.snapshot", "Keep what a plane holds, and put it back to it", own=True),
            Verb("branch", "kctl.commands.branch", "Start another plane that begins as this one is", own=True),
            Verb("env", "kctl.commands.env", "Print what a shell or a CI job evaluates to use one", own=True),
            Verb("envtest", "kctl.commands.envtest", "Prepare kube-apiserver and etcd for Go's envtest", own=True),
            Verb("etcd", "kctl.commands.etcd", "Find or install the etcd that 'kctl up' runs", own=True),
        ),
    ),
    Group(
        "Other Commands",
        (
            Verb("alpha", "kctl.commands.alpha", "Nothing yet: what may become a verb", hidden=True),
            Verb("api-resources", "kctl.commands.api_resources", "List the types that the server has"),
            Verb("api-versions", "kctl.commands.api_versions", "List the API versions that the server has"),
            Verb("config", "kctl.commands.config", "Modify kubeconfig files"),
            *(() if WITHOUT_KUBERC else (_KUBERC,)),
            Verb("ctx", "kctl.commands.ctx", "Show the contexts, or switch to one", own=True),
            Verb("ns", "kctl.commands.ns", "Show the namespaces, or make one the default", own=True),
            Verb("guide", "kctl.commands.guide", "Show how to do something, by task", own=True),
            Verb("options", "kctl.commands.options", "Show the flags that every command has"),
            Verb("plugin", "kctl.commands.plugin", "See which programs on your PATH are verbs"),
            Verb("version", "kctl.commands.version", "Show which versions run here and on the server"),
        ),
    ),
)
"""In kubectl's order, which decides what `Did you mean this?` lists first. Groups without verbs are not shown."""
