"""SelfSubjectRulesReview: all that the caller may do in a namespace, as far as the authorizers can tell.

Kubernetes: pkg/registry/authorization/selfsubjectrulesreview.
"""

from __future__ import annotations

from localplane.apimachinery.errors import BadRequest
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.authorization import RuleResolver
from localplane.apiserver.registry.rest import Creater, Result, ValidateCreate, WriteOptions
from localplane.apiserver.request import Request
from localplane.apiserver.resource import Resource
from localplane.catalog.declaring import builtin
from localplane.catalog.options import CatalogOptions


class SelfSubjectRulesReviewStore(Creater):
    def __init__(self, resolver: RuleResolver) -> None:
        self._resolver = resolver

    async def create(
        self, request: Request, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        namespace = (obj.get("spec") or {}).get("namespace", "")
        if not namespace:
            raise BadRequest("no namespace on request")
        if validate is not None:
            await validate(obj)
        assert request.user is not None, "nobody comes here unknown"
        rules = await self._resolver.rules_for(request.user, namespace)
        status: JSONObject = {
            "resourceRules": rules.resource_rules,
            "nonResourceRules": rules.non_resource_rules,
            "incomplete": rules.incomplete,
        }
        if rules.error:
            status["evaluationError"] = rules.error
        return {"kind": obj["kind"], "apiVersion": obj["apiVersion"], "metadata": {}, "spec": {}, "status": status}


def rules_reviews(options: CatalogOptions) -> Resource:
    return builtin(
        "authorization.k8s.io/selfsubjectrulesreviews",
        storage=lambda _: SelfSubjectRulesReviewStore(options.rule_resolver),
    )
