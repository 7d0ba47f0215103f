"""What kubelets may do: read and write what belongs to their own node and to the pods on it.

    relations   whether an object has to do with a node, by what is stored
    authorizer  the decision

Kubernetes keeps a graph of all that pods refer to, fed by watches. Here nobody keeps anything: a question is answered
from the pods of one namespace as they are stored, and what each of them refers to is worked out once. So it costs
nothing until the first kubelet asks, and is never behind. Kubernetes: plugin/pkg/auth/authorizer/node.
"""

from __future__ import annotations

from .authorizer import NodeAuthorizer

__all__ = ["NodeAuthorizer"]
