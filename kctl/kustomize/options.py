"""What a build may do, and what it says on the way. Kubernetes: api/krusty, Options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class HelmOptions:
    enabled: bool = False
    command: str = "helm"
    api_versions: tuple[str, ...] = ()
    kube_version: str = ""
    debug: bool = False


def _silent(_: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Options:
    """`reorder` is empty, `legacy` or `none`. `warn` gets lines for the user, `log` lines for the log."""

    reorder: str = ""
    restricted: bool = True
    managed_by_label: bool = False
    plugins: bool = False
    helm: HelmOptions = field(default_factory=HelmOptions)
    warn: Callable[[str], None] = _silent
    log: Callable[[str], None] = _silent
