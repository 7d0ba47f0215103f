"""What a kube-apiserver costs, as orientation: facts about another program, taken elsewhere.

It does more for a request than the toy that is measured here: it keeps managedFields, asks RBAC and queues fairly. So a
ratio says what a client pays, and not who does the same work better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.bench.figures import Aim, Comparison, Figure, Range, Spread, Table

KUBE, OURS = "kube-apiserver", "localplane"
SOURCE = (
    "kube-apiserver v1.37.0-rc.1 with etcd 3.7, two shared cores, HTTPS, ConfigMaps of 1 KB; "
    "ranges over four runs, single numbers from a quiet one"
)


@dataclass(frozen=True, slots=True)
class Load:
    """Throughput per second, latencies in ms, CPU in seconds per 1,000 operations, memory in MB.

    The process had served the scenarios before, in the order of this table, when its memory was read.
    """

    throughput: float | None = None
    p50: float | None = None
    p99: float | None = None
    cpu: tuple[float, float] | None = None
    store_cpu: float | None = None
    resident: float | None = None


NOTHING_KNOWN = Load()

LOADS = {
    "get-c1": Load(945.4, 1.001, 2.079, (0.695, 0.821), 0.381, 273),
    "get-c16": Load(2985.9, 4.740, 16.168, (0.334, 0.462), 0.115, 308),
    "list-1000-c1": Load(95.3, 9.522, 20.049, (7.866, 10.975), 0.524, 303),
    "list-10000-c1": Load(9.9, 100.178, 136.206, (80.6, 103.333), 1.0, 430),
    "list-10000-c4": Load(13.0, 293.588, 417.478, (80.0, 100.857), 0.896, 471),
    "list-10000-gzip-c1": Load(6.4, 153.986, 205.236, (144.545, 155.263), 1.515, 438),
    "list-10000-page500-c1": Load(7.1, 138.721, 201.041, (107.742, 126.071), 1.389, 432),
    "create-c1": Load(618.2, 1.544, 2.935, (1.175, 1.69), 0.525, 404),
    "create-c32": Load(1639.9, 17.605, 54.284, (0.77, 0.975), 0.205, 473),
    "put-c1": Load(548.9, 1.706, 3.698, (1.405, 1.725), 0.58, 493),
    "put-c16": Load(1072.6, 13.504, 43.5, (1.115, 1.265), 0.37, 559),
    "mergepatch-c1": Load(510.5, 1.762, 5.749, (1.7, 1.865), 0.595, 638),
    "mergepatch-c16": Load(907.2, 16.101, 45.706, (1.44, 1.57), 0.465, 731),
    "apply-c1": Load(430.0, 2.083, 6.244, (2.19, 2.34), 0.62, 776),
    "apply-c16": Load(733.2, 19.374, 69.006, (1.97, 2.395), 0.48, 1067),
    "delete-c1": Load(573.7, 1.677, 2.901, (1.145, 1.295), 0.81, 957),
    "delete-c16": Load(1700.7, 8.82, 21.732, (0.68, 0.81), 0.31, 1041),
    "watch-burst-100": Load(39059.0, 0.965, 3.673, (0.024, 0.029), 0.006, 1018),
    "watch-burst-1000": Load(52006.7, 9.431, 25.874, (0.02, 0.025), 0.001, 1089),
}

START_SECONDS = Range.between(2.5, 3.2)
IDLE_RESIDENT = Range.between(275, 280)
IDLE_CPU_PERCENT = Range.between(0.6, 0.8)
IDLE_STORE_RESIDENT = Range.between(41, 41)
IDLE_STORE_CPU_PERCENT = Range.between(0.2, 0.4)


def table(title: str) -> Table:
    return Table(title, (OURS, KUBE), Comparison(KUBE, OURS))


def add(
    table: Table,
    name: str,
    unit: str,
    values: Sequence[float],
    *,
    known: Range | None = None,
    compared: bool = False,
    aim: Aim | None = None,
) -> None:
    """One figure of ours, beside what is known. The ratio is that of the low end of the range, so that chance is on
    the other side."""
    sides: dict[str, Spread] = {OURS: Spread.of(values)}
    ratio = None
    if known is not None:
        sides[KUBE] = known
        if compared and min(values) > 0:
            ratio = Spread.of([known.lowest / value for value in values])
    table.figures.append(Figure(name, unit, sides, ratio, aim if ratio or (aim and aim.of) else None))
