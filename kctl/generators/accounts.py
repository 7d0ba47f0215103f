"""`kctl create namespace|serviceaccount|token`. Kubernetes: create_{namespace,serviceaccount,token}.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import Flag
from kctl.printers.choosing import output_flags

from .making import GENERATOR_FLAGS, Object, make, metadata, the_name

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session

_BINDABLE = ("Node", "Pod", "Secret")


async def namespace(session: Session, given: Given) -> None:
    name = the_name(session, given)
    obj: Object = {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": name}, "spec": {}, "status": {}}
    await make(session, given, obj, "namespaces")


async def service_account(session: Session, given: Given) -> None:
    obj: Object = {"kind": "ServiceAccount", "apiVersion": "v1"}
    obj["metadata"] = metadata(session, the_name(session, given))
    await make(session, given, obj, "serviceaccounts", failure="failed to create serviceaccount:")


async def token(session: Session, given: Given) -> None:
    from kctl.printers.choosing import chosen_format
    from kctl.printers.typed import printer_for
    from localplane.apimachinery.errors import APIError
    from localplane.client.names import GroupVersionResource

    name = the_name(session, given)
    printer = printer_for(given, "created")
    _check_token(given)
    accounts = session.client.resource(GroupVersionResource("", "v1", "serviceaccounts"), session.namespace)
    try:
        answer = await accounts.create(_token_request(given), name=name, subresource="token")
    except APIError as error:
        raise KctlError(f"failed to create token: {error.message}") from error
    secret = str((answer.get("status") or {}).get("token") or "")
    if not secret:
        raise KctlError("failed to create token: no token in server response")
    if chosen_format(given):
        printer.print(answer, session.write)
    else:
        session.write(f"{secret}\n" if session.is_terminal else secret)


def _check_token(given: Given) -> None:
    seconds, kind = given.seconds("duration"), given.text("bound-object-kind")
    if seconds < 0:
        raise KctlError("--duration must be greater than or equal to 0")
    if seconds % 1:
        raise KctlError("--duration cannot be expressed in units less than seconds")
    if "" in given.texts("audience"):
        raise KctlError("--audience must not be an empty string")
    if not kind:
        for name in ("bound-object-name", "bound-object-uid"):
            if given.text(name):
                raise KctlError(f"--{name} can only be set if --bound-object-kind is provided")
    elif kind not in _BINDABLE:
        raise KctlError(f"supported --bound-object-kind values are {', '.join(_BINDABLE)}")
    elif not given.text("bound-object-name"):
        raise KctlError("--bound-object-name is required if --bound-object-kind is provided")


def _token_request(given: Given) -> Object:
    spec: Object = {"audiences": given.texts("audience") or None}
    if given.seconds("duration"):
        spec["expirationSeconds"] = int(given.seconds("duration"))
    if kind := given.text("bound-object-kind"):
        reference = {"kind": kind, "apiVersion": "v1", "name": given.text("bound-object-name")}
        if given.text("bound-object-uid"):
            reference["uid"] = given.text("bound-object-uid")
        spec["boundObjectRef"] = reference
    return {"kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1", "metadata": {}, "spec": spec}


NAMESPACE = Command(
    "namespace",
    "namespace NAME [--dry-run=server|client|none]",
    "Create a namespace with the specified name",
    run=namespace,
    aliases=("ns",),
    flags=GENERATOR_FLAGS,
    examples="# Create a new namespace named my-namespace\nkctl create namespace my-namespace",
)
SERVICE_ACCOUNT = Command(
    "serviceaccount",
    "serviceaccount NAME [--dry-run=server|client|none]",
    "Create a service account with the specified name",
    run=service_account,
    aliases=("sa",),
    flags=GENERATOR_FLAGS,
    examples="# Create a new service account named my-service-account\nkctl create serviceaccount my-service-account",
)
TOKEN = Command(
    "token",
    "token SERVICE_ACCOUNT_NAME",
    "Request a service account token",
    run=token,
    flags=(
        *output_flags(),
        Flag(
            "audience",
            "array",
            (),
            "Audience of the requested token. If unset, defaults to requesting a token for use with the Kubernetes API "
            "server. May be repeated to request a token valid for multiple audiences.",
        ),
        Flag(
            "duration",
            "duration",
            0.0,
            "Requested lifetime of the issued token. If not set or if set to 0, the lifetime will be determined by the "
            "server automatically. The server may return a token with a longer or shorter lifetime.",
        ),
        Flag(
            "bound-object-kind",
            usage=f"Kind of an object to bind the token to. Supported kinds are {', '.join(_BINDABLE)}. If set, "
            "--bound-object-name must be provided.",
        ),
        Flag(
            "bound-object-name",
            usage="Name of an object to bind the token to. The token will expire when the object is deleted. Requires "
            "--bound-object-kind.",
        ),
        Flag(
            "bound-object-uid",
            usage="UID of an object to bind the token to. Requires --bound-object-kind and --bound-object-name. If "
            "unset, the UID of the existing object is used.",
        ),
    ),
    examples="""\
# Request a token to authenticate to the kube-apiserver as the service account "myapp" in the current namespace
kctl create token myapp

# Request a token with a custom expiration
kctl create token myapp --duration 10m

# Request a token bound to an instance of a Secret object
kctl create token myapp --bound-object-kind Secret --bound-object-name mysecret""",
)
