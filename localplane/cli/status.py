"""What can be known about a plane: what it wrote down, and what it says when it is asked over its own socket."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from localplane.apimachinery.times import human_duration

from .context import current_context
from .lines import Block, size, tidy
from .places import known_names, places
from .processes import resident_bytes
from .run_file import READY, RunRecord, read, running
from .socket_client import ask

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Status:
    """`record` is None if it does not run and left nothing; `facts` are empty if it did not answer."""

    name: str
    state: str
    record: RunRecord | None
    facts: dict[str, Any]
    health: str = ""

    @property
    def is_good(self) -> bool:
        return self.state == "up"


def status(name: str) -> Status:
    record = running(name)
    if record is None:
        left = read(places(name))
        return Status(name, "killed" if left else "down", left, {})
    if record.phase != READY:
        return Status(name, record.phase, record, {})
    health, facts = ask(record.socket, "/readyz?verbose"), ask(record.socket, "/storage")
    state = "up" if health.good else "not ready"
    return Status(name, state, record, _object(facts.body) if facts.good else {}, "" if health.good else health.body)


def all_statuses() -> list[Status]:
    """Of those that run, and of those that were killed and left something."""
    found = (status(name) for name in known_names())
    return [one for one in found if one.record is not None]


def as_json(one: Status) -> dict[str, Any]:
    record = one.record
    if record is None:
        return {"name": one.name, "state": one.state}
    document: dict[str, Any] = {
        "name": one.name,
        "state": one.state,
        "url": record.url,
        "context": record.context,
        "kubeconfig": record.kubeconfig,
        "dataDir": record.data_dir,
        "store": record.store,
        "log": str(places(one.name).log),
        "started": record.started,
        "versions": record.versions,
    }
    if one.state in ("killed", "down"):
        return document
    etcd = one.facts.get("etcdPid")
    document["pids"] = {"server": record.pid, **({"etcd": etcd} if etcd else {})}
    document["memoryBytes"] = {name: resident_bytes(pid) for name, pid in document["pids"].items()}
    document["uptimeSeconds"] = int(_uptime(record).total_seconds())
    document["objects"] = one.facts.get("objects")
    document["storageBytes"] = one.facts.get("sizeBytes")
    document["badObjects"] = one.facts.get("badObjects")
    return document


def block(one: Status) -> Block:
    record = one.record
    if record is None:
        return Block(f"{one.name} is down", good=False)
    rows = [("server", record.url)] if record.url else []
    rows += _running_rows(one, record) if one.state not in ("killed", "down") else []
    if record.data_dir:
        rows.append(("data", tidy(record.data_dir)))
    footer = ""
    if one.state == "killed":
        footer = "What it left is taken away." if record.ephemeral else f"kctl down --name {one.name} cleans up."
    title = f"{one.name} was killed" if one.state == "killed" else f"{one.name} is {one.state}"
    return Block(title, good=one.is_good, rows=rows, footer=footer)


def _running_rows(one: Status, record: RunRecord) -> list[tuple[str, str]]:
    current = " (current)" if current_context() == record.context else ""
    pids = {"server": record.pid}
    if etcd := one.facts.get("etcdPid"):
        pids["etcd"] = int(etcd)
    memory = ((name, resident_bytes(pid)) for name, pid in pids.items())
    rows = [
        ("context", f"{record.context}{current}" if record.merged_into else "none"),
        ("uptime", human_duration(_uptime(record))),
        ("version", ", ".join(f"{name} {version}" for name, version in record.versions.items())),
        ("store", record.store),
        ("pids", ", ".join(f"{name} {pid}" for name, pid in pids.items())),
        ("memory", ", ".join(f"{name} {size(number)}" for name, number in memory if number is not None)),
    ]
    if one.facts:
        rows.append(("objects", f"{one.facts['objects']} ({size(one.facts['sizeBytes'])} stored)"))
        rows += _bad_rows(one.facts.get("badObjects") or [])
    rows += [("health", line) for line in one.health.splitlines() if line.startswith("[-]")]
    return [(name, value) for name, value in rows if value]


def _bad_rows(keys: list[str]) -> list[tuple[str, str]]:
    """What is stored and can't be used: a few of the keys, and who tells the rest."""
    if not keys:
        return []
    more = f" and {len(keys) - _MOST_NAMED} more" if len(keys) > _MOST_NAMED else ""
    return [("bad objects", f"{', '.join(keys[:_MOST_NAMED])}{more}: see `kctl doctor`")]


def _uptime(record: RunRecord) -> timedelta:
    return datetime.now(UTC) - datetime.fromisoformat(record.started)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
