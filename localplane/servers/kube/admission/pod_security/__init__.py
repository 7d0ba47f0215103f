"""PodSecurity: namespaces say by labels what their pods may ask of a machine.

    levels     privileged, baseline, restricted, and what a namespace's labels mean
    checks     all checks, since when each holds, and what violates a level
    baseline, restricted   the checks themselves, pure functions of a pod's metadata and spec
    plugin     what is refused, and what is warned of

Kubernetes: plugin/pkg/admission/security/podsecurity, k8s.io/pod-security-admission.

Beside these:

    violations    what a check finds, and the words it is told with
"""

from .plugin import PodSecurity

__all__ = ["PodSecurity"]
