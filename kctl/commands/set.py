"""`kctl set`: one field or another of what is there. Kubernetes: kubectl/pkg/cmd/set."""

from __future__ import annotations

from kctl.changes.set import env, image, resources, selector, service_account, subject
from kctl.command_line.command import Command

COMMAND = Command(
    "set",
    "set SUBCOMMAND",
    "Set an image, a variable, a selector ... of objects that are there",
    description="""\
Set one thing of objects that are there: images, environment variables, resources, the service account, the selector
of a service, the subjects of a binding.""",
    commands=(
        env.COMMAND,
        image.COMMAND,
        resources.COMMAND,
        selector.COMMAND,
        service_account.COMMAND,
        subject.COMMAND,
    ),
)
