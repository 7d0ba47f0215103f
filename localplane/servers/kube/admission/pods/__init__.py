"""Admission plugins that look at pods, one file each, and what several of them read.

    always_pull_images, priority, runtime_class, service_account, limit_ranger      what a pod gets
    default_toleration_seconds, extended_resource_toleration, pod_toleration_restriction   its tolerations
    pod_node_selector, pod_topology_labels, anti_affinity                           where it may go
    pod_resize                                                                      what may change later
    pod_references                                                                  what it mentions

`selection` puts them in order; nobody else calls them.
"""
