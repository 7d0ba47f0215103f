"""What a pod spec is filled up with: in a pod, in every workload's template, and in what only a pod gets.

Pods' and workloads' `default` functions call these, on objects as the decoder left them, and change them in place.
Nothing is checked here. Kubernetes: pkg/apis/core/v1/defaults.go and zz_generated.defaults.go.

Beside these:

    containers    containers of all three sorts
    volumes       volumes: each source has a few fields of its own that are never left open
"""

from .pods import default_pod, default_pod_spec, default_pod_template
from .resources import default_pod_level_resources, default_resource_list

__all__ = [
    "default_pod",
    "default_pod_level_resources",
    "default_pod_spec",
    "default_pod_template",
    "default_resource_list",
]
