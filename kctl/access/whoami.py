"""`kctl auth whoami`. Kubernetes: kubectl/pkg/cmd/auth/whoami.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kctl.command import Command
from kctl.errors import KctlError
from kctl.printers.choosing import output_flags

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session

_GROUP = "authentication.k8s.io"


async def run(session: Session, given: Given) -> None:
    from kctl.printers.choosing import chosen_format
    from kctl.printers.typed import printer_for

    printer = printer_for(given, "") if chosen_format(given) else None
    review = await _review(session)
    if printer is not None:
        printer.print(review, session.write)
        return
    _print_table(session, (review.get("status") or {}).get("userInfo") or {})


async def _review(session: Session) -> dict[str, Any]:
    """In the newest version that the server has."""
    from localplane.apimachinery.errors import Forbidden, NotFound
    from localplane.client.names import GroupVersionResource

    for version in ("v1", "v1beta1", "v1alpha1"):
        resource = GroupVersionResource(_GROUP, version, "selfsubjectreviews")
        review = {"kind": "SelfSubjectReview", "apiVersion": f"{_GROUP}/{version}", "metadata": {}}
        try:
            return await session.client.resource(resource).create(review)
        except NotFound:
            continue
        except Forbidden:
            raise KctlError(
                "the selfsubjectreviews API is not enabled in the cluster or you do not have permission to call it"
            ) from None
    raise KctlError("the selfsubjectreviews API is not enabled in the cluster")


def _print_table(session: Session, user: dict[str, Any]) -> None:
    from kctl.printers.tabwriter import TabWriter

    from .rules import listed

    out = TabWriter(session.write)
    out.write("ATTRIBUTE\tVALUE\n")
    for title, field in (("Username", "username"), ("UID", "uid")):
        if user.get(field):
            out.write(f"{title}\t{user[field]}\n")
    if user.get("groups"):
        out.write(f"Groups\t{listed(user['groups'])}\n")
    extra = user.get("extra") or {}
    for key in sorted(extra):
        out.write(f"Extra: {key}\t{listed(extra[key])}\n")
    out.flush()


COMMAND = Command(
    "whoami",
    "whoami",
    "Experimental: Check self subject attributes",
    run=run,
    flags=output_flags(),
    description="""\
Experimental: Check who you are and your attributes (groups, extra).

This command is helpful to get yourself aware of the current user attributes, especially when dynamic authentication,
e.g., token webhook, auth proxy, or OIDC provider, is enabled in the Kubernetes cluster.""",
    examples="""\
# Get your subject attributes
kctl auth whoami

# Get your subject attributes in JSON format
kctl auth whoami -o json""",
)
