"""What is said of objects goes by the clock of their plane, and only what the machine takes its time for by its."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.sources import texts, trees

ROOMS = (
    "localplane/apiserver/authentication",
    "localplane/apiserver/endpoints/writes",
    "localplane/apiserver/registry",
    "localplane/apiserver/storage/memory.py",
    "localplane/apiserver/storage/sqlite/expiry.py",
    "localplane/catalog",
    "localplane/client/workqueue",
    "localplane/controllers",
    "localplane/nodes",
    "localplane/scheduler",
    "localplane/servers/apiextensions",
    "localplane/servers/kube",
    "localplane/servers/metrics",
)
"""Where time is taken from `apimachinery/clock` or `apimachinery/times`."""

BY_THE_MACHINE: dict[str, str] = {
    "localplane/apiserver/storage/sqlite/expiry.py": "the plane's clock, in the writer's thread",
    "localplane/catalog/core/component_statuses.py": "how long a store may take to answer",
    "localplane/catalog/core/services/claims.py": "how long other servers take a claim for one in flight",
    "localplane/catalog/core/services/repair.py": "as claims.py",
    "localplane/catalog/core/services/shared_pools.py": "as claims.py",
    "localplane/catalog/core/pods/subresources/eviction.py": "a conflict is tried again while a client waits",
    "localplane/client/workqueue/rate_limiters.py": "how long it is since a connection was lost",
    "localplane/client/workqueue/supervision.py": "what has failed in this process is started again",
    "localplane/controllers/events.py": "names that nobody else has",
    "localplane/controllers/objects/garbage_collector/controller.py": "what other servers serve is asked now and then",
    "localplane/controllers/workloads/expectations.py": "how long a watch may take to tell what was written",
    "localplane/scheduler/events.py": "names that nobody else has",
    "localplane/servers/apiextensions/custom_resources.py": "the store is asked again",
    "localplane/servers/apiextensions/finalizer.py": "what could not be deleted is tried again",
    "localplane/servers/kube/admission/pods/service_account.py": "an account is about to be made while a client waits",
    "localplane/servers/kube/admission/resource_quota/plugin.py": "another server's charge came in between",
    "localplane/servers/kube/bootstrap/__init__.py": "how long another server takes to write what it has begun",
    "localplane/servers/kube/upkeep/server_endpoints.py": "the store's leases go by the machine's clock",
    "localplane/servers/kube/upkeep/flow_schemas.py": "what could not be written is tried again",
}
"""Modules of these rooms that ask the machine, and what for."""

_READERS = {"time": ("time", "monotonic", "time_ns"), "datetime": ("now", "utcnow"), "date": ("today",)}
_WAITERS = ("timeout", "timeout_at", "wait_for")
_WORDS = (*_READERS, "asyncio", "loop", "call_later", "call_at")


def test_rooms_take_the_time_from_their_planes_clock_or_say_why_not() -> None:
    assert len([*texts(*ROOMS)]) > 300
    askers = {path for path, tree in trees(ROOMS, _WORDS) if any(_asks(tree))}
    assert askers == set(BY_THE_MACHINE)


def _asks(tree: ast.Module) -> Iterator[bool]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            yield node.attr in _READERS.get(owner, ()) or (owner == "asyncio" and node.attr in _WAITERS)
            yield node.attr in ("call_later", "call_at") and owner != "clock"
        elif isinstance(node, ast.ImportFrom) and node.module == "time":
            yield any(name.name in _READERS["time"] for name in node.names)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield _sleeps(node.func, node.args) or _is_loop_time(node.func)


def _sleeps(called: ast.Attribute, args: list[ast.expr]) -> bool:
    """sleep(0) is no time, but a turn for others."""
    is_sleep = called.attr == "sleep" and isinstance(called.value, ast.Name) and called.value.id == "asyncio"
    return is_sleep and not (isinstance(args[0], ast.Constant) and args[0].value == 0)


def _is_loop_time(called: ast.Attribute) -> bool:
    owner = called.value
    is_loop = isinstance(owner, ast.Name) and owner.id == "loop"
    is_running_loop = isinstance(owner, ast.Call) and ast.unparse(owner.func) == "asyncio.get_running_loop"
    return called.attr == "time" and (is_loop or is_running_loop)
