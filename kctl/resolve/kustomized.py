"""-k: the objects that a kustomization makes. Kubernetes: cli-runtime/pkg/resource, KustomizeVisitor."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kctl.session import Session


def manifest(session: Session, directory: str) -> bytes:
    """As YAML, in the order in which they can be created. Raises KctlError."""
    from kctl.kustomize.building import build, render
    from kctl.kustomize.options import Options

    options = Options(reorder="legacy", warn=warn, log=logger(session))
    return render(build(directory, options)).encode("utf-8", "replace")


def warn(text: str) -> None:
    """What kustomize tells its user while it works."""
    sys.stderr.write(f"{text}\n")


def logger(session: Session) -> Callable[[str], None]:
    """Where it logs: what Go's log package gets comes out of kubectl so."""
    return lambda text: session.log(0, "log.go:244", text)
