"""`kctl certificate approve|deny`. Kubernetes: kubectl/pkg/cmd/certificates/certificates.go."""

from __future__ import annotations

from kctl.command_line import standard_flags
from kctl.command_line.command import Command, Run
from kctl.command_line.flags import FlagSet, switch
from kctl.errors import KctlError
from kctl.objects import Info, Query, resolve
from kctl.objects.arguments import named
from kctl.printers import results
from kctl.printers.choice import output_flags
from kctl.session.session import Session
from localplane.apimachinery import times
from localplane.apimachinery.errors import Conflict
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.light_typing import NamedTuple
from localplane.apimachinery.objects import JSONObject

_ATTEMPTS = 10


class _Decision(NamedTuple):
    condition: str
    other: str
    reason: str
    message: str
    done: str


_APPROVED = _Decision(
    "Approved", "Denied", "KubectlApprove", "This CSR was approved by kubectl certificate approve.", "approved"
)
_DENIED = _Decision("Denied", "Approved", "KubectlDeny", "This CSR was denied by kubectl certificate deny.", "denied")


def _runs(decision: _Decision) -> Run:
    async def run(session: Session, flags: FlagSet) -> None:
        printer = results.printer_for(flags, decision.done)
        if not flags.arguments and not flags.texts("filename") and not flags.text("kustomize"):
            raise KctlError("one or more CSRs must be specified as <name> or -f <filename>")
        words = named("certificatesigningrequests", flags.arguments)
        for word in words:
            if (await session.discovery.mapping_for(word.partition("/")[0])).namespaced:
                raise KctlError("namespace may not be empty when retrieving a resource by name")
        query = Query.of(flags, words)._replace(default_namespace=False, flatten=True, keep_going=True)
        result = await resolve(session, query)
        count = 0

        async def decide(info: Info) -> None:
            nonlocal count
            if info.source:
                await _look_up(info)
            await _decide(info, decision, force=flags.is_on("force"))
            count += 1
            printer.print(info.object or {}, session.write_object)

        await result.each(decide)
        if not count:
            session.write("No resources found\n")

    return run


async def _look_up(info: Info) -> None:
    """What a file names. No namespace is assumed: requests have none."""
    if info.is_namespaced and not info.namespace:
        raise KctlError(f"no namespace set on resource {info.rest_mapping.resource} {go_quote(info.name)}")
    await info.get()


async def _decide(info: Info, decision: _Decision, *, force: bool) -> None:
    """Tried again while others change the same request."""
    kind = info.rest_mapping.kind
    if (kind.group, kind.kind) != ("certificates.k8s.io", "CertificateSigningRequest"):
        got = f"{kind.kind}.{kind.group}" if kind.group else kind.kind
        raise KctlError(f"can only handle CertificateSigningRequest.certificates.k8s.io objects, got {got}")
    for attempt in range(_ATTEMPTS + 1):
        request = await info.resource.get(info.name)
        changed = _with_condition(request, decision)
        if changed is None and not force:
            return
        try:
            await info.resource.update(changed or request, subresource="approval")
        except Conflict:
            if attempt == _ATTEMPTS:
                raise
            continue
        return


def _with_condition(request: JSONObject, decision: _Decision) -> JSONObject | None:
    """None if it has been decided so already."""
    status = request.get("status") or {}
    conditions = list(status.get("conditions") or ())
    for one in conditions:
        if one.get("type") == decision.other:
            name = go_quote(request["metadata"]["name"])
            raise KctlError(f"certificate signing request {name} is already {one['type']}")
    if any(one.get("type") == decision.condition for one in conditions):
        return None
    conditions.append(
        {
            "type": decision.condition,
            "status": "True",
            "reason": decision.reason,
            "message": decision.message,
            "lastUpdateTime": times.now(),
        }
    )
    return {**request, "status": {**status, "conditions": conditions}}


def _command(name: str, decision: _Decision, summary: str, description: str) -> Command:
    return Command(
        name,
        f"{name} (-f FILENAME | NAME)",
        summary,
        run=_runs(decision),
        flags=(
            *output_flags(),
            switch("force", f"Send it even if the request is already {decision.done}."),
            *standard_flags.filename_flags(f"that name the requests to {name}."),
        ),
        description=description,
        examples=f"""\
# One that 'kctl get csr' has shown
kctl certificate {name} csr-x7k2p

# Several
kctl certificate {name} csr-x7k2p csr-9wq4n

# Those that a file names
kctl certificate {name} -f requests.yaml""",
    )


_APPROVE = """\
Approve certificate signing requests. The signer that a request names may then issue the certificate.

Look at the request first ('kctl describe csr NAME'): whoever gets the certificate can act under the name in it."""
_DENY = """\
Deny certificate signing requests. No certificate is issued for them; the one who asks has to make a new request."""

COMMAND = Command(
    "certificate",
    "certificate SUBCOMMAND",
    "Approve or deny certificate requests",
    alone="help",
    commands=(
        _command("approve", _APPROVED, "Approve certificate signing requests", _APPROVE),
        _command("deny", _DENIED, "Deny certificate signing requests", _DENY),
    ),
    examples="""\
# Requests that wait
kctl get csr

# Let one have its certificate
kctl certificate approve csr-x7k2p""",
)
