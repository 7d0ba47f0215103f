"""`create namespace` and `create serviceaccount`: a name is all they need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .generating import Object, Target, Words, generator, metadata, typed

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


async def _namespace(session: Session, given: Given, name: str) -> Object:
    del session, given
    return typed("v1", "Namespace", metadata(name), spec={}, status={})


async def _service_account(session: Session, given: Given, name: str) -> Object:
    del session, given
    return typed("v1", "ServiceAccount", metadata(name))


NAMESPACE = generator(
    Words(
        "namespace",
        "namespace NAME [--dry-run=server|client|none]",
        "Create a namespace with the specified name",
        ("ns",),
        examples="""\
# Create a new namespace named my-namespace
kctl create namespace my-namespace""",
    ),
    _namespace,
    Target("", "v1", "namespaces", namespaced=False),
)

SERVICE_ACCOUNT = generator(
    Words(
        "serviceaccount",
        "serviceaccount NAME [--dry-run=server|client|none]",
        "Create a service account with the specified name",
        ("sa",),
        examples="""\
# Create a new service account named my-service-account
kctl create serviceaccount my-service-account""",
    ),
    _service_account,
    Target("", "v1", "serviceaccounts", failed="failed to create serviceaccount: "),
)
