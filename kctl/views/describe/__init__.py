"""What `kctl describe` says about an object: a file for a family of kinds, and `generic` for all others.

    kinds       which describer is for which kind
    page        lines with levels and tabs, set in columns at the end; metadata and events, which all kinds have
    pods, containers, volumes        pods and what is in them
    workloads, autoscaling, nodes, namespaces, networking, storage, access        the other families

A describer is a coroutine that gets the object and a `Source` to ask for others, and writes on a Page. Nothing here
changes anything. Kubernetes: kubectl/pkg/describe, one function of describe.go for each.
"""
