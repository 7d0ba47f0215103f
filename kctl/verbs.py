"""Which verb lives where. A new verb is one file in `commands` and one line in GROUPS.

Modules are named and not imported: `kctl version` never pays for what `kctl up` needs. `cli` runs the one that was
named; completion and `kctl plugin list` read the table.
"""

from __future__ import annotations

from typing import NamedTuple


class Verb(NamedTuple):
    """`own` ones are not kubectl's, so who mistypes one of kubectl's is not pointed to them."""

    name: str
    module: str
    summary: str
    own: bool = False


class Group(NamedTuple):
    title: str
    verbs: tuple[Verb, ...]


GROUPS = (
    Group(
        "Basic Commands (Beginner)",
        (
            Verb("create", "kctl.commands.create", "Create a resource from a file or from stdin"),
            Verb(
                "expose",
                "kctl.commands.expose",
                "Take a replication controller, service, deployment or pod and expose it as a new Kubernetes service",
            ),
            Verb("run", "kctl.commands.run", "Run a particular image on the cluster"),
            Verb("set", "kctl.commands.set", "Set specific features on objects"),
        ),
    ),
    Group(
        "Basic Commands (Intermediate)",
        (
            Verb("explain", "kctl.commands.explain", "Get documentation for a resource"),
            Verb("get", "kctl.commands.get", "Display one or many resources"),
            Verb("watch", "kctl.commands.watch", "Watch several kinds of objects in one view", own=True),
            Verb("tree", "kctl.commands.tree", "Show an object and all that it owns", own=True),
            Verb("edit", "kctl.commands.edit", "Edit a resource on the server"),
            Verb(
                "delete",
                "kctl.commands.delete",
                "Delete resources by file names, stdin, resources and names, or by resources and label selector",
            ),
        ),
    ),
    Group(
        "Deploy Commands",
        (
            Verb("rollout", "kctl.commands.rollout", "Manage the rollout of a resource"),
            Verb(
                "scale",
                "kctl.commands.scale",
                "Set a new size for a deployment, replica set, or replication controller",
            ),
            Verb(
                "autoscale",
                "kctl.commands.autoscale",
                "Auto-scale a deployment, replica set, stateful set, or replication controller",
            ),
        ),
    ),
    Group(
        "Cluster Management Commands",
        (
            Verb("certificate", "kctl.commands.certificate", "Modify certificate resources"),
            Verb("cluster-info", "kctl.commands.cluster_info", "Display cluster information"),
            Verb("cordon", "kctl.commands.cordon", "Mark node as unschedulable"),
            Verb("uncordon", "kctl.commands.uncordon", "Mark node as schedulable"),
            Verb("drain", "kctl.commands.drain", "Drain node in preparation for maintenance"),
            Verb("taint", "kctl.commands.taint", "Update the taints on one or more nodes"),
        ),
    ),
    Group(
        "Troubleshooting and Debugging Commands",
        (
            Verb("describe", "kctl.commands.describe", "Show details of a specific resource or group of resources"),
            Verb("logs", "kctl.commands.logs", "Print the logs for a container in a pod"),
            Verb("attach", "kctl.commands.attach", "Attach to a running container"),
            Verb("exec", "kctl.commands.exec", "Execute a command in a container"),
            Verb("port-forward", "kctl.commands.port_forward", "Forward one or more local ports to a pod"),
            Verb("proxy", "kctl.commands.proxy", "Run a proxy to the Kubernetes API server"),
            Verb("cp", "kctl.commands.cp", "Copy files and directories to and from containers"),
            Verb("auth", "kctl.commands.auth", "Inspect authorization"),
            Verb("events", "kctl.commands.events", "List events"),
        ),
    ),
    Group(
        "Advanced Commands",
        (
            Verb("diff", "kctl.commands.diff", "Diff the live version against a would-be applied version"),
            Verb("apply", "kctl.commands.apply", "Apply a configuration to a resource by file name or stdin"),
            Verb("patch", "kctl.commands.patch", "Update fields of a resource"),
            Verb("replace", "kctl.commands.replace", "Replace a resource by file name or stdin"),
            Verb(
                "wait",
                "kctl.commands.wait",
                "Experimental: Wait for a specific condition on one or many resources",
            ),
        ),
    ),
    Group(
        "Settings Commands",
        (
            Verb("label", "kctl.commands.label", "Update the labels on a resource"),
            Verb("annotate", "kctl.commands.annotate", "Update the annotations on a resource"),
            Verb(
                "completion",
                "kctl.commands.completion",
                "Output shell completion code for the specified shell (bash, zsh, fish, or powershell)",
            ),
        ),
    ),
    Group(
        "Server Commands",
        (
            Verb("up", "kctl.commands.up", "Start a local control plane", own=True),
            Verb("down", "kctl.commands.down", "Stop it, and restore the current context", own=True),
            Verb("status", "kctl.commands.status", "Show the control planes of this machine, or their logs", own=True),
            Verb("reset", "kctl.commands.reset", "Delete everything that is stored in one", own=True),
            Verb("env", "kctl.commands.env", "Print what a shell or a CI job evaluates to use one", own=True),
            Verb("etcd", "kctl.commands.etcd", "Find or install the etcd that 'kctl up' runs", own=True),
        ),
    ),
    Group(
        "Other Commands",
        (
            Verb("api-resources", "kctl.commands.api_resources", "Print the supported API resources on the server"),
            Verb("api-versions", "kctl.commands.api_versions", "Print the supported API versions on the server"),
            Verb("config", "kctl.commands.config", "Modify kubeconfig files"),
            Verb("ctx", "kctl.commands.ctx", "Show the contexts, or switch to one", own=True),
            Verb("ns", "kctl.commands.ns", "Show the namespaces, or make one the default", own=True),
            Verb("options", "kctl.commands.options", "Print the list of flags inherited by all commands"),
            Verb("plugin", "kctl.commands.plugin", "Provides utilities for interacting with plugins"),
            Verb("version", "kctl.commands.version", "Print the client and server version information"),
        ),
    ),
)
"""In kubectl's order, which decides what `Did you mean this?` lists first. Groups without verbs are not shown."""
