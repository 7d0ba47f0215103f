"""`kctl set`: one field or another of what is there. Kubernetes: kubectl/pkg/cmd/set."""

from __future__ import annotations

from kctl.changing import env, image, resources, selector, service_account, subject
from kctl.command import Command

COMMAND = Command(
    "set",
    "set SUBCOMMAND",
    "Set specific features on objects",
    description="""\
Configure application resources.

These commands help you make changes to existing application resources.""",
    commands=(
        env.COMMAND,
        image.COMMAND,
        resources.COMMAND,
        selector.COMMAND,
        service_account.COMMAND,
        subject.COMMAND,
    ),
)
