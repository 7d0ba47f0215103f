"""Prometheus' text format, as much of it as we need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Sample:
    labels: Labels
    value: float
    suffix: str = ""


@dataclass(slots=True)
class Family:
    """One metric: `kind` is counter, gauge or histogram."""

    name: str
    kind: str
    help: str
    samples: list[Sample] = field(default_factory=list)

    def add(self, value: float, **labels: str) -> None:
        self.samples.append(Sample(tuple(labels.items()), value))


def histogram_samples(labels: Labels, bounds: Sequence[float], counts: Sequence[int], total: float) -> Iterator[Sample]:
    """`counts` has one more number than `bounds`: what lies above them all."""
    below = 0
    for bound, count in zip(bounds, counts, strict=False):
        below += count
        yield Sample((*labels, ("le", _number(bound))), below, "_bucket")
    below += counts[-1]
    yield Sample((*labels, ("le", "+Inf")), below, "_bucket")
    yield Sample(labels, total, "_sum")
    yield Sample(labels, below, "_count")


def render(families: Iterable[Family]) -> bytes:
    """A family without samples is left out."""
    lines: list[str] = []
    for family in families:
        if not family.samples:
            continue
        lines.append(f"# HELP {family.name} {family.help}")
        lines.append(f"# TYPE {family.name} {family.kind}")
        for sample in family.samples:
            labels = ",".join(f'{name}="{_escaped(value)}"' for name, value in sample.labels)
            shown = f"{{{labels}}}" if labels else ""
            lines.append(f"{family.name}{sample.suffix}{shown} {_number(sample.value)}")
    lines.append("")
    return "\n".join(lines).encode("utf-8", "replace")


def _escaped(value: str) -> str:
    if value.isalnum():
        return value
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))
