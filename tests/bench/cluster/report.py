"""What came of a scenario: what a write costs, and what of it managedFields have."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.bench.cluster.writes import Scenario
from tests.bench.figures import Aim, Figure, Spread, Table
from tests.bench.http import kube
from tests.bench.http.load import Sample, table_of
from tests.bench.http.load import Scenario as Measured

HALF = Aim(at_most=50.0, of=kube.OURS)
"""managedFields must not cost more than the rest of the request together."""


@dataclass(slots=True)
class Result:
    """`managing` are the seconds that the meter has counted, beside each sample; `unmanaged` are the samples of the
    server that keeps no managedFields."""

    scenario: Scenario
    samples: list[Sample] = field(default_factory=list)
    managing: list[float] = field(default_factory=list)
    unmanaged: list[Sample] = field(default_factory=list)

    def table(self) -> Table:
        known = kube.LOADS.get(self.scenario.known_as, kube.NOTHING_KNOWN)
        table = table_of(Measured(self.scenario.name, self.scenario.run, samples=self.samples), known)
        managing = list(zip(self.samples, self.managing, strict=True))
        _add(table, "CPU, managedFields", "s/1000", [each.per_thousand(spent) for each, spent in managing])
        _add(table, "their share", "%", [spent / each.cost.server * 100 for each, spent in managing], HALF)
        if self.unmanaged:
            _add(table, "CPU, without them", "s/1000", [each.per_thousand(each.cost.server) for each in self.unmanaged])
        return table


def _add(table: Table, name: str, unit: str, values: list[float], aim: Aim | None = None) -> None:
    table.figures.append(Figure(name, unit, {kube.OURS: Spread.of(values)}, aim=aim))
