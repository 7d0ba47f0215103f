"""`kctl etcd repair`: which etcd is meant, and what became of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from localplane.compose.etcd_repair import MemberRepair, Repair, repair_directory, repair_servers

from .errors import OptionsContradict, PlaneError
from .lines import Block, show, size
from .places import DEFAULT_NAME, places
from .repair_options import RepairOptions
from .run_file import read, running


def repair(options: RepairOptions) -> None:
    """Print what was done. Raises PlaneError, after that, if it was not enough."""
    _check(options)
    if options.etcd_servers:
        done = asyncio.run(repair_servers(replace(options.storage, etcd_servers=options.etcd_servers)))
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
    storage = options.storage
    if not options.etcd_servers and (storage.etcd_cafile or storage.etcd_certfile or storage.etcd_keyfile):
        raise OptionsContradict("--etcd-cafile, --etcd-certfile and --etcd-keyfile are for --etcd-servers")
    if not options.etcd_servers and (storage.etcd_user or storage.etcd_password_file):
        raise OptionsContradict("--etcd-user and --etcd-password-file are for --etcd-servers")


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
