"""Put a real kubectl where the tests look for one: `python tests/e2e/fetch_kubectl.py .tools/kubectl`.

It is taken out of Debian's package, as `kctl etcd install` takes etcd, so it needs apt but neither root nor a change
to the machine. Elsewhere, install kubectl by hand: the tests that need it say so when they are skipped.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from localplane.apiserver.storage.etcd.program.install.debian import DebianArchive, DebianPackage
from localplane.apiserver.storage.etcd.program.install.errors import InstallFailed
from localplane.apiserver.storage.etcd.program.install.releases import this_platform

KUBECTL = DebianPackage(
    name="kubectl",
    version="1.32.3+ds-2",
    suite="trixie",
    program="usr/bin/kubectl",
    sha256={
        "amd64": "9825aaf4c14913027aae04af8688e580459f781c829bd5de00cc4dc2cc5a867f",
        "arm64": "b85800b5e2d2ecc958e2b9dfa7d4ce13b14e1175242de1f71acb4fa4b0b63212",
    },
)


def main(target: Path) -> None:
    archive, platform = DebianArchive(), this_platform()
    if not archive.offers(KUBECTL, platform=platform):
        sys.exit("no kubectl can be fetched without apt; install one and put it on PATH")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        try:
            program = archive.fetch(KUBECTL, platform=platform, scratch=Path(scratch).absolute())
        except InstallFailed as error:
            sys.exit(f"no kubectl: {error}")
        program.chmod(0o755)
        shutil.move(program, target)
    print(f"kubectl {KUBECTL.upstream_version}: {target}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
