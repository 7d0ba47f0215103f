"""`kctl create namespace|serviceaccount|token`. Kubernetes: create_{namespace,serviceaccount,token}.go."""

from __future__ import annotations

from kctl.changes.create.generator import GENERATOR_FLAGS, make, metadata, the_name
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import KctlError
from kctl.printers import typed
from kctl.printers.choice import chosen_format, output_flags
from kctl.session.session import Session
from localplane.apimachinery import times
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.client.rest.names import GroupVersionResource

_BINDABLE = ("Node", "Pod", "Secret")


async def namespace(session: Session, flags: FlagSet) -> None:
    name = the_name(session, flags)
    obj: JSONObject = {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": name}, "spec": {}, "status": {}}
    await make(session, flags, obj, "namespaces")


async def service_account(session: Session, flags: FlagSet) -> None:
    obj: JSONObject = {"kind": "ServiceAccount", "apiVersion": "v1"}
    obj["metadata"] = metadata(session, the_name(session, flags))
    await make(session, flags, obj, "serviceaccounts", failure="failed to create serviceaccount:")


async def token(session: Session, flags: FlagSet) -> None:
    name = the_name(session, flags, unnamed="service account name is required")
    printer = typed.printer_for(flags, "created")
    _check_token(flags)
    accounts = session.client.resource(GroupVersionResource("", "v1", "serviceaccounts"), session.namespace)
    try:
        answer = await accounts.create(_token_request(flags), name=name, subresource="token")
    except APIError as error:
        raise KctlError(f"failed to create token: {error.message}") from error
    secret = str((answer.get("status") or {}).get("token") or "")
    if not secret:
        raise KctlError("failed to create token: no token in server response")
    if chosen_format(flags):
        printer.print(answer, session.write_object)
    else:
        session.write(f"{secret}\n" if session.is_terminal else secret)


def _check_token(flags: FlagSet) -> None:
    nanoseconds, kind = (
        times.duration_nanoseconds(dict(flags.said).get("duration", "0")),
        flags.text("bound-object-kind"),
    )
    if nanoseconds < 0:
        raise KctlError("--duration must be greater than or equal to 0")
    if nanoseconds % 1_000_000_000:
        raise KctlError("--duration cannot be expressed in units less than seconds")
    if "" in flags.texts("audience"):
        raise KctlError("--audience must not be an empty string")
    if not kind:
        for name in ("bound-object-name", "bound-object-uid"):
            if flags.text(name):
                raise KctlError(f"--{name} can only be set if --bound-object-kind is provided")
    elif kind not in _BINDABLE:
        raise KctlError(f"supported --bound-object-kind values are {', '.join(_BINDABLE)}")
    elif not flags.text("bound-object-name"):
        raise KctlError("--bound-object-name is required if --bound-object-kind is provided")


def _token_request(flags: FlagSet) -> JSONObject:
    spec: JSONObject = {"audiences": flags.texts("audience") or None}
    if flags.seconds("duration"):
        spec["expirationSeconds"] = int(flags.seconds("duration"))
    if kind := flags.text("bound-object-kind"):
        reference = {"kind": kind, "apiVersion": "v1", "name": flags.text("bound-object-name")}
        if flags.text("bound-object-uid"):
            reference["uid"] = flags.text("bound-object-uid")
        spec["boundObjectRef"] = reference
    return {"kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1", "metadata": {}, "spec": spec}


NAMESPACE = Command(
    "namespace",
    "namespace NAME [--dry-run=server|client|none]",
    "Make a namespace",
    run=namespace,
    aliases=("ns",),
    flags=GENERATOR_FLAGS,
    description="Make a namespace: a room for objects, whose names need to be unique only in there.",
    examples="""\
# A namespace for a team
kctl create namespace team-a

# See what would be sent
kctl create ns team-a --dry-run=client -o yaml""",
)
SERVICE_ACCOUNT = Command(
    "serviceaccount",
    "serviceaccount NAME [--dry-run=server|client|none]",
    "Make a service account",
    run=service_account,
    aliases=("sa",),
    flags=GENERATOR_FLAGS,
    description="Make a service account, which is who the programs in pods are to the API.",
    examples="""\
# An account for a backup job
kctl create serviceaccount backup

# In another namespace
kctl create sa backup -n tools""",
)
TOKEN = Command(
    "token",
    "token SERVICE_ACCOUNT_NAME",
    "Ask for a service account's token",
    run=token,
    flags=(
        *output_flags(),
        Flag(
            "audience",
            "array",
            (),
            "Whom the token is for; may be repeated. Without it: the Kubernetes API of the cluster.",
        ),
        Flag(
            "duration",
            "duration",
            0.0,
            "How long it is to be valid (10m, 24h), in whole seconds. The server may decide otherwise; it does for 0.",
        ),
        Flag("bound-object-kind", usage=f"Let the token end with an object of this kind: {', '.join(_BINDABLE)}."),
        Flag("bound-object-name", usage="The name of that object. Needs --bound-object-kind."),
        Flag("bound-object-uid", usage="The UID of that object. Without it that of the object that is there."),
    ),
    description="""\
Ask the server for a token of a service account, and print it. Nothing is kept: the token ends by itself, or with
the object that it is bound to.""",
    examples="""\
# A token for an hour or so
kctl create token backup

# For a day
kctl create token backup --duration=24h

# For another audience than the API
kctl create token backup --audience=https://vault.example.com

# One that ends when a pod is deleted
kctl create token backup --bound-object-kind=Pod --bound-object-name=backup-0

# With its expiry
kctl create token backup -o jsonpath={.status.expirationTimestamp}""",
)
