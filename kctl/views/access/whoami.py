"""`kctl auth whoami`. Kubernetes: kubectl/pkg/cmd/auth/whoami.go."""

from __future__ import annotations

from typing import Any

from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError
from kctl.printers import typed
from kctl.printers.choice import output_flags
from kctl.session.session import Session
from kctl.views.access import rules
from localplane.apimachinery.errors import Forbidden, NotFound
from localplane.client.rest.names import GroupVersionResource

_GROUP = "authentication.k8s.io"


async def run(session: Session, flags: FlagSet) -> None:
    printer = typed.printer_for(flags, "") if flags.changed("output") else None
    review = await _review(session)
    if printer is not None:
        printer.print(review, session.write_object)
        return
    _print_table(session, (review.get("status") or {}).get("userInfo") or {})


async def _review(session: Session) -> dict[str, Any]:
    """In the newest version that the server has."""
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
    out = session.columns()
    out.write("ATTRIBUTE\tVALUE\n")
    for title, field in (("Username", "username"), ("UID", "uid")):
        if user.get(field):
            out.write(f"{title}\t{user[field]}\n")
    if user.get("groups"):
        out.write(f"Groups\t{rules.listed(user['groups'])}\n")
    extra = user.get("extra") or {}
    for key in sorted(extra):
        out.write(f"Extra: {key}\t{rules.listed(extra[key])}\n")
    out.flush()


COMMAND = Command(
    "whoami",
    "whoami",
    "Tell who you are to the server",
    run=run,
    flags=output_flags(),
    description="""\
Tell what the server takes you for: your name, groups, and what else your credentials say. Useful where those come from
somewhere else, such as a token service, a proxy or --as.""",
    examples="""\
# Who am I?
kctl auth whoami

# Only the name
kctl auth whoami -o jsonpath='{.status.userInfo.username}'

# Who would I be?
kctl auth whoami --as=jane --as-group=developers""",
)
