"""The API group metrics.k8s.io: what the pods of simulated nodes use, as `kubectl top` and autoscalers ask for it.

Nothing is measured and nothing is stored: annotations of a pod say what its containers use. `usage` reads them, and
`stores` answers. Kubernetes: k8s.io/metrics/pkg/apis/metrics/v1beta1; kubernetes-sigs/metrics-server, pkg/api.
"""

from .stores import make_group

__all__ = ["make_group"]
