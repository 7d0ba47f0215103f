"""The rules of the default profile: which nodes a pod may be on, and which are better.

    node_checks, node_resources, image_locality   what one node says by itself; `verdicts` remembers it
    topology_spread, inter_pod_affinity           what depends on the other pods
    volumes/                                      what depends on its volumes
    devices/                                      what depends on devices that it claims
    declared_features                             what depends on what its kubelet can do

Those that look beyond one node are asked once per pod for a `check.Check`. Kubernetes:
pkg/scheduler/apis/config/v1/default_plugins.go for the order and the weights.

Beside these:

    names    the plugins' names, which people read in logs and messages
"""
