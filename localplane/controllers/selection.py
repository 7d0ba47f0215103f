"""Which controllers there are, and which of them somebody wants: the --controllers flag.

`*` is all of them, `name` one more, `-name` one less, and what is said first about a name counts. `none` is ours: no
controller at all. Kubernetes: controller-manager/app, IsControllerEnabled, and controller-manager/options/generic.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from localplane.apimachinery.gotext import go_quote

from . import cluster_role_aggregation, garbage_collector, namespace, resource_quota, root_ca, ttl_after_finished
from .context import ControllerSpec
from .service_accounts import accounts, legacy_tokens, tokens

CONTROLLERS: Final = (
    tokens.SPEC,
    resource_quota.SPEC,
    namespace.SPEC,
    accounts.SPEC,
    garbage_collector.SPEC,
    cluster_role_aggregation.SPEC,
    ttl_after_finished.SPEC,
    root_ca.SPEC,
    legacy_tokens.SPEC,
)
"""In the order of cmd/kube-controller-manager."""

NONE: Final = "none"


class UnknownController(ValueError):
    """Says all that were unknown, in Kubernetes' words, and those that are known."""

    def __init__(self, unknown: Sequence[str], known: Sequence[str]) -> None:
        said = ", ".join(f"{go_quote(name)} is not in the list of known controllers" for name in unknown)
        super().__init__(f"{said}; known are: {', '.join(known)}")
        self.unknown = tuple(unknown)
        self.known = tuple(known)


def select(patterns: Sequence[str]) -> tuple[ControllerSpec, ...]:
    """Raises UnknownController. No patterns, no controllers."""
    names = {alias: spec.name for spec in CONTROLLERS for alias in (spec.name, *spec.aliases)}
    wanted = [pattern for pattern in patterns if pattern not in ("*", NONE)]
    if unknown := [name for pattern in wanted if (name := pattern.removeprefix("-")) not in names]:
        raise UnknownController(unknown, [spec.name for spec in CONTROLLERS])
    if NONE in patterns:
        return ()
    said: dict[str, bool] = {}
    for pattern in wanted:
        said.setdefault(names[pattern.removeprefix("-")], not pattern.startswith("-"))
    return tuple(spec for spec in CONTROLLERS if said.get(spec.name, "*" in patterns))
