"""May a user do something? SubjectAccessReview asks for anybody, others for oneself or within a namespace.

SelfSubjectRulesReview lists all that the caller may do in a namespace, as far as the authorizers can tell. Kubernetes:
pkg/registry/authorization, pkg/apis/authorization/validation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from localplane.apimachinery.errors import BadRequest, Invalid
from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.apimachinery.groups import GroupKind
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.authorization import Attributes, Authorizer, RuleResolver, Verdict
from localplane.apiserver.registry.rest import Creater, Result, ValidateCreate, WriteOptions
from localplane.apiserver.request import Request, User
from localplane.apiserver.resource import Resource
from localplane.catalog.declarations import builtin
from localplane.catalog.options import CatalogOptions

_SPEC: Final = Path("spec")
_RESOURCE: Final = _SPEC / "resourceAttributes"
_ONE: Final = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
_SOMEBODY: Final = "at least one of user or group must be specified"
_KIND: Final = GroupKind("authorization.k8s.io", "")
"""Upstream names no kind in these refusals."""


class SubjectAccessReviewStore(Creater):
    def __init__(self, authorizer: Authorizer) -> None:
        self._authorizer = authorizer

    async def create(
        self, request: Request, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        spec = obj.get("spec") or {}
        errors = list(self.errors(spec, request))
        if errors:
            raise Invalid.of(_KIND, "", errors)
        if validate is not None:
            await validate(obj)
        decision = await self._authorizer.authorize(attributes_of(spec, self.subject(spec, request)))
        obj["status"] = {"allowed": decision.allowed}
        if decision.verdict is Verdict.DENY:
            obj["status"]["denied"] = True
        for field, text in (("reason", decision.reason), ("evaluationError", decision.error)):
            if text:
                obj["status"][field] = text
        return obj

    def subject(self, spec: JSONObject, request: Request) -> User:
        extra = {name.lower(): tuple(values) for name, values in (spec.get("extra") or {}).items()}
        return User(spec.get("user", ""), spec.get("uid", ""), tuple(spec.get("groups") or ()), extra)

    def errors(self, spec: JSONObject, request: Request) -> Iterator[FieldError]:
        yield from _choice_errors(spec)
        if not spec.get("user") and not spec.get("groups"):
            yield invalid(_SPEC / "user", spec.get("user", ""), _SOMEBODY)


class SelfSubjectAccessReviewStore(SubjectAccessReviewStore):
    def subject(self, spec: JSONObject, request: Request) -> User:
        assert request.user is not None, "nobody comes here unknown"
        return request.user

    def errors(self, spec: JSONObject, request: Request) -> Iterator[FieldError]:
        return _choice_errors(spec)


class LocalSubjectAccessReviewStore(SubjectAccessReviewStore):
    def errors(self, spec: JSONObject, request: Request) -> Iterator[FieldError]:
        yield from super().errors(spec, request)
        attributes = spec.get("resourceAttributes")
        if attributes is not None and attributes.get("namespace", "") != request.namespace:
            yield invalid(_RESOURCE / "namespace", attributes.get("namespace", ""), "must match metadata.namespace")
        if spec.get("nonResourceAttributes") is not None:
            what = _shown(spec["nonResourceAttributes"])
            yield invalid(_SPEC / "nonResourceAttributes", what, "disallowed on this kind of request")


def _choice_errors(spec: JSONObject) -> Iterator[FieldError]:
    resource, other = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if (resource is None) == (other is None):
        yield invalid(_SPEC, None if other is None else _shown(other), _ONE)


def _shown(attributes: Mapping[str, Any]) -> JSONObject:
    """As Go prints its internal type."""
    return {"Path": attributes.get("path", ""), "Verb": attributes.get("verb", "")}


def attributes_of(spec: JSONObject, user: User) -> Attributes:
    resource = spec.get("resourceAttributes")
    if resource is None:
        other = spec["nonResourceAttributes"]
        return Attributes(user, other.get("verb", ""), is_resource=False, path=other.get("path", ""))
    return Attributes(
        user,
        resource.get("verb", ""),
        namespace=resource.get("namespace", ""),
        group=resource.get("group", ""),
        version=resource.get("version", "") or "*",
        resource=resource.get("resource", ""),
        subresource=resource.get("subresource", ""),
        name=resource.get("name", ""),
    )


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


def access_reviews(options: CatalogOptions) -> Sequence[Resource]:
    def review(name: str, store: type[SubjectAccessReviewStore]) -> Resource:
        return builtin(f"authorization.k8s.io/{name}", storage=lambda _: store(options.authorizer))

    return (
        review("subjectaccessreviews", SubjectAccessReviewStore),
        review("selfsubjectaccessreviews", SelfSubjectAccessReviewStore),
        review("localsubjectaccessreviews", LocalSubjectAccessReviewStore),
    )


def rules_reviews(options: CatalogOptions) -> Resource:
    return builtin(
        "authorization.k8s.io/selfsubjectrulesreviews",
        storage=lambda _: SelfSubjectRulesReviewStore(options.rule_resolver),
    )
