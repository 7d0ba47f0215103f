"""What was found, by how often it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.differential.comparison import Difference


@dataclass(slots=True)
class Report:
    """`groups` has the first difference of each kind, as small as it could be made; `counts` how many there were."""

    requests: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    groups: dict[str, Difference] = field(default_factory=dict)
    kinds: dict[str, set[str]] = field(default_factory=dict)

    @property
    def differing(self) -> int:
        return sum(self.counts.values())

    def add(self, found: Difference, kind: str) -> bool:
        """Whether it is the first of its group."""
        self.counts[found.group] = self.counts.get(found.group, 0) + 1
        self.kinds.setdefault(found.group, set()).add(kind)
        is_first = found.group not in self.groups
        self.groups.setdefault(found.group, found)
        return is_first

    def ordered(self) -> list[str]:
        return sorted(self.counts, key=lambda group: -self.counts[group])

    def document(self) -> dict[str, Any]:
        return {
            "requests": self.requests,
            "differing": self.differing,
            "groups": [
                {
                    "group": group,
                    "count": self.counts[group],
                    "kinds": sorted(self.kinds[group]),
                    "first": self.groups[group].step.shown(),
                    "place": self.groups[group].place,
                    "peer": self.groups[group].peer,
                    "ours": self.groups[group].ours,
                }
                for group in self.ordered()
            ],
        }

    def lines(self, most: int = 40) -> Iterator[str]:
        percent = 100 * self.differing / self.requests if self.requests else 0.0
        yield f"{self.requests} requests, {self.differing} differ ({percent:.2f} %), in {len(self.counts)} ways"
        for group in self.ordered()[:most]:
            found = self.groups[group]
            yield f"{self.counts[group]:6}  {found.step.method} {found.step.path}  {found.place}"
            yield f"        peer  {str(found.peer)[:200]}"
            yield f"        ours  {str(found.ours)[:200]}"
