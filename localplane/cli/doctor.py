"""`kctl doctor`: what is stored and can't be used, as a plane that is up tells it, or in the data of one that isn't."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from localplane.apiserver.server.flags import Flag, Only
from localplane.apiserver.storage.objects import IS_ENCRYPTED
from localplane.compose.options import StorageOptions
from localplane.compose.storage import holds_objects

from .errors import PlaneError
from .places import DEFAULT_NAME, places
from .run_file import READY, RunRecord, read
from .socket_client import ask


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorOptions:
    """`storage` is an etcd cluster to look into, instead of a plane's own data."""

    name: Annotated[str, Flag("--name", "Which one.")] = DEFAULT_NAME
    delete: Annotated[
        tuple[str, ...],
        Flag("--delete", "Remove what is stored under this key.", metavar="KEY", shows_default=False),
    ] = ()
    delete_unreadable: Annotated[bool, Flag("--delete-unreadable", "Remove everything that can't be read.")] = False
    output: Annotated[str, Flag("--output", "json, for programs.", short="-o", shows_default=False)] = ""
    data_dir: Annotated[
        Path | None,
        Flag("--data-dir", "Where one that is down keeps its data, if not where planes usually do.", metavar="DIR"),
    ] = None
    storage: Annotated[
        StorageOptions,
        Only(
            (
                "etcd_path",
                "etcd_servers",
                "etcd_cafile",
                "etcd_certfile",
                "etcd_keyfile",
                "etcd_user",
                "etcd_password_file",
                "etcd_prefix",
                "encryption",
            )
        ),
    ] = field(default_factory=StorageOptions)


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with what is stored under a key. What is `shown` is there for clients; the rest is not."""

    key: str
    problem: str
    shown: bool

    def as_json(self) -> dict[str, Any]:
        return {"key": self.key, "problem": self.problem, "shown": self.shown}


@dataclass(frozen=True, slots=True)
class Removal:
    """Which findings are to be removed: these keys, or all that can't be read. What is encrypted is removed by its key
    alone: somebody has the key that reads it."""

    keys: Sequence[str] = ()
    all_unreadable: bool = False

    def of(self, findings: Sequence[Finding]) -> list[str]:
        lost = [each for each in findings if not each.shown and not each.problem.startswith(IS_ENCRYPTED)]
        unreadable = [each.key for each in lost] if self.all_unreadable else []
        return list(dict.fromkeys((*self.keys, *unreadable)))


@dataclass(frozen=True, slots=True)
class Examination:
    """`left` is what is still there after the `removed` ones are gone."""

    left: list[Finding]
    removed: list[str]


def examine_running(record: RunRecord, removal: Removal) -> Examination:
    if record.phase != READY:
        raise PlaneError(f'plane "{record.name}" is {record.phase}: try again when it is ready')
    removed = removal.of(_findings(record))
    for key in removed:
        _answer(record, f"/bad-objects?key={quote(key, safe='')}", method="DELETE")
    return Examination(_findings(record), removed)


def examine_stopped(name: str, storage: StorageOptions, removal: Removal) -> Examination:
    """`storage` says where the objects are, if not where this plane has them. Raises PlaneError if there is nothing to
    examine, and a StorageError if it can't be read."""
    data_dir = storage.data_dir or _data_directory(name)
    if not storage.etcd_servers and not holds_objects(data_dir):
        raise PlaneError(f'plane "{name}" is down and keeps no data')
    storage = replace(storage, data_dir=None if storage.etcd_servers else data_dir)
    logging.getLogger("localplane").addHandler(logging.NullHandler())  # what a server would log is our answer
    return asyncio.run(_examine(storage, removal))


def _data_directory(name: str) -> Path:
    """Where a plane that is down has its data."""
    left = read(places(name))
    return Path(left.data_dir) if left and left.data_dir else places(name).data


async def _examine(storage: StorageOptions, removal: Removal) -> Examination:
    # Nearly everything is imported with it, and only the data of a plane that is down needs it.
    from localplane.compose.doctor import doctor_of

    async with doctor_of(storage) as doctor:
        findings = [Finding(each.key, each.verdict.why, each.verdict.is_shown) for each in await doctor.examine()]
        removed = removal.of(findings)
        for key in removed:
            await doctor.remove(key)
        return Examination([each for each in findings if each.key not in removed], removed)


def _findings(record: RunRecord) -> list[Finding]:
    found = json.loads(_answer(record, "/bad-objects"))
    return [Finding(each["key"], each["problem"], each["shown"]) for each in found["badObjects"]]


def _answer(record: RunRecord, question: str, *, method: str = "GET") -> str:
    answer = ask(record.socket, question, method=method)
    if answer.good:
        return answer.body
    try:
        raise PlaneError(json.loads(answer.body)["message"])
    except (ValueError, KeyError, TypeError):
        raise PlaneError(f'plane "{record.name}" does not answer: {answer.body}') from None
