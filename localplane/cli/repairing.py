"""`kctl etcd repair`: which etcd is meant, and what became of it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from localplane.compose.etcd_repair import MemberRepair, Repair, repair_directory, repair_servers
from localplane.compose.storage import StorageOptions

from .errors import OptionsContradict, PlaneError
from .lines import Block, show, size
from .places import DEFAULT_NAME, places
from .run_file import read, running


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairOptions:
    """The etcd of a plane, by the plane's name or its data directory, or one that others run."""

    name: str | None = None
    data_dir: Path | None = None
    etcd: Path | None = None
    etcd_servers: tuple[str, ...] = ()
    etcd_cafile: Path | None = None
    etcd_certfile: Path | None = None
    etcd_keyfile: Path | None = None
    etcd_user: str = ""
    etcd_password_file: Path | None = None


def repair(options: RepairOptions) -> None:
    """Print what was done. Raises PlaneError, after that, if it was not enough."""
    _check(options)
    if options.etcd_servers:
        done = asyncio.run(repair_servers(_storage(options)))
    else:
        done = asyncio.run(repair_directory(_directory(options), etcd=options.etcd))
    show(Block("etcd is repaired" if not done.problems else "etcd is not repaired", not done.problems, _rows(done)))
    if done.problems:
        raise PlaneError("\n".join(done.problems))


def _check(options: RepairOptions) -> None:
    if options.name and options.data_dir:
        raise OptionsContradict("--name and --data-dir contradict one another: say one of them")
    if options.etcd_servers and (options.name or options.data_dir or options.etcd):
        flag = "--name" if options.name else "--data-dir" if options.data_dir else "--etcd"
        raise OptionsContradict(f"--etcd-servers and {flag} contradict one another: a cluster is no plane's own etcd")
    if not options.etcd_servers and (options.etcd_cafile or options.etcd_certfile or options.etcd_keyfile):
        raise OptionsContradict("--etcd-cafile, --etcd-certfile and --etcd-keyfile are for --etcd-servers")
    if not options.etcd_servers and (options.etcd_user or options.etcd_password_file):
        raise OptionsContradict("--etcd-user and --etcd-password-file are for --etcd-servers")


def _storage(options: RepairOptions) -> StorageOptions:
    return StorageOptions(
        etcd_servers=options.etcd_servers,
        etcd_cafile=options.etcd_cafile,
        etcd_certfile=options.etcd_certfile,
        etcd_keyfile=options.etcd_keyfile,
        etcd_user=options.etcd_user,
        etcd_password_file=options.etcd_password_file,
    )


def _directory(options: RepairOptions) -> Path:
    """Where the plane keeps its data, or did before it was killed."""
    if options.data_dir is not None:
        return options.data_dir.expanduser().absolute()
    name = options.name or DEFAULT_NAME
    where = places(name)
    record = running(name) or read(where)
    if record is not None and record.external:
        raise PlaneError(f'plane "{name}" keeps its data in {record.store}: name its servers with --etcd-servers')
    return Path(record.data_dir) if record is not None and record.data_dir else where.data


def _rows(done: Repair) -> list[tuple[str, str]]:
    alarm = "NOSPACE is disarmed" if done.disarmed else "NOSPACE was not set"
    history = ("history", f"compacted up to revision {done.revision}")
    return [history, *(("file", _file(member)) for member in done.members), ("alarm", alarm)]


def _file(member: MemberRepair) -> str:
    if member.file is None:
        return f"{member.url}: not defragmented"
    return f"{member.url}: {size(member.file.before_bytes)} before, {size(member.file.after_bytes)} now"
