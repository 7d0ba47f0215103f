"""What an object counts against a ResourceQuota, and which quotas it counts against.

    scopes      which objects a quota speaks of                      evaluators   what each kind of object counts

How much a pod asks for is told by `localplane.apis.pod_resources`. The quota controller and the admission plugin that
enforces quotas call it. Pure functions of objects: nothing here lists, writes or refuses anything. Kubernetes:
pkg/quota/v1/evaluator/core and apiserver/pkg/quota/v1.
"""

from __future__ import annotations

from localplane.apis.amounts import Amounts

from .evaluators import EVALUATORS, Evaluator, counting, evaluators_of

__all__ = ["EVALUATORS", "Amounts", "Evaluator", "counting", "evaluators_of"]
