"""ServiceAccounts, and the tokens that they are given on request. Kubernetes: pkg/registry/core/serviceaccount."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.errors import BadRequest, Conflict, Invalid, NotFound
from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupKind, GroupResource, GroupVersion
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age, format_time
from localplane.apiserver.authentication.service_accounts import username
from localplane.apiserver.registry.rest import NamedCreater, Result, ValidateCreate, WriteOptions
from localplane.apiserver.request import Request
from localplane.apiserver.resource import Resource
from localplane.catalog.declarations import builtin
from localplane.catalog.options import CatalogOptions
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.tokens import TokenSigner

_TOKEN_REQUEST: Final = GroupKind("authentication.k8s.io", "TokenRequest")
_EXPIRATION: Final = Path("spec.expirationSeconds")
_SHORTEST, _LONGEST = 600, 1 << 32
_MOUNTABLE: Final = "kubernetes.io/enforce-mountable-secrets"
_BOUND: Final = {"Pod": "pods", "Node": "nodes", "Secret": "secrets"}
_WITHOUT_NAMESPACE: Final = "nodes"


class ServiceAccountStrategy(BuiltinStrategy):
    allow_unconditional_update = True
    tracks_generation = False
    on_update = (Asked.METADATA, Asked.OBJECT)

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        _keep_names_only(obj)

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        _keep_names_only(obj)

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return _warnings(obj)

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return () if _warnings(old) else _warnings(obj)


def _keep_names_only(obj: JSONObject) -> None:
    """Of a reference to a secret nothing counts but the name."""
    if obj.get("secrets"):
        obj["secrets"] = [{"name": secret["name"]} if secret.get("name") else {} for secret in obj["secrets"]]


def _warnings(obj: JSONObject) -> list[str]:
    if _MOUNTABLE not in (obj["metadata"].get("annotations") or {}):
        return []
    instead = "prefer separate namespaces to isolate access to mounted secrets"
    return [f"metadata.annotations[{_MOUNTABLE}]: deprecated in v1.32+; {instead}"]


class TokenStore(NamedCreater):
    """`token`: a create below an account, which stores nothing."""

    def __init__(self, options: CatalogOptions) -> None:
        self._objects = options.objects
        self._signer = options.token_signer

    async def create_named(
        self, request: Request, name: str, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        signer = self._signer
        if signer is None:
            raise BadRequest("this server signs no tokens")
        _check_names(obj["metadata"], name, request.namespace)
        account = await self._objects.get("serviceaccounts", request.namespace, name)
        if account is None:
            raise NotFound.of(GroupResource("", "serviceaccounts"), name)
        _complete(obj, account, signer)
        errors = list(_errors(obj["spec"]))
        if errors:
            raise Invalid.of(_TOKEN_REQUEST, "", errors)
        if validate is not None:
            await validate(obj)
        _shorten(obj["spec"], signer, request.warnings)
        bound = await self._bound(obj["spec"].get("boundObjectRef"), account)
        moment = present().replace(microsecond=0)
        expires = moment + timedelta(seconds=obj["spec"]["expirationSeconds"])
        obj["metadata"]["creationTimestamp"] = format_time(moment)
        claims = _claims(account, bound, obj["spec"]["audiences"], moment, expires)
        obj["status"] = {"token": signer.sign(claims), "expirationTimestamp": format_time(expires)}
        return obj

    async def _bound(self, reference: JSONObject | None, account: JSONObject) -> dict[str, JSONObject]:
        """The object that the token is bound to, by its kind, and the node of a pod."""
        if reference is None:
            return {}
        version, kind = GroupVersion.parse(reference.get("apiVersion", "")), reference.get("kind", "")
        resource = _BOUND.get(kind) if not version.group else None
        if resource is None:
            raise BadRequest(f"cannot bind token to object of type {version.group}/{version.version}, Kind={kind}")
        namespace = "" if resource == _WITHOUT_NAMESPACE else account["metadata"]["namespace"]
        found = await self._objects.get(resource, namespace, reference.get("name", ""))
        if found is None:
            raise NotFound.of(GroupResource("", resource), reference.get("name", ""))
        bound = {kind.lower(): found}
        if kind == "Pod":
            bound |= await self._node_of(found, account["metadata"]["name"])
        if reference.get("uid") and reference["uid"] != found["metadata"]["uid"]:
            said = (
                f"the UID in the bound object reference ({reference['uid']}) does not match the UID in record. The "
                "object might have been deleted and then recreated"
            )
            raise Conflict.of(GroupResource("", kind), reference["name"], said)
        return bound

    async def _node_of(self, pod: JSONObject, account: str) -> dict[str, JSONObject]:
        spec = pod.get("spec") or {}
        if spec.get("serviceAccountName", "") != account:
            said = f"cannot bind token for serviceaccount {go_quote(account)} to pod running with different "
            raise BadRequest(f"{said}serviceaccount name.")
        name = spec.get("nodeName")
        if not name:
            return {}
        return {"node": await self._objects.get("nodes", "", name) or {"metadata": {"name": name}}}


def _shorten(spec: JSONObject, signer: TokenSigner, warnings: list[str]) -> None:
    """To what the signer gives at most. Kubernetes: --service-account-max-token-expiration."""
    if signer.longest is not None and spec["expirationSeconds"] > (most := int(signer.longest.total_seconds())):
        asked = spec["expirationSeconds"]
        warnings.append(f"requested expiration of {asked} seconds shortened to {most} seconds")
        spec["expirationSeconds"] = most


def _check_names(metadata: JSONObject, name: str, namespace: str) -> None:
    for field, wanted in (("name", name), ("namespace", namespace)):
        given = metadata.get(field)
        if given and given != wanted:
            said = f"must match the service account {field} if specified"
            raise Invalid.of(_TOKEN_REQUEST, name, [invalid(Path("metadata") / field, given, said)])


def _complete(obj: JSONObject, account: JSONObject, signer: TokenSigner) -> None:
    metadata, known = obj["metadata"], account["metadata"]
    if metadata.get("uid") and metadata["uid"] != known["uid"]:
        said = (
            f"the UID in the token request ({metadata['uid']}) does not match the UID of the service account "
            f"({known['uid']})"
        )
        raise Conflict.of(GroupResource(_TOKEN_REQUEST.group, _TOKEN_REQUEST.kind), known["name"], said)
    metadata |= {"name": known["name"], "namespace": known["namespace"], "uid": known["uid"]}
    spec = obj.setdefault("spec", {})
    if not spec.get("audiences"):
        spec["audiences"] = list(signer.audiences)


def _errors(spec: JSONObject) -> Iterator[FieldError]:
    seconds = spec.get("expirationSeconds", 0)
    if seconds < _SHORTEST:
        yield invalid(_EXPIRATION, seconds, "may not specify a duration less than 10 minutes")
    if seconds > _LONGEST:
        yield invalid(_EXPIRATION, seconds, "may not specify a duration larger than 2^32 seconds")


def _claims(
    account: JSONObject, bound: dict[str, JSONObject], audiences: list[str], moment: datetime, expires: datetime
) -> JSONObject:
    metadata = account["metadata"]
    about: JSONObject = {"namespace": metadata["namespace"], "serviceaccount": _reference(account)}
    about |= {kind: _reference(obj) for kind, obj in bound.items()}
    return {
        "aud": audiences,
        "exp": int(expires.timestamp()),
        "iat": int(moment.timestamp()),
        "jti": str(uuid.uuid4()),
        "kubernetes.io": about,
        "nbf": int(moment.timestamp()),
        "sub": username(metadata["namespace"], metadata["name"]),
    }


def _reference(obj: JSONObject) -> dict[str, str]:
    metadata = obj["metadata"]
    return {field: metadata[field] for field in ("name", "uid") if metadata.get(field)}


def _default_token_request(obj: JSONObject) -> None:
    obj.setdefault("spec", {}).setdefault("expirationSeconds", 3600)


def _cells(obj: JSONObject) -> list[Any]:
    metadata = obj["metadata"]
    return [metadata["name"], age(metadata.get("creationTimestamp"))]


def service_accounts(options: CatalogOptions) -> Resource:
    return builtin(
        "serviceaccounts",
        strategy=ServiceAccountStrategy(),
        cells=_cells,
        subresources={"token": lambda _: TokenStore(options)},
        subresource_defaults={"token": _default_token_request},
    )
