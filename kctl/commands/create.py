"""`kctl create`: objects from files, or made up by a generator. Kubernetes: kubectl/pkg/cmd/create/create.go."""

from __future__ import annotations

from kctl.command import Command
from kctl.generators.commands import GENERATORS

COMMAND = Command(
    "create",
    "create -f FILENAME",
    "Create a resource from a file or from stdin",
    commands=GENERATORS,
)
