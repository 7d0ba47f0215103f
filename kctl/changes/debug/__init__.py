"""`kctl debug`: a container for looking around, in a pod that runs, in a copy of it, or on a node.

    options     what was asked for, and what does not go together     profiles    how far the container may reach
    containers  the containers and pods                               visit       sending them, and staying with them

The verb calls it. Kubernetes: kubectl/pkg/cmd/debug.
"""
