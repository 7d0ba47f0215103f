"""What `kctl describe` says about an object: one file per kind, and `generic` for all others.

    page        lines with levels and tabs, set in columns at the end
    metadata    labels, annotations, times, owners         events      what happened to it
    containers, volumes, pod_template, ...                 parts that several kinds share
    volume_shapes, amounts                                 what volumes show; what pods ask for, added up
    kinds       which file describes which kind

A describer is a coroutine that gets the object and a `Source` to ask for others, and writes on a Page. Nothing here
changes anything. Kubernetes: kubectl/pkg/describe, one function of describe.go for each.
"""
