"""`delete -i`: what would go, and whether it may. Kubernetes: DeleteOptions.confirmation."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from kctl.printers.objects import kind_and_group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kctl.resolve import Info
    from kctl.session import Session


def confirm(session: Session, infos: Sequence[Info]) -> bool:
    session.write(f"You are about to delete the following {len(infos)} resource(s):\n")
    for info in infos:
        kind = info.rest_mapping.kind
        version = f"{kind.group}/{kind.version}" if kind.group else kind.version
        session.write(f"{kind_and_group({'apiVersion': version, 'kind': kind.kind})}/{info.name}\n")
    session.write("Do you want to continue? (y/N): ")
    sys.stdout.flush()
    answer = sys.stdin.readline() if sys.stdin is not None else ""
    return answer.strip().lower() == "y" and len(answer.split()) == 1
