"""A program out of a Debian package, without root and without touching the system.

apt-get runs with a configuration of its own: its lists, cache and package status lie in a scratch directory, and of
the machine's settings it keeps only how to reach the network. So it works on any machine that has apt, whatever
release it runs, and leaves no trace.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from .apt_sources import AptSource, debian_archives
from .download import check_sha256
from .errors import InstallFailed

if TYPE_CHECKING:
    from collections.abc import Mapping

_TOOLS = ("apt-get", "apt-config", "dpkg-deb")
_KEYRINGS = (
    "/usr/share/keyrings/debian-archive-keyring.gpg",
    "/usr/share/keyrings/debian-archive-keyring.pgp",
)
_LONGEST_STEP = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class DebianPackage:
    """One version of one package, and the path of the program in it."""

    name: str
    version: str
    suite: str
    program: str
    sha256: Mapping[str, str] = field(hash=False)  # by architecture

    @property
    def upstream_version(self) -> str:
        return self.version.partition("-")[0].partition("+")[0]


ETCD_SERVER = DebianPackage(
    name="etcd-server",
    version="3.5.16-4",
    suite="trixie",
    program="usr/bin/etcd",
    sha256={
        "amd64": "0875921bb0d023f2af9b8e15cdfbe417a03e65731345fb832c40f9c2dd72967b",
        "arm64": "5e21469a4f59f1cb2ed7af9c6eb9dda7d9734809c011cfa8a39b34f82a161a32",
    },
)


class DebianArchive:
    """The Debian archive, through whichever mirror this machine's apt is set up with."""

    def __init__(self, *, apt_directory: Path = Path("/etc/apt"), environ: Mapping[str, str] = os.environ) -> None:
        self._apt_directory = apt_directory
        self._environ = {**environ, "LC_ALL": "C"}

    def offers(self, package: DebianPackage, *, platform: str) -> bool:
        """Whether this machine has the tools, and the package a sum for this platform."""
        system, _, architecture = platform.partition("-")
        return system == "linux" and architecture in package.sha256 and all(map(self._tool, _TOOLS))

    def fetch(self, package: DebianPackage, *, platform: str, scratch: Path) -> Path:
        """The path of the package's program, below `scratch`; raises InstallFailed."""
        architecture = platform.partition("-")[2]
        sources = debian_archives(self._apt_directory)
        if not sources:
            raise InstallFailed(f"no Debian archive is configured in {self._apt_directory}")
        failures: list[str] = []
        for number, source in enumerate(sources):
            directory = scratch / f"apt-{number}"
            try:
                archive = self._download(package, source, architecture=architecture, directory=directory)
            except InstallFailed as error:
                failures.append(str(error))
                continue
            check_sha256(archive, package.sha256[architecture], origin=f"Debian's {archive.name}")
            return self._unpack(archive, package, directory=directory)
        raise InstallFailed("; ".join(failures))

    def _download(self, package: DebianPackage, source: AptSource, *, architecture: str, directory: Path) -> Path:
        self._write_configuration(package, source, architecture=architecture, directory=directory)
        self._run("apt-get", "--quiet", "update", directory=directory)
        self._run("apt-get", "--quiet", "download", f"{package.name}={package.version}", directory=directory)
        archives = list(directory.glob("*.deb"))
        if len(archives) != 1:
            raise InstallFailed(f"apt-get downloaded no {package.name} {package.version} from {source.uri}")
        return archives[0]

    def _unpack(self, archive: Path, package: DebianPackage, *, directory: Path) -> Path:
        root = directory / "root"
        self._run("dpkg-deb", "--extract", str(archive), str(root), directory=directory)
        program = root / package.program
        if program.is_symlink() or not program.is_file():
            raise InstallFailed(f"{archive.name} holds no file called {package.program}")
        return program

    def _write_configuration(
        self, package: DebianPackage, source: AptSource, *, architecture: str, directory: Path
    ) -> None:
        for part in ("lists/partial", "cache/archives/partial", "state"):
            (directory / part).mkdir(parents=True)
        (directory / "status").touch()
        network = self._run("apt-config", "dump", "Acquire", directory=directory, private=False)
        options = {
            # Nothing of the machine's own: its hooks would run on the machine, its pins would choose for us.
            "Dir::Etc::main": "/dev/null",
            "Dir::Etc::parts": "/dev/null",
            "Dir::Etc::preferences": "/dev/null",
            "Dir::Etc::preferencesparts": "/dev/null",
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::Etc::sourcelist": directory / "sources.list",
            "Dir::State": directory / "state",
            "Dir::State::lists": directory / "lists",
            "Dir::State::status": directory / "status",
            "Dir::Cache": directory / "cache",
            "Acquire::Languages": "none",
            "APT::Architecture": architecture,
            # Root would hand the download to a user who may not enter our scratch directory.
            "APT::Sandbox::User": "",
            "APT::Update::Error-Mode": "any",
        }
        lines = [f'{name} "{value}";' for name, value in options.items()]
        (directory / "apt.conf").write_text("\n".join((network, *lines, "")), encoding="utf-8")
        keyrings = [path for path in dict.fromkeys((source.signed_by, *_KEYRINGS)) if path and Path(path).is_file()]
        trust = f"[signed-by={','.join(keyrings)}] " if keyrings else ""
        line = f"deb {trust}{source.uri} {package.suite} main\n"
        (directory / "sources.list").write_text(line, encoding="utf-8")

    def _run(self, tool: str, *arguments: str, directory: Path, private: bool = True) -> str:
        own = {"APT_CONFIG": str(directory / "apt.conf")} if private else {}
        try:
            done = subprocess.run(
                [self._tool(tool) or tool, *arguments],
                cwd=directory,
                env={**self._environ, **own},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=True,
                encoding="utf-8",
                errors="replace",
                timeout=_LONGEST_STEP.total_seconds(),
            )
        except subprocess.CalledProcessError as error:
            said = (error.stderr or error.stdout).strip().splitlines()
            raise InstallFailed(f"{tool} {arguments[-1]} failed: {said[-1] if said else error}") from error
        except (subprocess.TimeoutExpired, OSError) as error:
            raise InstallFailed(f"{tool} {arguments[-1]} failed: {error}") from error
        return done.stdout

    def _tool(self, name: str) -> str | None:
        return shutil.which(name, path=self._environ.get("PATH", os.defpath))
