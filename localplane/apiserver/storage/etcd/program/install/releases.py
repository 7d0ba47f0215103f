"""The etcd releases that we install, and the sums by which they are known.

A release that is not listed here is not installed: to offer another, add its line, with the sum that etcd publishes
for it in SHA256SUMS.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .errors import InstallFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

OFFICIAL_BASE_URL = "https://github.com/etcd-io/etcd/releases/download"


@dataclass(frozen=True, slots=True)
class Release:
    """One archive of one release. `platform` is written as etcd writes it: `linux-amd64`."""

    version: str
    platform: str
    sha256: str

    @property
    def archive(self) -> str:
        return f"{self._stem}.zip" if self.platform.startswith("darwin-") else f"{self._stem}.tar.gz"

    @property
    def member(self) -> str:
        """The one file that is taken out of the archive."""
        return f"{self._stem}/etcd"

    def url(self, base_url: str) -> str:
        return f"{base_url.rstrip('/')}/v{self.version}/{self.archive}"

    @property
    def _stem(self) -> str:
        return f"etcd-v{self.version}-{self.platform}"


# A platform's first line is its default. On Linux that is 3.5, because the Debian package is 3.5 too, and a data
# directory that 3.6 has opened can't go back.
RELEASES = (
    Release("3.5.33", "linux-amd64", "5025b5b24d81a9616b6e284ccd439b9a3df055ef8fdcdc142af3ec8f6a3b3c95"),
    Release("3.5.33", "linux-arm64", "0764c5c0acef155f4bfa0487791cc5776adef66315bf16ec0653883bfd463a90"),
    Release("3.6.5", "linux-amd64", "66bad39ed920f6fc15fd74adcb8bfd38ba9a6412f8c7852d09eb11670e88cac3"),
    Release("3.6.5", "linux-arm64", "7010161787077b07de29b15b76825ceacbbcedcb77fe2e6832f509be102cab6b"),
    Release("3.6.5", "darwin-amd64", "ab1286184ea8f27a921730d494b7dea4f9a0d3b176e70ab48fcdf77448e1ac57"),
    Release("3.6.5", "darwin-arm64", "14d7743f9ed07950a8e85491646e067e394a09e049e42083e2f6473fefa717a8"),
)


def this_platform() -> str:
    """The running machine, as etcd names it in its archives."""
    machine = platform.machine().lower()
    architecture = {"x86_64": "amd64", "aarch64": "arm64"}.get(machine, machine)
    return f"{platform.system().lower()}-{architecture}"


def choose_release(releases: Sequence[Release], *, platform: str, version: str | None) -> Release:
    """The release to install, the platform's default if no version is named; raises InstallFailed."""
    offered = [release for release in releases if release.platform == platform]
    if not offered:
        raise InstallFailed(
            f"no etcd release is known for {platform}; install etcd 3.5.16 or later by hand and name it with "
            "--etcd PATH or KCTL_ETCD"
        )
    if version is None:
        return offered[0]
    for release in offered:
        if release.version == version.removeprefix("v"):
            return release
    known = ", ".join(release.version for release in offered)
    raise InstallFailed(
        f"etcd {version} has no known sha256 sum for {platform} (known: {known}); install it by hand and name it "
        "with --etcd PATH or KCTL_ETCD"
    )
