"""A server's stand-in that the tests start and kill: it holds a data directory and an etcd until it is told to end.

Arguments: data directory, etcd binary, how etcd learns of our death. Prints etcd's pid and socket when it is ready.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

from localplane.apiserver.storage.data_directory import DataDirectory
from localplane.apiserver.storage.etcd.program.health import EtcdOptions
from localplane.apiserver.storage.etcd.program.parent_death import ParentDeath
from localplane.apiserver.storage.etcd.program.supervisor import EtcdSupervisor
from tests.integration.etcd_process.answering import answers


async def hold(data: Path, binary: Path, means: ParentDeath) -> None:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    with DataDirectory(data, command="holder") as directory:
        print("starting", flush=True)
        etcd = EtcdSupervisor(
            binary=binary,
            version="0",
            data_directory=directory,
            probe=answers,
            options=EtcdOptions(parent_death=means),
        )
        async with etcd:
            print(etcd.pid, etcd.client_socket, flush=True)
            await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(hold(Path(sys.argv[1]), Path(sys.argv[2]), ParentDeath(sys.argv[3])))
