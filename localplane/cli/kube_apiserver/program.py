"""The program: a server until SIGTERM. What goes wrong is one sentence on standard error, and exit code 1."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from localplane.apimachinery.light_typing import TYPE_CHECKING

from .command_line import UsageError, parse
from .flags import read_flags, usage

if TYPE_CHECKING:
    from .translation import Translation


def main(arguments: Sequence[str], *, embedded: bool = False) -> int:
    """`embedded`: the etcd that it is told of is the stand-in, and says where the data is kept."""
    flags = read_flags()
    try:
        said = parse(arguments, flags)
        if "help" in said:
            sys.stdout.write(usage())
            return 0
        if "version" in said:
            return _print_version()
        from .translation import Refused, translated

        try:
            translation = translated(said, flags)
        except Refused as error:
            return _failed(str(error))
    except UsageError as error:
        return _failed(f"{error}\nSee 'kube-apiserver --help' for usage.")
    for note in translation.notes:
        sys.stderr.write(f"kube-apiserver: {note}\n")
    sys.stderr.flush()
    return _serve(translation, embedded=embedded)


def _print_version() -> int:
    from localplane.apiserver.server.version import version_document

    sys.stdout.write(f"Kubernetes {version_document()['gitVersion']}\n")
    return 0


def _failed(sentence: str) -> int:
    sys.stderr.write(f"Error: {sentence}\n")
    return 1


def _serve(translation: Translation, *, embedded: bool) -> int:
    os.umask(0o077)
    from .serving import Failed, serve

    try:
        serve(translation, embedded=embedded)
    except Failed as error:
        return _failed(str(error))
    return 0
